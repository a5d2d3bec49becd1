import type { DaybookEvent } from "../events/catalogue.js"
import { sha256 } from "../events/sha256.js"
import type { Turn } from "../events/Turn.js"
import { bounds, cutBytes } from "../text/normalise/bounds.js"
import { chunkNumber, chunkTextsOf } from "../text/normalise/chunks.js"
import { toIndexText } from "../text/normalise/indexText.js"
import { dateWords } from "../text/when/dateWords.js"
import { chunkTextIndex } from "./chunkText.js"
import { type Db, type Lookup, sql } from "./Projection.js"
import { personKey } from "./people.js"
import { addSpeaker } from "./speakers.js"

/**
 * Maximum words of a short turn, which is indexed with its neighbours. For longer turns, neighbours made results
 * worse.
 */
const shortTurnWords = 60
/** The limit of a short turn in characters, for scripts without spaces. */
const shortTurnCharacters = 450
/** Maximum words and characters of each neighbour that is indexed with a short turn. */
const neighbourWords = 30
const neighbourCharacters = 240

type TurnEvent = Extract<DaybookEvent, { type: "TURN" }>

/**
 * Adds a turn to its session and indexes its chunks. The text of the turn is also indexed as the next neighbour of the
 * previous turn.
 */
export const addTurn = (db: Db, event: TurnEvent, lookup: Lookup) => {
  const { turn } = event.payload
  const { id, occurredAt, sequence, session, store, text } = turn
  const openness = lookup.opennessOf(turn)
  const filling = lookup.isFilledLater?.("conversation") === true
  const lastTurn = sql(
    db,
    "SELECT last_chunk, t.turn FROM sessions s JOIN turns t ON t.born = s.last_born WHERE s.session = ? AND s.store = ?"
  ).get(session, store)
  const previous = lastTurn === undefined ? undefined : (JSON.parse(lastTurn.turn) as Turn).text

  sql(
    db,
    `INSERT INTO turns (born, id, session, store, openness, sequence, occurred_at, turn) VALUES (?, ?, ?, ?, ?, ?, ?, ?)`
  ).run(event.version, id, session, store, openness, sequence, occurredAt, JSON.stringify(turn))
  if (turn.speaker !== undefined) addSpeaker(db, session, store, openness, turn.speaker)

  const neighbour = isShort(text) && previous !== undefined ? neighbourText(previous) : ""
  let firstChunk = 0
  for (const [part, piece] of piecesOf(turn).entries()) {
    if (piece.trim() === "") continue
    // The same words after a different turn are a different answer. If the earlier turn with these words began its
    // session, its chunk has no previous turn. So also look for the words without a previous turn.
    const contentAfter = (before: string) =>
      sha256(JSON.stringify([session, store, turn.role, turn.speaker ?? null, piece, before]))
    const content = contentAfter(neighbour)
    const repeated = chunkOf(db, content) ?? (neighbour === "" ? undefined : chunkOf(db, contentAfter("")))
    const born = repeated?.born ?? chunkNumber(event.version, part)
    if (part === 0) firstChunk = born
    if (repeated !== undefined) {
      sql(db, "UPDATE chunks SET sequence_end = ?, last_at = ?, previous = ?, content = ? WHERE born = ?").run(
        sequence,
        occurredAt,
        neighbour,
        content,
        born
      )
      reindex(db, { ...repeated, last_at: occurredAt, previous: neighbour }, filling)
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
      neighbour,
      piece
    )
    const row = { born, id, openness, occurred_at: occurredAt, last_at: occurredAt, previous: neighbour, next: "" }
    chunkTextIndex.add(db, textRowOf({ ...row, text: piece }), filling)
  }

  updateSession(db, event, { openness, firstChunk, isNew: lastTurn === undefined })
  // From now on, a short previous turn is indexed together with this turn.
  if (previous !== undefined && isShort(previous)) addNext(db, lastTurn.last_chunk, neighbourText(text), filling)
}

const updateSession = (
  db: Db,
  event: TurnEvent,
  { firstChunk, isNew, openness }: { readonly openness: number; readonly firstChunk: number; readonly isNew: boolean }
) => {
  const { occurredAt, sequence, session, store, tokens } = event.payload.turn
  // An upsert or an unconditional update would make FTS5 flush its pending postings.
  if (isNew) {
    sql(
      db,
      `INSERT INTO sessions (session, store, openness, turns, tokens, sequence, started_at, last_at, last_born, last_chunk)
        VALUES (?, ?, ?, 1, ?, ?, ?, ?, ?, ?)`
    ).run(session, store, openness, tokens, sequence, occurredAt, occurredAt, event.version, firstChunk)
  } else {
    sql(
      db,
      `UPDATE sessions SET turns = turns + 1, tokens = tokens + ?, sequence = ?, last_at = max(last_at, ?), last_born = ?,
        last_chunk = ? WHERE session = ? AND store = ?`
    ).run(tokens, sequence, occurredAt, event.version, firstChunk, session, store)
  }
}

/** The pieces of a turn's text, and then those of each tool call: its name, its arguments and its result. */
const piecesOf = ({ text, toolCalls = [] }: Turn): ReadonlyArray<string> => {
  let remaining: number = bounds.indexedBytes
  const texts = [
    text,
    ...toolCalls.map(({ arguments: input, name, result }) => [name, input, result].filter(Boolean).join("\n"))
  ]
  return texts.flatMap((whole) => {
    const indexed = cutBytes(whole, remaining)
    remaining -= Buffer.byteLength(indexed)
    return chunkTextsOf(indexed)
  })
}

/** The columns of a chunk that its full-text row is made from. */
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

/**
 * Stores the beginning of the next turn as a neighbour of a chunk. A chunk with repeated words keeps its first and its
 * last next turn.
 */
const addNext = (db: Db, born: number, next: string, filling: boolean) => {
  const row = sql(db, `${selectRow} WHERE born = ?`).get(born) as ChunkRow | undefined
  if (row === undefined) return
  const [first = ""] = row.next.split("\n")
  const neighbours = first === "" || first === next ? next : `${first}\n${next}`
  if (neighbours === row.next) return
  sql(db, "UPDATE chunks SET next = ? WHERE born = ?").run(neighbours, born)
  reindex(db, { ...row, next: neighbours }, filling)
}

const reindex = (db: Db, row: ChunkRow, filling: boolean) =>
  chunkTextIndex.replace(db, row.born, textRowOf(row), filling)

const textRowOf = ({ born, id, last_at, next, occurred_at, openness, previous, text }: ChunkRow) => {
  const [first, last] = [dateWords(occurred_at), dateWords(last_at)]
  const days = first === last ? first : `${first} ${last}`
  return { born, id, openness, columns: [toIndexText(text), toIndexText(previous), toIndexText(next), days] }
}

const isShort = (text: string): boolean =>
  text.length <= shortTurnCharacters && (text.match(/\S+/gu)?.length ?? 0) <= shortTurnWords

/** The beginning of a neighbouring turn, on one line. */
const neighbourText = (text: string): string => {
  const words = (text.slice(0, 2 * neighbourCharacters).match(/\S+/gu) ?? []).slice(0, neighbourWords).join(" ")
  return words.slice(0, neighbourCharacters).replace(/[\ud800-\udbff]$/u, "")
}
