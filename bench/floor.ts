import { createHash, randomBytes } from "node:crypto"
import Database from "better-sqlite3"
import { getLoadablePath } from "sqlite-vec"
import { projections } from "../projections/all.js"
import { imageOf, type Made } from "./data.js"

// What SQLite alone takes for the same work, written by hand: prepared statements and nothing else. No validation, no
// look-up of duplicates, no decisions, no fibers, one file instead of two. Everything that Daybook adds to this is its
// own cost, and is what the benchmarks compare.

/** A memory with what the floor need not work out while it is timed: its vector. */
export interface Prepared extends Made {
  /** 256 numbers of unit length, as bytes. */
  readonly vector: Buffer
}

/** Daybook's own DDL: no difference of tables or indexes may flatter either side. */
const tables = projections.map((projection) => projection.tables).join("\n")
const indexes = projections.map((projection) => projection.indexes).join("\n")

/** The `events` table and its two indexes, as `migrations/0001_log.ts` makes them. */
const eventsTable = `CREATE TABLE events (sequence INTEGER PRIMARY KEY AUTOINCREMENT, stream TEXT NOT NULL,
    version INTEGER NOT NULL, type TEXT NOT NULL, schema INTEGER NOT NULL, payload TEXT, salt BLOB,
    digest BLOB NOT NULL, hash BLOB NOT NULL, command_id TEXT, ordinal INTEGER NOT NULL, request_digest BLOB,
    actor TEXT NOT NULL, cause TEXT, occurred_at INTEGER NOT NULL, recorded_at INTEGER NOT NULL, erased_at INTEGER,
    UNIQUE (stream, version));
  CREATE UNIQUE INDEX events_command ON events (stream, command_id, ordinal) WHERE command_id IS NOT NULL;`

/** The vectors of one model, as `projections/vectors.ts` makes them: small chunks, and the openness beside each vector. */
const vectorTable = `INSERT INTO vector_sets (number, model, dimensions) VALUES (1, 'hash-256-v1', 256);
  CREATE VIRTUAL TABLE vectors_1 USING vec0(embedding float[256], openness integer, chunk_size=64);`

const openness = { private: 0, shared: 1, social: 2 } as const

