import { sha256 } from "../events/Chain.js"
import type { DaybookEvent } from "../events/catalogue.js"
import type { Turn } from "../events/Turn.js"
import { chunkNumber, chunksOf } from "../text/normalise/chunks.js"
import { indexed } from "../text/normalise/text.js"
import { chunkText, dateWords } from "./chunkText.js"
import { type Db, type Lookup, sql } from "./Projection.js"
import { personKey } from "./people.js"
import { addSpeaker } from "./speakers.js"

/** A turn of more words than this stands for itself: beside a long one neighbours did harm. */
const shortTurn = 60
/** Nor is one of more characters, for scripts that write no spaces. */
const shortLength = 450
/** Words of a neighbour that are indexed, and characters. */
const neighbourWords = 30
const neighbourLength = 240

/** Adds a turn to its session, and its chunks to what is found; the turn before it gets it as a neighbour. */
export const addTurn = (db: Db, event: Extract<DaybookEvent, { type: "TURN" }>, lookup: Lookup) => {
  const { turn } = event.payload
  const { id, occurredAt, sequence, session, store, text } = turn
  const openness = lookup.opennessOf(turn)
  const filling = lookup.filling?.("conversation") === true
  const before = sql(
    db,
    "SELECT last_chunk, t.turn FROM sessions s JOIN turns t ON t.born = s.last_born WHERE s.session = ? AND s.store = ?"
  ).get(session, store)
  const previous = before === undefined ? undefined : (JSON.parse(before.turn) as Turn).text

  sql(
    db,
    `INSERT INTO turns (born, id, session, store, openness, sequence, occurred_at, turn) VALUES (?, ?, ?, ?, ?, ?, ?, ?)`
  ).run(event.version, id, session, store, openness, sequence, occurredAt, JSON.stringify(turn))
  if (turn.speaker !== undefined) addSpeaker(db, session, store, openness, turn.speaker)

  const beside = isShort(text) && previous !== undefined ? neighbour(previous) : ""
  let firstChunk = 0
  for (const [part, piece] of chunksOf(text).entries()) {
    if (piece.trim() === "") continue
    // The same words to another question are another answer; what began a session has met nobody yet.
    const contentIn = (company: string) =>
      sha256(JSON.stringify([session, store, turn.role, turn.speaker ?? null, piece, company]))
    const content = contentIn(beside)
    const same = chunkOf(db, content) ?? (beside === "" ? undefined : chunkOf(db, contentIn("")))
    const born = same?.born ?? chunkNumber(event.version, part)
    if (part === 0) firstChunk = born
    if (same !== undefined) {
      sql(db, "UPDATE chunks SET sequence_end = ?, last_at = ?, previous = ?, content = ? WHERE born = ?").run(
        sequence,
        occurredAt,
        beside,
        content,
        born
      )
      reindex(db, { ...same, last_at: occurredAt, previous: beside }, filling)
      continue
    }
    sql(
      db,
      `INSERT INTO chunks (born, turn, id, session, store, openness, role, speaker, speaker_key, content, sequence,
        sequence_end, occurred_at, last_at, previous, next, text) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, '', ?)`
    ).run(
      born,
      event.version,
      id,
      session,
      store,
      openness,
      turn.role,
      turn.speaker ?? null,
      turn.speaker === undefined ? null : personKey(turn.speaker),
      content,
      sequence,
      sequence,
      occurredAt,
      occurredAt,
      beside,
      piece
    )
    const row = { born, id, openness, occurred_at: occurredAt, last_at: occurredAt, previous: beside, next: "" }
    chunkText.add(db, textRowOf({ ...row, text: piece }), filling)
  }

  // No upsert, and no update without a condition: either would make FTS5 write out what it has gathered.
  if (before === undefined) {
    sql(
      db,
      `INSERT INTO sessions (session, store, openness, turns, tokens, sequence, started_at, last_at, last_born, last_chunk)
        VALUES (?, ?, ?, 1, ?, ?, ?, ?, ?, ?)`
    ).run(session, store, openness, turn.tokens, sequence, occurredAt, occurredAt, event.version, firstChunk)
  } else {
    sql(
      db,
      `UPDATE sessions SET turns = turns + 1, tokens = tokens + ?, sequence = ?, last_at = max(last_at, ?), last_born = ?,
        last_chunk = ? WHERE session = ? AND store = ?`
    ).run(turn.tokens, sequence, occurredAt, event.version, firstChunk, session, store)
  }
  // What comes next stands beside a short turn too, from now on.
  if (previous !== undefined && isShort(previous)) addNext(db, before.last_chunk, neighbour(text), filling)
}

/** What the full text of a chunk is made of. */
interface ChunkRow {
  readonly born: number
  readonly id: string
  readonly openness: number
  readonly occurred_at: number
  readonly last_at: number
  readonly previous: string
  readonly next: string
  readonly text: string
}

const selectRow = "SELECT born, id, openness, occurred_at, last_at, previous, next, text FROM chunks"

const chunkOf = (db: Db, content: Buffer): ChunkRow | undefined =>
  sql(db, `${selectRow} WHERE content = ?`).get(content)

/** Beside what was said more than once stands what came next the first time and the last. */
const addNext = (db: Db, born: number, next: string, filling: boolean) => {
  const row = sql(db, `${selectRow} WHERE born = ?`).get(born) as ChunkRow | undefined
  if (row === undefined) return
  const [first = ""] = row.next.split("\n")
  const both = first === "" || first === next ? next : `${first}\n${next}`
  if (both === row.next) return
  sql(db, "UPDATE chunks SET next = ? WHERE born = ?").run(both, born)
  reindex(db, { ...row, next: both }, filling)
}

const reindex = (db: Db, row: ChunkRow, filling: boolean) => chunkText.replace(db, row.born, textRowOf(row), filling)

const textRowOf = ({ born, id, last_at, next, occurred_at, openness, previous, text }: ChunkRow) => {
  const [first, last] = [dateWords(occurred_at), dateWords(last_at)]
  const days = first === last ? first : `${first} ${last}`
  return { born, id, openness, columns: [indexed(text), indexed(previous), indexed(next), days] }
}

const isShort = (text: string): boolean => text.length <= shortLength && (text.match(/\S+/gu)?.length ?? 0) <= shortTurn

/** The beginning of what was said before or after, on one line. */
const neighbour = (text: string): string => {
  const words = (text.slice(0, 2 * neighbourLength).match(/\S+/gu) ?? []).slice(0, neighbourWords).join(" ")
  return words.slice(0, neighbourLength).replace(/[\ud800-\udbff]$/u, "")
}
