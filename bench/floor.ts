import { createHash, randomBytes } from "node:crypto"
import Database from "better-sqlite3"
import { getLoadablePath } from "sqlite-vec"
import { stores } from "../events/Trust.js"
import { projections } from "../projections/all.js"
import { spelledWordsOf } from "../text/normalise/spelling.js"
import { type GeneratedMemory, imageOf } from "./data.js"

// The floor is the same work in plain SQLite, with hand-written prepared statements. It has no validation, no duplicate
// check, no decisions and no fibers, and uses one file instead of two. Benchmarks compare Daybook with the floor. The
// difference is Daybook's own cost.

/** A memory with its vector, which is computed before the timing. */
export interface PreparedMemory extends GeneratedMemory {
  /** A unit-length vector of 256 floats, as bytes. */
  readonly vector: Buffer
}

/** Daybook's own DDL, so that both sides have the same tables and indexes. */
const tables = projections.map((projection) => projection.tables).join("\n")
const indexes = projections.map((projection) => projection.indexes).join("\n")

/** The `events` table and its two indexes, as in `migrations/0001_log.ts`. */
const eventsTable = `CREATE TABLE events (sequence INTEGER PRIMARY KEY AUTOINCREMENT, stream TEXT NOT NULL,
    version INTEGER NOT NULL, type TEXT NOT NULL, schema INTEGER NOT NULL, payload TEXT, salt BLOB,
    digest BLOB NOT NULL, hash BLOB NOT NULL, command_id TEXT, ordinal INTEGER NOT NULL, request_digest BLOB,
    actor TEXT NOT NULL, cause TEXT, occurred_at INTEGER NOT NULL, recorded_at INTEGER NOT NULL, erased_at INTEGER,
    UNIQUE (stream, version));
  CREATE UNIQUE INDEX events_command ON events (stream, command_id, ordinal) WHERE command_id IS NOT NULL;`

/**
 * The vector table of one model, as in `projections/vectorIndex.ts`: small chunks, with the openness of each vector.
 */
const vectorTable = `INSERT INTO vector_sets (number, model, dimensions) VALUES (1, 'hash-256-v1', 256);
  CREATE VIRTUAL TABLE vectors_1 USING vec0(embedding float[256], openness integer, chunk_size=64);`

const openness = { private: 0, shared: 1, social: 2 } as const

/** Stores memories; one transaction for each call. */
export const openFloorWriter = (file: string, options: { readonly vectors: boolean }) => {
  const db = new Database(file)
  // One fsync per commit, as in Daybook's log, so that acknowledged writes are durable.
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
    db.prepare(`INSERT INTO observations (born, id, active, openness, level, changed, revision, content, type,
    store, title, people, tags, tier, tokens, importance, mentions, mentioned_at, created_at, memory)
    VALUES (?, ?, 1, ?, 0, ?, 1, ?, ?, ?, ?, ?, ?, 'long', ?, 0, 1, ?, ?, ?)`)
  const texts = db.prepare(`INSERT INTO texts (born, id, openness, title, narrative, facts, tags, people)
    VALUES (?, ?, ?, ?, ?, ?, ?, ?)`)
  // A row is in the index of each trust level that may read it: one, two or three indexes, depending on its store.
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

  const add = (made: PreparedMemory) => {
    const born = ++version
    const now = Date.now()
    const id = randomBytes(5).toString("hex")
    const open = openness[made.store]
    // Both sides write the same number of bytes: Daybook's ADD event has this after-image and decision.
    const memory = imageOf(made, id, born, now)
    const by = { kind: "caller", name: "remember" }
    const decision = { action: "ADD", by, reason: "no exact duplicate in the store", candidates: [] }
    const payload = JSON.stringify({ memory, decision })

    // The floor computes the hash chain too, because the chain is part of the stored data.
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
    // The vector is computed before the timing. Daybook computes it within the timing, and stores a copy in its cache.
    vector.run(BigInt(born), made.vector, BigInt(open))
    embedded.run(born, id, sha256(`${made.title}\n${made.narrative}\n${made.facts.join("\n")}`).toString("hex"))
  }

  return {
    add: (memories: ReadonlyArray<PreparedMemory>) => {
      begin.run()
      for (const memory of memories) add(memory)
      commit.run()
    },
    close: () => db.close()
  }
}

