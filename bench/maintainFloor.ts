import { createHash, randomBytes } from "node:crypto"
import Database from "better-sqlite3"
import { getLoadablePath } from "sqlite-vec"
import type { Memory } from "../events/Memory.js"
import type { MaintenancePolicy } from "../src/ports/policy/maintenance.js"

// The floor of maintenance in plain SQLite. It reads and parses the rows that the stages read. It writes the memories
// that they change to every table, and to the log with its hash chain. It has no decisions, scores, clusters or checks,
// and uses one transaction without pauses.

const day = 86_400_000
const openness = { private: 0, shared: 1, social: 2 } as const

/**
 * Opens a copy of a view file. Longer than 80 lines, because the functions share the prepared statements and the hash
 * chain.
 */
export const openMaintenanceFloor = (file: string) => {
  const db = new Database(file)
  db.pragma("synchronous = FULL")
  db.loadExtension(getLoadablePath())
  db.exec(`CREATE TABLE events (sequence INTEGER PRIMARY KEY AUTOINCREMENT, version INTEGER, type TEXT, payload TEXT,
    salt BLOB, digest BLOB, hash BLOB, recorded_at INTEGER)`)
  const scans = [
    // The rows of stages `compress` and `gc`. Other stages stop at their limit, so they are not included.
    `SELECT memory FROM observations WHERE active = 1 AND tier <> 'core' AND type <> 'person' AND created_at <= :before
      AND (expires_at IS NULL OR expires_at > :now)`,
    `SELECT memory FROM observations WHERE active = 1 AND (tier IN ('mid', 'daily') OR (tier = 'long'
      AND json_extract(memory, '$.promotedAt') IS NOT NULL)) AND (expires_at IS NULL OR expires_at > :now)
      AND :before = :before`,
    // The rows of stage `weekly`.
    `SELECT memory FROM observations WHERE active = 1 AND (tier = 'core'
      OR type IN ('identity', 'preference', 'decision', 'temp', 'debug') OR (tier = 'mid' AND created_at <= :week
        AND (project IS NOT NULL OR json_extract(memory, '$.topic') IS NOT NULL)))
      AND (expires_at IS NULL OR expires_at > :now) AND :before = :before`
  ].map((text) => db.prepare(text).pluck())
  const {
    event,
    observation,
    added,
    oldText,
    deleteText,
    insertText,
    levels,
    deleteMentions,
    mention,
    change,
    archived,
    deleteVector,
    vector
  } = prepareWrites(db)
  const constantVector = Buffer.from(new Float32Array(256).fill(1 / 16).buffer)

  let version = 10_000_000
  let hash: Uint8Array = new Uint8Array(32)

  const write = (memory: Memory, type: string, now: number) => {
    const born = memory.born > 0 ? memory.born : version
    const { id, people, store } = memory
    const open = openness[store]
    const text = JSON.stringify(memory)
    const [facts, tags] = [memory.facts.join("\n"), memory.tags.join(" ")]
    const fields = [memory.title, memory.narrative ?? "", facts, tags, people.join("\n")]
    if (memory.born > 0) {
      const active = memory.status === "active" ? 1 : 0
      observation.run(active, version, memory.revision, memory.tier, memory.tokens, text, born)
    } else {
      const content = createHash("sha256").update(text).digest()
      const lists = [JSON.stringify(people), JSON.stringify(memory.tags)]
      const numbers = [memory.tokens, memory.importance, memory.mentions, memory.lastMentionedAt, memory.createdAt]
      added.run(
        born,
        id,
        open,
        version,
        content,
        memory.type,
        store,
        memory.title,
        ...lists,
        memory.tier,
        ...numbers,
        text
      )
    }
    const old = oldText.get(born) as Record<string, string | number> | undefined
    const same = old !== undefined && memory.status === "active" && old.narrative === fields[1]
    if (!same) {
      if (old !== undefined) {
        const { openness: was, ...columns } = old
        const texts = Object.values(columns)
        for (let level = 0; level <= Number(was); level++) levels[level]!.remove.run(born, ...texts)
        deleteText.run(born)
        deleteVector.run(BigInt(born))
      }
      if (memory.status === "active") {
        insertText.run(born, id, open, ...fields)
        for (let level = 0; level <= open; level++) levels[level]!.add.run(born, ...fields)
        vector.run(BigInt(born), constantVector, BigInt(open))
      }
    }
    deleteMentions.run(born)
    for (const name of people) {
      mention.run(born, name.toLowerCase(), name, open, memory.mentions, memory.lastMentionedAt)
    }
    change.run(born, version, id, memory.revision, type, open)
    if (memory.status === "archived") archived.run(born, id, open, now, fields.join("\n").toLowerCase(), text)
  }

  return {
    db,
    /** Reads the rows of the stages. Returns their number. */
    read: ({ compress }: Pick<MaintenancePolicy, "compress">, now: number): number => {
      let rows = 0
      for (const scan of scans) {
        for (const text of scan.iterate({ before: now - compress.after * day, week: now - 7 * day, now })) {
          JSON.parse(text as string)
          rows++
        }
      }
      return rows
    },
    /** Writes the changed memories, event by event. */
    write: (
      events: ReadonlyArray<{
        readonly type: string
        readonly payload: unknown
        readonly images: ReadonlyArray<Memory>
      }>,
      now: number
    ) => {
      db.exec("BEGIN IMMEDIATE")
      for (const { images, payload, type } of events) {
        version++
        const [salt, text] = [randomBytes(16), JSON.stringify(payload)]
        const digest = createHash("sha256").update(salt).update(text).digest()
        hash = createHash("sha256").update(hash).update(`${version}|${type}|${now}`).update(digest).digest()
        event.run(version, type, text, salt, digest, hash, now)
        for (const memory of images) write(memory, type, now)
      }
      db.exec("COMMIT")
    },
    close: () => db.close()
  }
}

