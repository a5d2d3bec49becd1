import type { Media } from "../events/File.js"
import { floorOf, opennessOf, type Store, type TrustLevel } from "../events/Trust.js"
import type { Role } from "../events/Turn.js"
import { numbersPerTurn } from "../text/normalise/chunks.js"
import { chunkText } from "./chunkText.js"
import { chunkVectorIndex } from "./chunkVectors.js"
import {
  type Condition,
  type Corpus,
  containing,
  findHits,
  type HitScores,
  type HitsQuery,
  holding,
  type Needles,
  nothingRequired,
  type Required,
  requiring
} from "./hits.js"
import { type Db, sql } from "./Projection.js"
import { personKey } from "./people.js"

/** What narrows a search of conversations. Lists are alternatives; times are milliseconds. */
export interface ChunkFilters {
  readonly sessions?: ReadonlyArray<string>
  readonly stores?: ReadonlyArray<Store>
  readonly speakers?: ReadonlyArray<string>
  readonly roles?: ReadonlyArray<Role>
  /** Turns alone, or files alone. */
  readonly kinds?: ReadonlyArray<Chunk["kind"]>
  readonly after?: number
  readonly before?: number
  /** What must hold as well. */
  readonly and?: ChunkFilters
  /** What has one of these is left out. */
  readonly not?: ChunkLists
}

export type ChunkLists = Pick<ChunkFilters, "sessions" | "stores" | "speakers" | "roles" | "kinds">

/** What pieces of turns and of files have in common. */
interface Piece {
  readonly born: number
  /** The id of its turn or file. */
  readonly id: string
  readonly store: Store
  /** When it was said first, or the file was changed, milliseconds since the epoch. */
  readonly occurredAt: number
  /** When it was said last. */
  readonly lastAt: number
  readonly text: string
}

/** A piece of a turn, with what ranking needs to know of it. */
export interface TurnChunk extends Piece {
  readonly kind: "turn"
  readonly session: string
  readonly role: Role
  readonly speaker: string | null
  /** The turn in which it was said first, and the one in which it was said last. */
  readonly sequence: number
  readonly sequenceEnd: number
  readonly file?: undefined
}

/** A piece of a file. */
export interface FileChunk extends Piece {
  readonly kind: "file"
  /** The session that the file belongs to. */
  readonly session: string | null
  /** Where it stands: the lines in which it begins and ends, from 1. */
  readonly file: {
    readonly path: string
    readonly media: Media
    readonly line: number
    readonly lineEnd: number
  }
  readonly role?: undefined
  readonly speaker?: undefined
  readonly sequence?: undefined
  readonly sequenceEnd?: undefined
}

export type Chunk = TurnChunk | FileChunk

/** Chunks of turns and files, as they are searched. */
export const chunks: Corpus = { table: "chunks", text: chunkText, vectors: chunkVectorIndex, rowsOfOne: numbersPerTurn }

/** What ranking needs to know of a piece: few of those that are found are shown, and only these are read whole. */
export interface ChunkFacts extends Pick<Piece, "born" | "store" | "occurredAt" | "lastAt"> {
  readonly kind: Chunk["kind"]
  readonly session: string | null
  readonly role: Role | null
  readonly speaker: string | null
  readonly sequence: number | null
  readonly sequenceEnd: number | null
  /** Characters of its text. */
  readonly length: number
}

/** A chunk that full text or vectors brought up. */
export interface FoundChunk extends HitScores {
  readonly chunk: ChunkFacts
  readonly openness: number
  /** When it was said last, milliseconds. */
  readonly time: number
}

/** What full text and vectors find among the chunks that a level may read. */
export const findChunks = (
  db: Db,
  { filters, ...query }: HitsQuery & { readonly filters: ChunkFilters }
): ReadonlyArray<FoundChunk> => foundChunks(db, findHits(db, chunks, conditionOf(query.level, filters), query))

/** Hits with what ranking needs to know of each. */
export const foundChunks = (db: Db, hits: ReadonlyArray<HitScores>): ReadonlyArray<FoundChunk> => {
  const facts = new Map<number, ChunkFacts>(
    sql(
      db,
      `SELECT born, iif(path IS NULL, 'turn', 'file') AS kind, session, store, role, speaker, sequence,
        sequence_end AS sequenceEnd, occurred_at AS occurredAt, last_at AS lastAt, length(text) AS length
        FROM chunks WHERE born IN (SELECT value FROM json_each(?))`
    )
      .all(JSON.stringify(hits.map(({ born }) => born)))
      .map((row) => [row.born, row])
  )
  return hits.flatMap((hit) => {
    const chunk = facts.get(hit.born)
    return chunk === undefined ? [] : [{ ...hit, chunk, openness: opennessOf(chunk.store), time: chunk.lastAt }]
  })
}

