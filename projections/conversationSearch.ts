import type { Media } from "../events/File.js"
import { minOpennessOf, opennessOf, type Store, type TrustLevel } from "../events/Trust.js"
import type { Role } from "../events/Turn.js"
import { chunkNumbersPerTurn } from "../text/normalise/chunks.js"
import { chunkTextIndex } from "./chunkText.js"
import { chunkVectorIndex } from "./chunkVectors.js"
import {
  type Condition,
  type Corpus,
  findHits,
  type HitScores,
  type HitsQuery,
  likePattern,
  noRequiredWords,
  type RequiredWords,
  requiredCondition,
  type SubstringQuery,
  substringCondition
} from "./hybridSearch.js"
import { type Db, sql } from "./Projection.js"
import { personKey } from "./people.js"

/** Filters of a conversation search. The values of a list are alternatives; times are milliseconds. */
export interface ChunkFilters {
  readonly sessions?: ReadonlyArray<string>
  readonly stores?: ReadonlyArray<Store>
  readonly speakers?: ReadonlyArray<string>
  readonly roles?: ReadonlyArray<Role>
  /** Selects only turns, files, notes or scratchpads. */
  readonly kinds?: ReadonlyArray<Chunk["kind"]>
  /** Selects notes by their tags. */
  readonly tags?: ReadonlyArray<string>
  /** Tags that a note must all have. */
  readonly allTags?: ReadonlyArray<string>
  readonly after?: number
  readonly before?: number
  /** More filters, which a chunk must also match. */
  readonly and?: ChunkFilters
  /** Excludes chunks that match one of these lists. */
  readonly not?: ChunkListFilters
}

export type ChunkListFilters = Pick<
  ChunkFilters,
  "sessions" | "stores" | "speakers" | "roles" | "kinds" | "tags" | "allTags"
>

/** The fields that all kinds of chunks have. */
interface ChunkBase {
  readonly born: number
  /** The id of the chunk's turn, file, note or scratchpad. */
  readonly id: string
  readonly store: Store
  /** When the words were first said, or the file was changed, in milliseconds since the epoch. */
  readonly occurredAt: number
  /** When the words were last said. */
  readonly lastAt: number
  readonly text: string
}

/** A chunk of a turn. */
export interface TurnChunk extends ChunkBase {
  readonly kind: "turn"
  readonly session: string
  readonly role: Role
  readonly speaker: string | null
  /** The sequence numbers of the first and the last turn with these words. */
  readonly sequence: number
  readonly sequenceEnd: number
  readonly file?: undefined
}

