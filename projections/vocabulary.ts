import { afterImages } from "../events/catalogue.js"
import { stores } from "../events/Trust.js"
import { spelledWordsOf } from "../text/normalise/spelling.js"
import { type Db, type Projection, sql } from "./Projection.js"
import { sortInSteps } from "./sortInSteps.js"

/**
 * The words of memories, to correct misspelt words of queries, by the openness of the memories that ever had them. Words
 * stay when their memory changes, as its earlier states do in `observations`; a search uses only words that full text
 * still finds for the reader.
 *
 * Words are kept in lists, not in rows of their own, because a write of a row costs more than the rest of a new word. The
 * new words of a memory become one row of `vocabulary_recent`. When more than `maxRecent` words are recent, all of them
 * move to the lists of `vocabulary`, one for each openness, length and tier. A list that has the tier of another is merged
 * with it, so there are few lists, and a word is written again only when its list has grown fourfold.
 *
 * A read searches the lists of its lengths and of the opennesses that it may read, and all recent rows of these.
 */
export const vocabulary: Projection = {
  name: "vocabulary",
  version: 3,
  handles: ["ADD", "UPDATE", "DELETE", "COMPRESS"],
  tables: `CREATE TABLE vocabulary (openness INTEGER NOT NULL, letters INTEGER NOT NULL, tier INTEGER NOT NULL,
      words TEXT NOT NULL, PRIMARY KEY (openness, letters, tier)) WITHOUT ROWID;
    CREATE TABLE vocabulary_recent (openness INTEGER NOT NULL, words TEXT NOT NULL, hash INTEGER NOT NULL);
    INSERT INTO vocabulary_recent (openness, words, hash) VALUES (0, '', 0);`,
  indexes: "",
  drop: () => "DROP TABLE vocabulary; DROP TABLE vocabulary_recent",
  apply: (db, event, lookup) => {
    for (const memory of afterImages(event)) {
      if (memory.status !== "active") continue
      const { facts, narrative = "", people, tags, title } = memory
      addWords(db, [title, narrative, ...facts, ...tags, ...people].join("\n"), lookup.opennessOf(memory))
    }
  },
  // Covers recent words and those of lists alike. The processes that write words determine when these move.
  digest: (db, digest) =>
    digest.rows(function* () {
      for (let openness = 0; openness < stores.length; openness++) {
        for (const [letters, words] of yield* wordsByLetters(db, openness)) {
          for (const word of sortInSteps([...words], compareText)) {
            yield word === undefined ? undefined : [openness, letters, word]
          }
        }
      }
    }),
  // The words of inactive memories are history.
  stateDigest: () => {}
}

/** Maximum words of `vocabulary_recent` after a memory. A search compares all of them. */
export const maxRecent = 512

/** Words that a connection has stored, or found among the recent ones. Most words of a write are among them. */
interface KnownWords {
  /** The opennesses of each word, as bits. */
  readonly opennesses: Map<string, number>
  /**
   * The hash of the newest row of `vocabulary_recent` when they were stored, chained over all rows. After a rollback, or a
   * write of another process, the stored hash differs, and the set is made anew. It changes before the row is written, so
   * a write that fails has the same effect.
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
  addRow(db, known, openness, listOf(added))
  known.recent += added.length
  if (known.recent > maxRecent) moveRecent(db, known)
}

const knownWordsOf = (db: Db): KnownWords => {
  const hash: number = sql(db, "SELECT hash FROM vocabulary_recent ORDER BY rowid DESC LIMIT 1").pluck().get()
  const before = knownWords.get(db)
  if (before !== undefined && before.hash === hash && before.opennesses.size <= maxKnownWords) return before
  const opennesses = new Map<string, number>()
  let recent = 0
  for (const row of recentWords(db, 0)) {
    const words = wordsOf(row.words)
    for (const word of words) opennesses.set(word, (opennesses.get(word) ?? 0) | (1 << row.openness))
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
    const words = recent.flatMap((row) => (row.openness === openness ? wordsOf(row.words) : []))
    const byLetters = Map.groupBy(words, lettersOf)
    for (const [letters, added] of byLetters) addList(db, openness, letters, [...new Set(added)])
  }
  db.exec("DELETE FROM vocabulary_recent")
  known.recent = 0
  addRow(db, known, 0, "")
}

/** Stores a list of words, merged with each list that has its tier. */
const addList = (db: Db, openness: number, letters: number, added: ReadonlyArray<string>) => {
  let list = listOf(added)
  for (;;) {
    const tier = tierOf(list)
    const same: string | undefined = sql(
      db,
      "DELETE FROM vocabulary WHERE openness = ? AND letters = ? AND tier = ? RETURNING words"
    )
      .pluck()
      .get(openness, letters, tier)
    if (same === undefined) {
      sql(db, "INSERT INTO vocabulary (openness, letters, tier, words) VALUES (?, ?, ?, ?)").run(
        openness,
        letters,
        tier,
        list
      )
      return
    }
    list = listOf([...new Set([...wordsOf(same), ...wordsOf(list)])])
  }
}

/** Lists of up to 256 characters have tier 0, each further tier up to four times as many. */
const tierOf = (list: string): number => Math.max(0, Math.ceil(Math.log2(list.length / 256) / 2))

/** Words as one text, with a line break before and after each word, so that a search finds where words begin and end. */
export const listOf = (words: ReadonlyArray<string>): string => (words.length === 0 ? "" : `\n${words.join("\n")}\n`)

export const wordsOf = (list: string): ReadonlyArray<string> => (list === "" ? [] : list.slice(1, -1).split("\n"))

/** The letters of a word. One outside the Basic Multilingual Plane is one letter, not two. */
export const lettersOf = (word: string): number => [...word].length

/** The words of an openness by their letters, fewest letters first. Yields undefined between its steps. */
const wordsByLetters = function* (db: Db, openness: number): Generator<undefined, ReadonlyArray<WordsOfLetters>> {
  const byLetters = new Map<number, Set<string>>()
  const add = (letters: number, words: ReadonlyArray<string>) => {
    const before = byLetters.get(letters)
    if (before === undefined) byLetters.set(letters, new Set(words))
    else for (const word of words) before.add(word)
  }
  const lists = db.prepare("SELECT letters, words FROM vocabulary WHERE openness = ?").raw().iterate(openness)
  for (const [letters, list] of lists as Iterable<[letters: number, list: string]>) {
    add(letters, wordsOf(list))
    yield undefined
  }
  for (const row of recentWords(db, openness)) {
    if (row.openness === openness) for (const word of wordsOf(row.words)) add(lettersOf(word), [word])
  }
  return [...byLetters].sort(([a], [b]) => a - b)
}

type WordsOfLetters = readonly [letters: number, words: ReadonlySet<string>]

const compareText = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0)

/** New words of one memory or several, as `listOf` writes them. */
export interface RecentWords {
  readonly openness: number
  readonly words: string
}

/** The recent words of this openness and above, with repetitions, in the order of the log. */
export const recentWords = (db: Db, minOpenness: number): ReadonlyArray<RecentWords> =>
  sql(db, "SELECT openness, words FROM vocabulary_recent WHERE openness >= ?").all(minOpenness)
