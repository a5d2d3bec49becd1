import { sha256 } from "../events/Chain.js"
import type { DaybookEvent } from "../events/catalogue.js"
import type { Turn } from "../events/Turn.js"
import { chunkNumber, chunkNumbers, chunksOf, cutting } from "./chunks.js"
import { type Db, type Lookup, type Projection, sql } from "./Projection.js"
import { indexed } from "./text.js"
import * as TextIndex from "./textIndex.js"

/**
 * The columns of the index of chunks, in order, with their weights in bm25. A
 * short turn says little without its neighbours, so they stand beside it; and
 * so does its date, which people ask for in words.
 */
export const chunkColumns = { text: 1, previous: 0.5, next: 0.2, date: 1 } as const

export const chunkText = TextIndex.make("chunk_", chunkColumns)

/** A turn of more words than this stands for itself: beside a long one neighbours did harm. */
const shortTurn = 60
/** Nor is one of more characters, for scripts that write no spaces. */
const shortLength = 450
/** Words of a neighbour that are indexed, and characters. */
const neighbourWords = 30
const neighbourLength = 240

/**
 * Conversations: every turn, the sessions that they make up, and the chunks by
 * which they are found. A session belongs to one store: what is said elsewhere
 * under the same key neither counts in it nor stands beside it. The same words
 * of the same speaker again within a session extend the chunk that is there.
 */
export const conversation: Projection = {
  name: "conversation",
  version: cutting,
  handles: ["TURN", "FORGET"],
  tables: `CREATE TABLE turns (born INTEGER PRIMARY KEY, id TEXT NOT NULL, session TEXT NOT NULL, store TEXT NOT NULL,
      openness INTEGER NOT NULL, sequence INTEGER NOT NULL, occurred_at INTEGER NOT NULL, turn TEXT NOT NULL);
    CREATE TABLE sessions (session TEXT NOT NULL, store TEXT NOT NULL, openness INTEGER NOT NULL,
      turns INTEGER NOT NULL, tokens INTEGER NOT NULL, sequence INTEGER NOT NULL, started_at INTEGER NOT NULL,
      last_at INTEGER NOT NULL, last_born INTEGER NOT NULL, PRIMARY KEY (session, store)) WITHOUT ROWID;
    CREATE TABLE speakers (session TEXT NOT NULL, store TEXT NOT NULL, openness INTEGER NOT NULL, speaker TEXT NOT NULL,
      PRIMARY KEY (session, store, speaker)) WITHOUT ROWID;
    CREATE TABLE chunks (born INTEGER PRIMARY KEY, turn INTEGER NOT NULL, id TEXT NOT NULL, session TEXT NOT NULL,
      store TEXT NOT NULL, openness INTEGER NOT NULL, role TEXT NOT NULL, speaker TEXT, content BLOB NOT NULL,
      sequence INTEGER NOT NULL, sequence_end INTEGER NOT NULL, occurred_at INTEGER NOT NULL, previous TEXT NOT NULL,
      text TEXT NOT NULL);
    CREATE INDEX chunks_content ON chunks (content);
    ${chunkText.tables}`,
  indexes: `CREATE INDEX turns_sequence ON turns (session, store, sequence);
    CREATE INDEX turns_id ON turns (id);
    CREATE INDEX sessions_last ON sessions (last_at);
    CREATE INDEX chunks_time ON chunks (occurred_at);`,
  drop: (db) => {
    chunkText.drop(db)
    db.exec("DROP TABLE chunks; DROP TABLE speakers; DROP TABLE sessions; DROP TABLE turns")
  },
  apply: (db, event, lookup) => {
    if (event.type === "TURN") addTurn(db, event, lookup)
    if (event.type === "FORGET") forget(db, event, lookup)
  },
  fill: chunkText.fill,
  digest: (db, digest) => {
    for (const table of ["turns", "chunks"]) digest.query(db, `SELECT * FROM ${table} ORDER BY born`)
    digest.query(db, "SELECT * FROM sessions ORDER BY session, store")
    digest.query(db, "SELECT * FROM speakers ORDER BY session, store, speaker")
    chunkText.digest(db, digest)
  },
  stateDigest: (db, digest) => {
    digest.query(db, "SELECT turn, openness FROM turns ORDER BY id")
    digest.query(
      db,
      `SELECT id, session, store, openness, role, speaker, sequence, sequence_end, occurred_at, text FROM chunks
        ORDER BY id, sequence, text`
    )
    chunkText.stateDigest(db, digest)
  }
}

type EventOf<T extends DaybookEvent["type"]> = Extract<DaybookEvent, { type: T }>