/** Stores memories, each call in one transaction. */
export const openAdds = (file: string, options: { readonly vectors: boolean }) => {
  const db = new Database(file)
  // One fsync a commit, as Daybook's log has: what is acknowledged is durable.
  db.pragma("journal_mode = WAL")
  db.pragma("synchronous = FULL")
  db.loadExtension(getLoadablePath())
  db.exec(eventsTable + tables + indexes + vectorTable)

  const begin = db.prepare("BEGIN IMMEDIATE")
  const commit = db.prepare("COMMIT")
  const event =
    db.prepare(`INSERT INTO events (stream, version, type, schema, payload, salt, digest, hash, ordinal, actor,
    occurred_at, recorded_at) VALUES ('agent', ?, 'ADD', 1, ?, ?, ?, ?, 0, 'program', ?, ?)`)
  const observation =
    db.prepare(`INSERT INTO observations (born, id, active, openness, changed, revision, content, type,
    store, title, people, tags, tier, tokens, importance, mentions, mentioned_at, created_at, memory)
    VALUES (?, ?, 1, ?, ?, 1, ?, ?, ?, ?, ?, ?, 'long', ?, 0, 1, ?, ?, ?)`)
  const texts = db.prepare(`INSERT INTO texts (born, id, openness, title, narrative, facts, tags, people)
    VALUES (?, ?, ?, ?, ?, ?, ?, ?)`)
  // A row is indexed once for each level that may read it: one, two or three tables, by its store.
  const levels = ["full", "inner", "familiar"].map((level) =>
    db.prepare(`INSERT INTO text_${level} (rowid, title, narrative, facts, tags, people) VALUES (?, ?, ?, ?, ?, ?)`)
  )
  const mention = db.prepare(`INSERT INTO mentions (born, person, name, openness, mentions, mentioned_at)
    VALUES (?, ?, ?, ?, 1, ?)`)
  const change = db.prepare(`INSERT INTO changes (born, version, id, revision, type, openness)
    VALUES (?, ?, ?, 1, 'ADD', ?)`)
  const vector = db.prepare("INSERT INTO vectors_1 (rowid, embedding, openness) VALUES (?, ?, ?)")
  const embedded = db.prepare("INSERT INTO embedded (number, born, id, digest) VALUES (1, ?, ?, ?)")

  let version = 0
  let hash: Uint8Array = new Uint8Array(32)

  const add = (made: Prepared) => {
    const born = ++version
    const now = Date.now()
    const id = randomBytes(5).toString("hex")
    const open = openness[made.store]
    // The after-image and the decision that Daybook's ADD carries, field for field, so that as many bytes are written.
    const memory = imageOf(made, id, born, now)
    const by = { kind: "caller", name: "remember" }
    const decision = { action: "ADD", by, reason: "no exact duplicate in the store", candidates: [] }
    const payload = JSON.stringify({ memory, decision })

    // The hash chain is part of the truth that is stored: events without it would be other events.
    const salt = randomBytes(16)
    const digest = createHash("sha256").update(salt).update("\0").update(payload).digest()
    const columns = `${born}|agent|${born}|ADD|1||0|program||${now}|${now}`
    hash = createHash("sha256").update(hash).update(columns).update(digest).digest()
    event.run(born, payload, salt, digest, hash, now, now)

    const content = sha256(JSON.stringify([made.title, made.facts]))
    const people = JSON.stringify(made.people)
    const tags = JSON.stringify(made.tags)
    const text = JSON.stringify(memory)
    observation.run(born, id, open, born, content, made.type, made.store, made.title, people, tags, 48, now, now, text)

    const fields = [made.title, made.narrative, made.facts.join("\n"), made.tags.join(" "), made.people.join("\n")]
    texts.run(born, id, open, ...fields)
    for (let level = 0; level <= open; level++) levels[level]!.run(born, ...fields)

    for (const name of made.people) mention.run(born, name.toLowerCase(), name, open, now)
    change.run(born, born, id, open)

    if (!options.vectors) return
    // The vector comes for nothing: Daybook makes it while it is timed, and keeps a second copy in its cache.
    vector.run(BigInt(born), made.vector, BigInt(open))
    embedded.run(born, id, sha256(`${made.title}\n${made.narrative}\n${made.facts.join("\n")}`).toString("hex"))
  }

  return {
    add: (memories: ReadonlyArray<Prepared>) => {
      begin.run()
      for (const memory of memories) add(memory)
      commit.run()
    },
    close: () => db.close()
  }
}

/**
 * Makes the tables of a view from a log of ADD and EMBED events, by sets: a
 * statement a table instead of a call an event. That the tables come out the
 * same as Daybook's is checked before anything is timed.
 */
