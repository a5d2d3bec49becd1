import { afterImages } from "../events/catalogue.js"
import { stores } from "../events/Trust.js"
import { spelledWordsOf } from "../text/normalise/spelling.js"
import { type Db, type Projection, sql } from "./Projection.js"

/**
 * The words of memories, to correct misspelt words of queries, by the openness of the memories that ever had them. Words
 * stay when their memory changes, because `observations` keeps the earlier states of a memory too. A search uses only
 * words that full text still finds for the reader.
 *
 * The new words of a memory become one row of `vocabulary_recent`, because a row of `vocabulary` for each word would
 * change a different page. When more than `maxRecentWords` words are recent, all of them move to `vocabulary` and
 * `vocabulary_reversed`. These tables may already have some of the words, because a write does not search for them.
 *
 * `openness` is the first column of the keys, so that a read skips the words that it may not read. A read goes through
 * all recent rows.
 */
export const vocabulary: Projection = {
  name: "vocabulary",
  version: 2,
  handles: ["ADD", "UPDATE", "DELETE", "COMPRESS"],
  tables: `CREATE TABLE vocabulary (openness INTEGER NOT NULL, letters INTEGER NOT NULL, word TEXT NOT NULL,
      PRIMARY KEY (openness, letters, word)) WITHOUT ROWID;
    CREATE TABLE vocabulary_reversed (openness INTEGER NOT NULL, letters INTEGER NOT NULL, reversed TEXT NOT NULL,
      PRIMARY KEY (openness, letters, reversed)) WITHOUT ROWID;
    CREATE TABLE vocabulary_recent (openness INTEGER NOT NULL, words TEXT NOT NULL, hash INTEGER NOT NULL);
    INSERT INTO vocabulary_recent (openness, words, hash) VALUES (0, '[]', 0);`,
  indexes: "",
  drop: () => "DROP TABLE vocabulary; DROP TABLE vocabulary_reversed; DROP TABLE vocabulary_recent",
  apply: (db, event, lookup) => {
    for (const memory of afterImages(event)) {
      if (memory.status !== "active") continue
      const { facts, narrative = "", people, tags, title } = memory
      addWords(db, [title, narrative, ...facts, ...tags, ...people].join("\n"), lookup.opennessOf(memory))
    }
  },
  // Covers indexed and recent words alike, because the time of a move depends on the processes that write words.
  digest: (db, digest) => {
    const withRecent = (indexed: string, toIndexed: (word: string) => string) =>
      digest.rows(() => {
        const recent = recentWords(db, 0).flatMap(({ openness, words }) =>
          words.map((word) => [openness, toIndexed(word)])
        )
        const union = `SELECT * FROM ${indexed}
          UNION SELECT value ->> 0, length(value ->> 1), value ->> 1 FROM json_each(?) ORDER BY 1, 2, 3`
        return db.prepare(union).raw().iterate(JSON.stringify(recent)) as Iterable<ReadonlyArray<unknown>>
      })
    withRecent("vocabulary", (word) => word)
    withRecent("vocabulary_reversed", reverseWord)
  },
  // The words of inactive memories are history.
  stateDigest: () => {}
}

/** Maximum words of `vocabulary_recent` after a memory. A search compares all of them. */
export const maxRecentWords = 512

/** Words that a connection has stored or has found among the recent words. They include most words of a write. */
interface KnownWords {
  /** For each word, a bit for each openness (see `opennessOf`) of the memories that have it. */
  readonly opennesses: Map<string, number>
  /**
   * The hash of the newest row of `vocabulary_recent` when the words were stored, chained over all rows. After a rollback
   * or a write by another process, the stored hash differs, and the connection collects the known words again. The hash
   * changes before the row is written, so a failed write has the same effect.
   */
  hash: number
  /** The number of words in `vocabulary_recent`. */
  recent: number
}

const knownWords = new WeakMap<Db, KnownWords>()

/** Maximum known words of a connection, about 100 bytes each. */
const maxKnownWords = 20_000

const addWords = (db: Db, text: string, openness: number) => {
  const known = knownWordsOf(db)
  const added: Array<string> = []
  for (const word of spelledWordsOf(text)) {
    const opennesses = known.opennesses.get(word) ?? 0
    if ((opennesses & (1 << openness)) !== 0) continue
    known.opennesses.set(word, opennesses | (1 << openness))
    added.push(word)
  }
  if (added.length === 0) return
  addRow(db, known, openness, JSON.stringify(added))
  known.recent += added.length
  if (known.recent > maxRecentWords) moveRecent(db, known)
}

const knownWordsOf = (db: Db): KnownWords => {
  const hash: number = sql(db, "SELECT hash FROM vocabulary_recent ORDER BY rowid DESC LIMIT 1").pluck().get()
  const before = knownWords.get(db)
  if (before !== undefined && before.hash === hash && before.opennesses.size <= maxKnownWords) return before
  const opennesses = new Map<string, number>()
  let recent = 0
  for (const { openness, words } of recentWords(db, 0)) {
    for (const word of words) opennesses.set(word, (opennesses.get(word) ?? 0) | (1 << openness))
    recent += words.length
  }
  const known = { opennesses, hash, recent }
  knownWords.set(db, known)
  return known
}

const addRow = (db: Db, known: KnownWords, openness: number, words: string) => {
  known.hash = hashOf(known.hash, openness, words)
  sql(db, "INSERT INTO vocabulary_recent (openness, words, hash) VALUES (?, ?, ?)").run(openness, words, known.hash)
}

/** FNV-1a, 32 bits: continues a hash. */
const hashOf = (before: number, openness: number, words: string): number => {
  let hash = Math.imul(before ^ openness ^ 0x811c9dc5, 0x01000193)
  for (let index = 0; index < words.length; index++) hash = Math.imul(hash ^ words.charCodeAt(index), 0x01000193)
  return hash >>> 0
}

const moveRecent = (db: Db, known: KnownWords) => {
  const recent = recentWords(db, 0)
  for (let openness = 0; openness < stores.length; openness++) {
    const words = recent.flatMap((row) => (row.openness === openness ? row.words : []))
    // Sorted, so that neighbours are added to the same page.
    sql(db, "INSERT OR IGNORE INTO vocabulary SELECT ?, length(value), value FROM json_each(?) ORDER BY 2, 3").run(
      openness,
      JSON.stringify(words)
    )
    sql(
      db,
      "INSERT OR IGNORE INTO vocabulary_reversed SELECT ?, length(value), value FROM json_each(?) ORDER BY 2, 3"
    ).run(openness, JSON.stringify(words.map(reverseWord)))
  }
  db.exec("DELETE FROM vocabulary_recent")
  known.recent = 0
  addRow(db, known, 0, "[]")
}

export interface RecentWords {
  readonly openness: number
  readonly words: ReadonlyArray<string>
}

/** The recent words with at least this openness, in the order of the log. A word may occur more than once. */
export const recentWords = (db: Db, minOpenness: number): ReadonlyArray<RecentWords> =>
  sql(db, "SELECT openness, words FROM vocabulary_recent WHERE openness >= ?")
    .all(minOpenness)
    .map(({ openness, words }) => ({ openness, words: JSON.parse(words) }))

export const reverseWord = (word: string): string => [...word].reverse().join("")