/**
 * Builds the tables of a view from a log of ADD and EMBED events. It uses one set-based statement per table instead of
 * one call per event. The benchmark first checks that the tables equal Daybook's.
 */
export const rebuild = (log: string, stream: string, file: string) => {
  const db = new Database(file)
  db.loadExtension(getLoadablePath())
  // Like Daybook, writes a new file without durability, because a partial file is worthless.
  db.pragma("journal_mode = OFF")
  db.pragma("synchronous = OFF")
  db.pragma("cache_size = -65536")
  // SQLite has no SHA-256 of its own.
  db.function("sha256", { deterministic: true }, (text) => sha256(text as string))
  db.prepare("ATTACH ? AS log").run(log)
  db.exec(`BEGIN; ${tables} ${vectorTable}`)
  db.prepare(
    `INSERT INTO observations (born, id, active, openness, level, changed, revision, content, type, store, title, people, tags,
        tier, tokens, importance, mentions, mentioned_at, created_at, memory)
      SELECT version, memory ->> '$.id', 1,
        CASE memory ->> '$.store' WHEN 'private' THEN 0 WHEN 'shared' THEN 1 ELSE 2 END, 0, version, 1,
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
  addWords(db)
  // EMBED events name the memories that have a vector. The cache contains the vectors by text digest.
  db.prepare(
    `INSERT INTO embedded (number, born, id, digest)
      SELECT 1, value ->> '$.born', value ->> '$.memory', value ->> '$.digest'
      FROM log.events e, json_each(e.payload, '$.entries') WHERE e.stream = ? AND e.type = 'EMBED' ORDER BY e.version`
  ).run(stream)
  db.exec(`INSERT INTO vectors_1 (rowid, embedding, openness)
    SELECT e.born, c.vector, o.openness FROM embedded e JOIN observations o USING (born)
      JOIN log.embeddings c ON c.digest = unhex(e.digest) AND c.model = 'hash-256-v1' AND c.dimensions = 256
    ORDER BY e.born`)
  // The model of each store's first vectors. In this data, the first three EMBED events cover all stores.
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

/** Stores the words of all memories, grouped by the openness of the memories that contain them. */
const addWords = (db: Database.Database) => {
  const wordsOf = stores.map(() => new Set<string>())
  const rows = db.prepare("SELECT openness, memory FROM observations ORDER BY born").raw().iterate()
  for (const [openness, json] of rows as Iterable<[openness: number, memory: string]>) {
    const { facts, narrative = "", people, tags, title } = JSON.parse(json)
    const words = spelledWordsOf([title, narrative, ...facts, ...tags, ...people].join("\n"))
    for (const word of words) wordsOf[openness]!.add(word)
  }
  const insert = db.prepare("INSERT INTO vocabulary (openness, letters, word) VALUES (?, ?, ?)")
  const insertReversed = db.prepare("INSERT INTO vocabulary_reversed (openness, letters, reversed) VALUES (?, ?, ?)")
  const inOrder = (words: ReadonlyArray<string>) => words.toSorted((a, b) => a.length - b.length || (a < b ? -1 : 1))
  for (const [openness, words] of wordsOf.entries()) {
    const all = [...words]
    for (const word of inOrder(all)) insert.run(openness, word.length, word)
    const reversed = all.map((word) => [...word].reverse().join(""))
    for (const word of inOrder(reversed)) insertReversed.run(openness, word.length, word)
  }
}

/** The two queries that every hybrid search needs: the best 200 by words, and the nearest 200 by vector. */
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

/** Searches memories. */
export const openSearch = (file: string) => openHybrid(file, "text_full", "2, 1, 1, 1, 1", "vectors_1")

/** Searches chunks of conversations. */
export const openChunkSearch = (file: string) =>
  openHybrid(file, "chunk_text_full", "1, 0.5, 0.2, 1", "chunk_vectors_1")

const sha256 = (text: string): Buffer => createHash("sha256").update(text).digest()