const prepareWrites = (db: Database.Database) => {
  const event = db.prepare(`INSERT INTO events (version, type, payload, salt, digest, hash, recorded_at)
    VALUES (?, ?, ?, ?, ?, ?, ?)`)
  const observation = db.prepare(`UPDATE observations SET active = ?, changed = ?, revision = ?, tier = ?, tokens = ?,
    memory = ? WHERE born = ?`)
  const added =
    db.prepare(`INSERT INTO observations (born, id, active, openness, level, changed, revision, content, type, store,
    title, people, tags, tier, tokens, importance, mentions, mentioned_at, created_at, memory)
    VALUES (?, ?, 1, ?, 0, ?, 1, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`)
  const oldText = db.prepare("SELECT openness, title, narrative, facts, tags, people FROM texts WHERE born = ?")
  const deleteText = db.prepare("DELETE FROM texts WHERE born = ?")
  const insertText = db.prepare(`INSERT INTO texts (born, id, openness, title, narrative, facts, tags, people)
    VALUES (?, ?, ?, ?, ?, ?, ?, ?)`)
  const levels = ["full", "inner", "familiar"].map((level) => ({
    remove: db.prepare(`INSERT INTO text_${level} (text_${level}, rowid, title, narrative, facts, tags, people)
      VALUES ('delete', ?, ?, ?, ?, ?, ?)`),
    add: db.prepare(
      `INSERT INTO text_${level} (rowid, title, narrative, facts, tags, people) VALUES (?, ?, ?, ?, ?, ?)`
    )
  }))
  const deleteMentions = db.prepare("DELETE FROM mentions WHERE born = ?")
  const mention = db.prepare(`INSERT INTO mentions (born, person, name, openness, mentions, mentioned_at)
    VALUES (?, ?, ?, ?, ?, ?)`)
  const change = db.prepare(
    "INSERT INTO changes (born, version, id, revision, type, openness) VALUES (?, ?, ?, ?, ?, ?)"
  )
  const archived = db.prepare(`INSERT INTO archive (born, id, openness, archived_at, reason, text, memory)
    VALUES (?, ?, ?, ?, '', ?, ?)`)
  const deleteVector = db.prepare("DELETE FROM vectors_1 WHERE rowid = ?")
  const vector = db.prepare("INSERT INTO vectors_1 (rowid, embedding, openness) VALUES (?, ?, ?)")
  return {
    event,
    observation,
    added,
    oldText,
    deleteText,
    insertText,
    levels,
    deleteMentions,
    mention,
    change,
    archived,
    deleteVector,
    vector
  }
}

/** The memories with the highest scores, by one statement over all rows and their access counts. */
export const openRankingFloor = (file: string, { tiers }: Pick<MaintenancePolicy, "tiers">) => {
  const db = new Database(file, { readonly: true })
  const decay = Object.entries(tiers.decays).map(([type, value]) => `WHEN '${type}' THEN ${value}`)
  const lastSeen = "max(o.mentioned_at, coalesce(a.accessed_at, 0))"
  const best = db.prepare(`SELECT o.born, ${tiers.frequencyWeight} * ln(o.mentions + coalesce(a.accesses, 0))
      + ${tiers.recencyWeight} * exp(-CASE o.type ${decay.join(" ")} ELSE ${tiers.decay} END
        * max(0, :now / ${day} - ${lastSeen} / ${day}))
      + ${tiers.importanceWeight} * o.importance AS score
    FROM observations o LEFT JOIN accesses a ON a.id = o.id
    WHERE o.active = 1 AND (o.expires_at IS NULL OR o.expires_at > :now) ORDER BY score DESC, o.born DESC LIMIT :limit`)
  return {
    db,
    rank: (now: number, limit: number) =>
      best.all({ now: BigInt(now), limit }) as Array<{ readonly born: number; readonly score: number }>
  }
}