/** The newest chunks that pass the filters. */
export const findRecentChunks = (
  db: Db,
  level: TrustLevel,
  filters: ChunkFilters,
  limit: number,
  words: Required = nothingRequired
): ReadonlyArray<number> => {
  const condition = conditionOf(level, filters)
  const required = requiring(chunks, level, words)
  const rows = sql(
    db,
    `SELECT born, turn FROM chunks o WHERE ${condition.sql}${required.sql} ORDER BY last_at DESC, turn DESC, born`
  ).iterate(...condition.params, ...required.params) as Iterable<{ readonly born: number; readonly turn: number }>
  const born: Array<number> = []
  let last: number | undefined
  for (const row of rows) {
    // The first piece of a turn stands for it.
    if (row.turn === last) continue
    last = row.turn
    born.push(row.born)
    if (born.length === limit) break
  }
  return born
}

/** Substring search, newest first: where full text has no words to look for, or its index is out of order. */
export const findChunksLike = (
  db: Db,
  level: TrustLevel,
  filters: ChunkFilters,
  { all = [], any, none = [], required = nothingRequired }: Needles,
  limit: number
): ReadonlyArray<number> => {
  const condition = conditionOf(level, filters)
  const words = requiring(chunks, level, required)
  const holds = holding("text LIKE ? ESCAPE '\\'", { all, any, none })
  return sql(
    db,
    `SELECT min(born) AS born FROM chunks o WHERE ${condition.sql}${words.sql} AND ${holds}
      GROUP BY turn ORDER BY turn DESC LIMIT ?`
  )
    .all(...condition.params, ...words.params, ...[...all, ...any, ...none].map(containing), limit)
    .map((row) => row.born)
}

/** Pieces by their row numbers, in the order asked for. */
export const readChunks = (db: Db, born: ReadonlyArray<number>): ReadonlyArray<Chunk> => {
  const rows = chunksAt(db, born)
  return born.flatMap((one) => rows.get(one) ?? [])
}

const chunksAt = (db: Db, born: ReadonlyArray<number>): ReadonlyMap<number, Chunk> =>
  new Map(
    sql(
      db,
      `SELECT born, id, session, store, role, speaker, sequence, sequence_end, path, media, line, line_end, occurred_at,
        last_at, text FROM chunks WHERE born IN (SELECT value FROM json_each(?))`
    )
      .all(JSON.stringify(born))
      .map((row) => [row.born, chunkOf(row)])
  )

// biome-ignore lint/suspicious/noExplicitAny: a row of the statement above.
const chunkOf = (row: any): Chunk => {
  const { born, id, last_at: lastAt, occurred_at: occurredAt, session, store, text } = row
  if (row.path !== null) {
    const file = { path: row.path, media: row.media, line: row.line, lineEnd: row.line_end }
    return { kind: "file", born, id, session, store, file, occurredAt, lastAt, text }
  }
  const { role, sequence, sequence_end: sequenceEnd, speaker } = row
  return { kind: "turn", born, id, session, store, role, speaker, sequence, sequenceEnd, occurredAt, lastAt, text }
}

const conditionOf = (level: TrustLevel, filters: ChunkFilters): Condition => {
  const parts: Array<string> = []
  const params: Array<unknown> = []
  for (let narrowing: ChunkFilters | undefined = filters; narrowing !== undefined; narrowing = narrowing.and) {
    for (const { sql, values } of listed(narrowing)) {
      parts.push(sql)
      params.push(...values)
    }
    for (const { sql, values } of listed(narrowing.not ?? {})) {
      // A turn without a speaker is nobody's, and a file has no role.
      parts.push(`(${sql}) IS NOT TRUE`)
      params.push(...values)
    }
    if (narrowing.after !== undefined || narrowing.before !== undefined) {
      // What was said more than once was said on either day.
      const within = (column: string) => `(${column} >= ? AND ${column} < ?)`
      parts.push(`(${within("o.occurred_at")} OR ${within("o.last_at")})`)
      const span = [narrowing.after ?? Number.MIN_SAFE_INTEGER, narrowing.before ?? Number.MAX_SAFE_INTEGER]
      params.push(...span, ...span)
    }
  }
  return {
    open: parts.length === 0,
    sql: ["o.openness >= ?", ...parts].join(" AND "),
    params: [floorOf(level), ...params]
  }
}

/** A condition for each list that names something. */
const listed = ({ kinds = [], roles = [], sessions = [], speakers = [], stores = [] }: ChunkLists) => {
  const lists = [
    ["o.session", sessions],
    ["o.store", stores],
    ["o.speaker_key", speakers.map(personKey)],
    ["o.role", roles],
    ["iif(o.path IS NULL, 'turn', 'file')", kinds]
  ] as const
  return lists.flatMap(([value, values]) =>
    values.length === 0 ? [] : [{ sql: `${value} IN (${values.map(() => "?").join(", ")})`, values }]
  )
}
