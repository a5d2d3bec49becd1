import { imagesOf } from "../events/catalogue.js"
import { minOpennessOf, type ReadingLevel } from "../events/Trust.js"
import {
  editCost,
  letterBits,
  maxEditsOf,
  maxLetters,
  mayBeWithin,
  minLetters,
  spelledWordsOf
} from "../text/normalise/spelling.js"
import type { SimilarWord } from "./hybridSearch.js"
import { type Db, floorSql, indexesByLevel, type Projection, sql } from "./Projection.js"

/**
 * The words of memories, to correct misspelt words of queries. `openness` is that of the most open memory that ever had
 * the word. Words stay when their memory changes, as its earlier states do in `observations`; a search uses only words
 * that full text still finds for the reader.
 *
 * `vocabulary_state` sums the hashes of all words, so that a process knows whether the words that it wrote are stored.
 */
export const vocabulary: Projection = {
  name: "vocabulary",
  version: 1,
  handles: ["ADD", "UPDATE", "DELETE", "COMPRESS"],
  tables: `CREATE TABLE vocabulary (word TEXT PRIMARY KEY, reversed TEXT NOT NULL, letters INTEGER NOT NULL,
      openness INTEGER NOT NULL) WITHOUT ROWID;
    CREATE TABLE vocabulary_state (sum INTEGER NOT NULL);
    INSERT INTO vocabulary_state (sum) VALUES (0);`,
  indexes: `${indexesByLevel("vocabulary_start", "vocabulary (letters, word)")}
    ${indexesByLevel("vocabulary_end", "vocabulary (letters, reversed)")}`,
  drop: () => "DROP TABLE vocabulary; DROP TABLE vocabulary_state",
  apply: (db, event, lookup) => {
    for (const memory of imagesOf(event)) {
      if (memory.status !== "active") continue
      const { facts, narrative = "", people, tags, title } = memory
      addWords(db, [title, narrative, ...facts, ...tags, ...people].join("\n"), lookup.opennessOf(memory))
    }
  },
  digest: (db, digest) => {
    digest.query(db, "SELECT * FROM vocabulary ORDER BY word")
    digest.query(db, "SELECT * FROM vocabulary_state")
  },
  // The words of inactive memories are history.
  stateDigest: () => {}
}

/** Words that a connection has stored or found stored, with their openness. Saves a look-up for most words of a write. */
interface KnownWords {
  /** The sum in `vocabulary_state` that belongs to them. A transaction that was rolled back leaves another one. */
  sum: number
  readonly words: Map<string, number>
}

const knownWords = new WeakMap<Db, KnownWords>()

/** Maximum known words of a connection, about 100 bytes each. */
const maxKnownWords = 20_000

const addWords = (db: Db, text: string, openness: number) => {
  const storedSum: number = sql(db, "SELECT sum FROM vocabulary_state").pluck().get()
  let known = knownWords.get(db)
  if (known === undefined || known.sum !== storedSum || known.words.size > maxKnownWords) {
    known = { sum: storedSum, words: new Map() }
    knownWords.set(db, known)
  }
  for (const word of spelledWordsOf(text)) {
    if ((known.words.get(word) ?? -1) >= openness) continue
    const stored: number | undefined = sql(db, "SELECT openness FROM vocabulary WHERE word = ?").pluck().get(word)
    if (stored === undefined) {
      sql(db, "INSERT INTO vocabulary (word, reversed, letters, openness) VALUES (?, ?, ?, ?)").run(
        ...[word, reversed(word), word.length, openness]
      )
    } else if (stored < openness) sql(db, "UPDATE vocabulary SET openness = ? WHERE word = ?").run(openness, word)
    if ((stored ?? -1) < openness) known.sum = (known.sum + hashOf(word, openness)) % maxSum
    known.words.set(word, Math.max(openness, stored ?? 0))
  }
  // By row number: an update that might change several rows opens a savepoint, and FTS5 flushes its pending postings.
  if (known.sum !== storedSum) sql(db, "UPDATE vocabulary_state SET sum = ? WHERE rowid = 1").run(known.sum)
}

const reversed = (word: string): string => [...word].reverse().join("")

/** FNV-1a of a word and its openness, 32 bits. */
export const hashOf = (word: string, openness: number): number => {
  let hash = 0x811c9dc5 ^ openness
  for (let index = 0; index < word.length; index++) hash = Math.imul(hash ^ word.charCodeAt(index), 0x01000193)
  return hash >>> 0
}
/** The sum of `vocabulary_state` is modulo this number. */
export const maxSum = 2 ** 48

/**
 * The words of readable memories that resemble a misspelt word, the most similar first. Up to 7 letters it may differ by
 * one edit, above by two; two edits in the first and in the last third of a word are not found.
 */
export const findSimilarWords = (db: Db, level: ReadingLevel, typed: string): ReadonlyArray<SimilarWord> => {
  const maxEdits = maxEditsOf(typed.length)
  if (maxEdits === 0 || typed.length > maxLetters) return []
  const oneEdit = similarWords(db, level, typed, 1, Math.floor(typed.length / 2))
  return oneEdit.length > 0 || maxEdits === 1
    ? oneEdit
    : similarWords(db, level, typed, 2, Math.max(3, Math.floor(typed.length / 3)))
}

/** The words within some edits that share this many letters at one end, or differ only by exchanged neighbours. */
const similarWords = (
  db: Db,
  level: ReadingLevel,
  typed: string,
  maxEdits: number,
  sharedLetters: number
): ReadonlyArray<SimilarWord> => {
  const floor = floorSql(level)
  const bits = letterBits(typed)
  const found = new Set<string>(
    sql(db, `SELECT word FROM vocabulary WHERE word IN (SELECT value FROM json_each(?)) AND openness >= ?`)
      .pluck()
      .all(JSON.stringify(withExchangedNeighbours(typed)), minOpennessOf(level))
  )
  const ends = [
    ["word", typed.slice(0, sharedLetters)],
    // The longer half, so that each edit spares one of the ends.
    ["reversed", reversed(typed).slice(0, maxEdits === 1 ? typed.length - sharedLetters : sharedLetters)]
  ] as const
  for (let length = Math.max(minLetters, typed.length - maxEdits); length <= typed.length + maxEdits; length++) {
    for (const [column, start] of ends) {
      const rows: ReadonlyArray<string> = sql(
        db,
        `SELECT word FROM vocabulary WHERE ${floor} AND letters = ? AND ${column} >= ? AND ${column} < ? LIMIT ${maxRows}`
      )
        .pluck()
        .all(length, start, `${start}\u{10ffff}`)
      for (const word of rows) if (mayBeWithin(bits, letterBits(word), maxEdits)) found.add(word)
    }
  }
  return [...found]
    .map((word) => ({ word, cost: editCost(typed, word, maxEdits) }))
    .filter(({ cost }) => cost < Number.POSITIVE_INFINITY)
    .sort((a, b) => a.cost - b.cost || (a.word < b.word ? -1 : 1))
}

/** Maximum words of one length with the same start or end that are compared. */
const maxRows = 150

const withExchangedNeighbours = (word: string): ReadonlyArray<string> =>
  Array.from(
    { length: word.length - 1 },
    (_, index) => word.slice(0, index) + word[index + 1]! + word[index]! + word.slice(index + 2)
  )