export const rebuild = (log: string, stream: string, file: string) => {
  const db = new Database(file)
  db.loadExtension(getLoadablePath())
  // As Daybook rebuilds: into a new file, which is worth nothing until it is whole.
  db.pragma("journal_mode = OFF")
  db.pragma("synchronous = OFF")
  db.pragma("cache_size = -65536")
  // SQLite has no SHA-256 of its own.
  db.function("sha256", { deterministic: true }, (text) => sha256(text as string))
  db.prepare("ATTACH ? AS log").run(log)
  db.exec(`BEGIN; ${tables} ${vectorTable}`)
  db.prepare(
    `INSERT INTO observations (born, id, active, openness, changed, revision, content, type, store, title, people, tags,
        tier, tokens, importance, mentions, mentioned_at, created_at, memory)
      SELECT version, memory ->> '$.id', 1,
        CASE memory ->> '$.store' WHEN 'private' THEN 0 WHEN 'shared' THEN 1 ELSE 2 END, version, 1,
        sha256(json_array(memory ->> '$.title', memory -> '$.facts')), memory ->> '$.type', memory ->> '$.store',
        memory ->> '$.title', memory -> '$.people', memory -> '$.tags', memory ->> '$.tier', memory ->> '$.tokens',
        memory ->> '$.importance', memory ->> '$.mentions', memory ->> '$.lastMentionedAt', memory ->> '$.createdAt',
        memory
      FROM (SELECT version, json_extract(payload, '$.memory') AS memory FROM log.events
        WHERE stream = ? AND type = 'ADD' ORDER BY version)`
  ).run(stream)
  db.exec(`INSERT INTO texts (born, id, openness, title, narrative, facts, tags, people)
      SELECT born, id, openness, title, memory ->> '$.narrative',
        (SELECT group_concat(value, char(10)) FROM json_each(memory, '$.facts')),
        (SELECT group_concat(value, ' ') FROM json_each(tags)),
        (SELECT group_concat(value, char(10)) FROM json_each(people)) FROM observations;
    INSERT INTO text_full (text_full) VALUES ('rebuild');
    INSERT INTO text_inner (text_inner) VALUES ('rebuild');
    INSERT INTO text_familiar (text_familiar) VALUES ('rebuild');
    INSERT INTO mentions (born, person, name, openness, mentions, mentioned_at)
      SELECT born, lower(value), value, openness, mentions, created_at FROM observations, json_each(people);
    INSERT INTO changes (born, version, id, revision, type, openness)
      SELECT born, changed, id, revision, 'ADD', openness FROM observations;`)
  // Which memories have a vector is said by the EMBED events; the vectors stand in the cache, by the text's digest.
  db.prepare(
    `INSERT INTO embedded (number, born, id, digest)
      SELECT 1, value ->> '$.born', value ->> '$.memory', value ->> '$.digest'
      FROM log.events e, json_each(e.payload, '$.entries') WHERE e.stream = ? AND e.type = 'EMBED' ORDER BY e.version`
  ).run(stream)
  db.exec(`INSERT INTO vectors_1 (rowid, embedding, openness)
    SELECT e.born, c.vector, o.openness FROM embedded e JOIN observations o USING (born)
      JOIN log.embeddings c ON c.digest = unhex(e.digest) AND c.model = 'hash-256-v1' AND c.dimensions = 256
    ORDER BY e.born`)
  // What made the first vectors of each store: those of the bench are in the first events already.
  db.prepare(
    `INSERT INTO embedders (version, store, state, model, dimensions, weight, floor, adopt, apart)
      SELECT min(version), store, 'first', 'hash-256-v1', 256, NULL, NULL, 0, NULL
      FROM (SELECT e.version AS version, value ->> '$.store' AS store FROM json_each(e.payload, '$.entries'),
        (SELECT version, payload FROM log.events WHERE stream = ? AND type = 'EMBED' ORDER BY version LIMIT 3) e)
      GROUP BY store`
  ).run(stream)
  db.exec(`${indexes} COMMIT`)
  return db
}

/** The two queries that any hybrid search asks: the best 200 by words, the nearest 200 by vector. */
const openHybrid = (file: string, text: string, weights: string, vectors: string) => {
  const db = new Database(file, { readonly: true })
  db.loadExtension(getLoadablePath())
  const best = db.prepare(`SELECT rowid, bm25(${text}, ${weights}) AS score FROM ${text} WHERE ${text} MATCH ?
    ORDER BY score LIMIT 200`)
  const nearest = db.prepare(`SELECT rowid, distance FROM ${vectors} WHERE embedding MATCH ? AND k = 200`)
  return {
    db,
    search: (match: string, vector: Buffer) => {
      best.all(match)
      nearest.all(vector)
    },
    close: () => db.close()
  }
}

/** Of memories. */
export const openSearch = (file: string) => openHybrid(file, "text_full", "2, 1, 1, 1, 1", "vectors_1")

/** Of what was said. */
export const openChunkSearch = (file: string) =>
  openHybrid(file, "chunk_text_full", "1, 0.5, 0.2, 1", "chunk_vectors_1")

const sha256 = (text: string): Buffer => createHash("sha256").update(text).digest()