const addTurn = (db: Db, event: EventOf<"TURN">, lookup: Lookup) => {
  const { turn } = event.payload
  const { id, occurredAt, sequence, session, store, text } = turn
  const openness = lookup.opennessOf(turn)
  const filling = lookup.filling?.("conversation") === true
  const before = sql(db, "SELECT sequence, last_born FROM sessions WHERE session = ? AND store = ?").get(session, store)
  const previous = before === undefined ? undefined : turnAt(db, before.last_born)

  sql(
    db,
    `INSERT INTO turns (born, id, session, store, openness, sequence, occurred_at, turn) VALUES (?, ?, ?, ?, ?, ?, ?, ?)`
  ).run(event.version, id, session, store, openness, sequence, occurredAt, JSON.stringify(turn))
  // No upsert, and no update without a condition: either would make FTS5 write out what it has gathered.
  if (before === undefined) {
    sql(
      db,
      `INSERT INTO sessions (session, store, openness, turns, tokens, sequence, started_at, last_at, last_born)
        VALUES (?, ?, ?, 1, ?, ?, ?, ?, ?)`
    ).run(session, store, openness, turn.tokens, sequence, occurredAt, occurredAt, event.version)
  } else {
    sql(
      db,
      `UPDATE sessions SET turns = turns + 1, tokens = tokens + ?, sequence = ?, last_at = max(last_at, ?), last_born = ?
        WHERE session = ? AND store = ?`
    ).run(turn.tokens, sequence, occurredAt, event.version, session, store)
  }
  if (turn.speaker !== undefined) {
    sql(db, "INSERT OR IGNORE INTO speakers (session, store, openness, speaker) VALUES (?, ?, ?, ?)").run(
      session,
      store,
      openness,
      turn.speaker
    )
  }

  const beside = isShort(text) && previous !== undefined ? neighbour(previous.text) : ""
  for (const [part, piece] of chunksOf(text).entries()) {
    if (piece.trim() === "") continue
    const content = sha256(JSON.stringify([turn.role, turn.speaker ?? null, piece]))
    const same = sql(db, "SELECT born FROM chunks WHERE content = ? AND session = ? AND store = ?").get(
      content,
      session,
      store
    )
    if (same !== undefined) {
      sql(db, "UPDATE chunks SET sequence_end = ? WHERE born = ?").run(sequence, same.born)
      continue
    }
    const born = chunkNumber(event.version, part)
    sql(
      db,
      `INSERT INTO chunks (born, turn, id, session, store, openness, role, speaker, content, sequence, sequence_end,
        occurred_at, previous, text) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`
    ).run(
      born,
      event.version,
      id,
      session,
      store,
      openness,
      turn.role,
      turn.speaker ?? null,
      content,
      sequence,
      sequence,
      occurredAt,
      beside,
      piece
    )
    chunkText.add(db, rowOf(born, turn, openness, piece, beside, ""), filling)
  }

  // What comes next stands beside a short turn too, from now on.
  if (previous === undefined || !isShort(previous.text)) return
  const at = sql(db, "SELECT born, openness, previous, text FROM chunks WHERE born = ?").get(
    chunkNumber(before.last_born, 0)
  )
  if (at === undefined) return
  chunkText.replace(db, at.born, rowOf(at.born, previous, at.openness, at.text, at.previous, neighbour(text)), filling)
}

const forget = (db: Db, event: EventOf<"FORGET">, lookup: Lookup) => {
  const { session, stores, turns } = event.payload
  const filling = lookup.filling?.("conversation") === true
  for (const version of turns) {
    const [from, below] = chunkNumbers(version)
    for (const { born } of sql(db, "SELECT born FROM chunks WHERE born >= ? AND born < ?").all(from, below)) {
      chunkText.replace(db, born, null, filling)
    }
    sql(db, "DELETE FROM chunks WHERE born >= ? AND born < ?").run(from, below)
    sql(db, "DELETE FROM turns WHERE born = ?").run(version)
  }
  for (const store of stores) {
    sql(db, "DELETE FROM sessions WHERE session = ? AND store = ?").run(session, store)
    sql(db, "DELETE FROM speakers WHERE session = ? AND store = ?").run(session, store)
  }
}

const turnAt = (db: Db, born: number): Turn | undefined => {
  const row = sql(db, "SELECT turn FROM turns WHERE born = ?").get(born)
  return row === undefined ? undefined : (JSON.parse(row.turn) as Turn)
}

const rowOf = (
  born: number,
  turn: Turn,
  openness: number,
  text: string,
  previous: string,
  next: string
): TextIndex.TextRow => ({
  born,
  id: turn.id,
  openness,
  columns: [indexed(text), indexed(previous), indexed(next), dateWords(turn.occurredAt)]
})

/** A day as people write it, in UTC: "8 May 2023 Monday 2023-05-08". */
export const dateWords = (instant: number): string => {
  const date = new Date(instant)
  const [day, month, year] = [date.getUTCDate(), months[date.getUTCMonth()], date.getUTCFullYear()]
  return `${day} ${month} ${year} ${weekdays[date.getUTCDay()]} ${date.toISOString().slice(0, 10)}`
}

export const months = "January February March April May June July August September October November December".split(" ")
export const weekdays = "Sunday Monday Tuesday Wednesday Thursday Friday Saturday".split(" ")

const isShort = (text: string): boolean => text.length <= shortLength && (text.match(/\S+/gu)?.length ?? 0) <= shortTurn

const neighbour = (text: string): string => {
  const words = (text.slice(0, 2 * neighbourLength).match(/\S+/gu) ?? []).slice(0, neighbourWords).join(" ")
  return words.slice(0, neighbourLength).replace(/[\ud800-\udbff]$/u, "")
}