/** A chunk of a file. */
export interface FileChunk extends ChunkBase {
  readonly kind: "file"
  /** The session to which the file belongs, or null. */
  readonly session: string | null
  /** The file, and the first and last line of the chunk, from 1. */
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

/** A piece of a note or a scratchpad. */
export interface TextChunk extends ChunkBase {
  readonly kind: "note" | "scratchpad"
  /** The namespace of the note, or the session of the scratchpad. */
  readonly session: string | null
  readonly file?: undefined
  readonly role?: undefined
  readonly speaker?: undefined
  readonly sequence?: undefined
  readonly sequenceEnd?: undefined
}

export type Chunk = TurnChunk | FileChunk | TextChunk

/** The SQL expression for the kind of a chunk (alias `o`). */
const kindSql = "CASE WHEN o.path IS NOT NULL THEN 'file' ELSE coalesce(o.media, 'turn') END"

/** The corpus of chunks of turns, files, notes and scratchpads. */
export const chunkCorpus: Corpus = {
  table: "chunks",
  text: chunkTextIndex,
  vectors: chunkVectorIndex,
  rowNumbersPerItem: chunkNumbersPerTurn
}

/** The properties of a chunk that ranking needs. The text is read later, only for the hits that are shown. */
export interface ChunkFacts extends Pick<ChunkBase, "born" | "store" | "occurredAt" | "lastAt"> {
  readonly kind: Chunk["kind"]
  readonly session: string | null
  readonly role: Role | null
  readonly speaker: string | null
  readonly sequence: number | null
  readonly sequenceEnd: number | null
  /** Length of the text, in characters. */
  readonly length: number
}

/** A chunk that the full-text or the vector search found, with the properties that ranking needs. */
export interface ChunkCandidate extends HitScores {
  readonly chunk: ChunkFacts
  readonly openness: number
  /** When the words were last said, in milliseconds. */
  readonly time: number
}

/** Finds chunks by full text and by vectors. Returns only chunks that the level may read. */
export const findChunkCandidates = (
  db: Db,
  { filters, ...query }: HitsQuery & { readonly filters: ChunkFilters }
): ReadonlyArray<ChunkCandidate> =>
  chunkCandidatesOf(db, findHits(db, chunkCorpus, conditionOf(query.level, filters), query))

/** Adds to each hit the properties that ranking needs. */
export const chunkCandidatesOf = (db: Db, hits: ReadonlyArray<HitScores>): ReadonlyArray<ChunkCandidate> => {
  const facts = new Map<number, ChunkFacts>(
    sql(
      db,
      `SELECT born, ${kindSql} AS kind, session, store, role, speaker, sequence,
        sequence_end AS sequenceEnd, occurred_at AS occurredAt, last_at AS lastAt, length(text) AS length
        FROM chunks o WHERE born IN (SELECT value FROM json_each(?))`
    )
      .all(JSON.stringify(hits.map(({ born }) => born)))
      .map((row) => [row.born, row])
  )
  return hits.flatMap((hit) => {
    const chunk = facts.get(hit.born)
    return chunk === undefined ? [] : [{ ...hit, chunk, openness: opennessOf(chunk.store), time: chunk.lastAt }]
  })
}

/** The row numbers of chunks that pass the filters: the first such chunk of each turn or file, newest first. */
export const findRecentChunks = (
  db: Db,
  level: TrustLevel,
  filters: ChunkFilters,
  limit: number,
  words: RequiredWords = noRequiredWords
): ReadonlyArray<number> => {
  const condition = conditionOf(level, filters)
  const required = requiredCondition(chunkCorpus, level, words)
  const rows = sql(
    db,
    `SELECT born, turn FROM chunks o WHERE ${condition.sql}${required.sql} ORDER BY last_at DESC, turn DESC, born`
  ).iterate(...condition.params, ...required.params) as Iterable<{ readonly born: number; readonly turn: number }>
  const born: Array<number> = []
  let lastTurn: number | undefined
  for (const row of rows) {
    if (row.turn === lastTurn) continue
    lastTurn = row.turn
    born.push(row.born)
    if (born.length === limit) break
  }
  return born
}

/**
 * Substring search, newest first. Used if the query has no words for the full-text search, or if the full-text index is
 * damaged.
 */
export const findChunksBySubstring = (
  db: Db,
  level: TrustLevel,
  filters: ChunkFilters,
  { allOf = [], anyOf, noneOf = [], required = noRequiredWords }: SubstringQuery,
  limit: number
): ReadonlyArray<number> => {
  const condition = conditionOf(level, filters)
  const words = requiredCondition(chunkCorpus, level, required)
  const matches = substringCondition("text LIKE ? ESCAPE '\\'", { allOf, anyOf, noneOf })
  return sql(
    db,
    `SELECT min(born) AS born FROM chunks o WHERE ${condition.sql}${words.sql} AND ${matches}
      GROUP BY turn ORDER BY turn DESC LIMIT ?`
  )
    .all(...condition.params, ...words.params, ...[...allOf, ...anyOf, ...noneOf].map(likePattern), limit)
    .map((row) => row.born)
}

/** Chunks by their row numbers, in the requested order. */
export const readChunks = (db: Db, born: ReadonlyArray<number>): ReadonlyArray<Chunk> => {
  const rows = chunksByNumber(db, born)
  return born.flatMap((number) => rows.get(number) ?? [])
}

const chunksByNumber = (db: Db, born: ReadonlyArray<number>): ReadonlyMap<number, Chunk> =>
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
  if (row.media !== null) return { kind: row.media, born, id, session, store, occurredAt, lastAt, text }
  const { role, sequence, sequence_end: sequenceEnd, speaker } = row
  return { kind: "turn", born, id, session, store, role, speaker, sequence, sequenceEnd, occurredAt, lastAt, text }
}

const conditionOf = (level: TrustLevel, filters: ChunkFilters): Condition => {
  const parts: Array<string> = []
  const params: Array<unknown> = []
  for (let filter: ChunkFilters | undefined = filters; filter !== undefined; filter = filter.and) {
    for (const { sql, values } of listConditions(filter)) {
      parts.push(sql)
      params.push(...values)
    }
    for (const { sql, values } of listConditions(filter.not ?? {})) {
      // IS NOT TRUE also keeps rows where the column is NULL: turns without a speaker, files without a role.
      parts.push(`(${sql}) IS NOT TRUE`)
      params.push(...values)
    }
    if (filter.after !== undefined || filter.before !== undefined) {
      // A chunk with repeated words matches if its first or its last time is in the span.
      const inSpan = (column: string) => `(${column} >= ? AND ${column} < ?)`
      parts.push(`(${inSpan("o.occurred_at")} OR ${inSpan("o.last_at")})`)
      const span = [filter.after ?? Number.MIN_SAFE_INTEGER, filter.before ?? Number.MAX_SAFE_INTEGER]
      params.push(...span, ...span)
    }
  }
  return {
    matchesAll: parts.length === 0,
    sql: ["o.openness >= ?", ...parts].join(" AND "),
    params: [minOpennessOf(level), ...params]
  }
}

/** One SQL condition for each list that is not empty. */
const listConditions = ({
  allTags = [],
  kinds = [],
  roles = [],
  sessions = [],
  speakers = [],
  stores = [],
  tags = []
}: ChunkListFilters) => {
  const lists = [
    ["o.session", sessions],
    ["o.store", stores],
    ["o.speaker_key", speakers.map(personKey)],
    ["o.role", roles],
    [kindSql, kinds]
  ] as const
  const placeholders = (values: ReadonlyArray<string>) => values.map(() => "?").join(", ")
  const tagged = [tags, ...allTags.map((tag) => [tag])].filter((values) => values.length > 0)
  return [
    ...lists.flatMap(([value, values]) =>
      values.length === 0 ? [] : [{ sql: `${value} IN (${placeholders(values)})`, values }]
    ),
    ...tagged.map((values) => ({
      sql: `(o.media = 'note' AND EXISTS (SELECT 1 FROM observations m, json_each(m.tags) t
        WHERE m.id = o.id AND m.active = 1 AND t.value IN (${placeholders(values)})))`,
      values
    }))
  ]
}
