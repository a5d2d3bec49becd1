import { minOpennessOf, type TrustLevel } from "../events/Trust.js"
import { lazy } from "../text/normalise/lazy.js"
import { type Db, sql } from "./Projection.js"

/**
 * Indexes speakers by the words of their names, so that a search finds the speakers in a question without reading all
 * speakers. For each word and openness, the table counts the speakers with that word in all sessions. A complete name
 * is stored as one more word (see `wholeName`).
 */
export const speakerTables = `CREATE TABLE speakers (session TEXT NOT NULL, store TEXT NOT NULL,
      openness INTEGER NOT NULL, speaker TEXT NOT NULL, PRIMARY KEY (session, store, speaker)) WITHOUT ROWID;
    CREATE TABLE speaker_words (word TEXT NOT NULL, openness INTEGER NOT NULL, speakers INTEGER NOT NULL,
      PRIMARY KEY (word, openness)) WITHOUT ROWID;`

export const addSpeaker = (db: Db, session: string, store: string, openness: number, speaker: string) => {
  const { changes } = sql(
    db,
    "INSERT OR IGNORE INTO speakers (session, store, openness, speaker) VALUES (?, ?, ?, ?)"
  ).run(session, store, openness, speaker)
  if (changes === 0) return
  for (const word of keysOf(speaker)) {
    sql(db, "INSERT OR IGNORE INTO speaker_words (word, openness, speakers) VALUES (?, ?, 0)").run(word, openness)
    sql(db, "UPDATE speaker_words SET speakers = speakers + 1 WHERE word = ? AND openness = ?").run(word, openness)
  }
}

/** Removes the speakers of a session. */
export const removeSpeakers = (db: Db, session: string, store: string) => {
  const removed = sql(db, "SELECT openness, speaker FROM speakers WHERE session = ? AND store = ?").all(session, store)
  for (const { openness, speaker } of removed) {
    for (const word of keysOf(speaker)) {
      sql(db, "UPDATE speaker_words SET speakers = speakers - 1 WHERE word = ? AND openness = ?").run(word, openness)
      sql(db, "DELETE FROM speaker_words WHERE word = ? AND openness = ? AND speakers = 0").run(word, openness)
    }
  }
  sql(db, "DELETE FROM speakers WHERE session = ? AND store = ?").run(session, store)
}

/** The key of a complete name. Its `=` cannot occur in a word. */
const wholeName = (words: ReadonlyArray<string>): string => `=${words.join(" ")}`

const keysOf = (speaker: string): ReadonlySet<string> => {
  const words = nameWords(speaker)
  return new Set(words.length === 0 ? [] : [...words, wholeName(words)])
}

/** The speakers' names that occur in a text. */
export interface NamedSpeakers {
  /** Words of the text that are part of a speaker's name. */
  readonly words: ReadonlySet<string>
  /** The words that belong to a complete name in the text. */
  readonly completeWords: ReadonlySet<string>
  /** The words of each complete name. */
  readonly rows: ReadonlyArray<ReadonlyArray<string>>
}

/** Finds the words and complete names of speakers in a text. Uses only speakers in the stores that a level may read. */
export const findNameWords = (db: Db, level: TrustLevel, text: string): NamedSpeakers => {
  const textWords = nameWords(text)
  const sequences = textWords.flatMap((_, start) =>
    Array.from({ length: Math.min(maxNameWords, textWords.length - start) }, (_, extraWords) =>
      textWords.slice(start, start + extraWords + 1)
    )
  )
  const inside = textWords.flatMap((word) => (startsUnspaced.test(word) ? substringsOf(word) : []))
  const keys = new Set([...textWords, ...inside, ...sequences.map(wholeName)])
  const knownKeys = new Set<string>(
    sql(db, "SELECT DISTINCT word FROM speaker_words WHERE word IN (SELECT value FROM json_each(?)) AND openness >= ?")
      .all(JSON.stringify([...keys]), minOpennessOf(level))
      .map((row) => row.word)
  )
  const wholeNames = sequences.filter((words) => knownKeys.has(wholeName(words)))
  return {
    words: new Set([...knownKeys].filter((word) => !word.startsWith("="))),
    completeWords: new Set(wholeNames.flat()),
    rows: wholeNames
  }
}

/** Maximum words of a complete name. The index finds a longer name only by its single words. */
const maxNameWords = 5

/** The words of a name: NFKC, lower case, two or more characters. A change of script starts a new word. */
export const nameWords = (text: string): ReadonlyArray<string> =>
  (text.normalize("NFKC").toLowerCase().match(wordPattern()) ?? []).filter((word) => word.length > 1)

/** Substrings that may be names, in text without spaces. */
const substringsOf = (run: string): ReadonlyArray<string> => {
  const characters = [...run].slice(0, maxRunCharacters)
  return characters.flatMap((_, start) =>
    Array.from({ length: maxNameCharacters - 1 }, (_, extraCharacters) =>
      characters.slice(start, start + 2 + extraCharacters).join("")
    )
  )
}

/** Maximum characters that are searched for names in a text without spaces. */
const maxRunCharacters = 64
/** The maximum length of a name in text without spaces, in characters. */
const maxNameCharacters = 6

const scripts = "\\p{Script=Han}\\p{Script=Hiragana}\\p{Script=Katakana}\\p{Script=Thai}\\p{Script=Lao}ー々"
const wordPattern = lazy(
  () => new RegExp(`[${scripts}][${scripts}\\p{M}]*|(?:(?![${scripts}])[\\p{L}\\p{N}\\p{M}])+`, "gu")
)
const startsUnspaced = new RegExp(`^[${scripts}]`, "u")
