import { floorOf, type TrustLevel } from "../events/Trust.js"
import { type Db, sql } from "./Projection.js"

/**
 * Speakers by the words of their names, so that a question finds those whom it
 * names without a look at all of them: for each word and openness, how many
 * speakers of sessions have it. A whole name is one word more (`wholeName`).
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

/** Takes away whoever spoke in a session. */
export const removeSpeakers = (db: Db, session: string, store: string) => {
  const gone = sql(db, "SELECT openness, speaker FROM speakers WHERE session = ? AND store = ?").all(session, store)
  for (const { openness, speaker } of gone) {
    for (const word of keysOf(speaker)) {
      sql(db, "UPDATE speaker_words SET speakers = speakers - 1 WHERE word = ? AND openness = ?").run(word, openness)
      sql(db, "DELETE FROM speaker_words WHERE word = ? AND openness = ? AND speakers = 0").run(word, openness)
    }
  }
  sql(db, "DELETE FROM speakers WHERE session = ? AND store = ?").run(session, store)
}

/** A whole name as it is kept beside its words; none of them has such a sign. */
const wholeName = (words: ReadonlyArray<string>): string => `=${words.join(" ")}`

const keysOf = (speaker: string): ReadonlySet<string> => {
  const words = nameWords(speaker)
  return new Set(words.length === 0 ? [] : [...words, wholeName(words)])
}

/** What a text names of speakers. */
export interface NamedSpeakers {
  /** Words of it that are words of a speaker's name. */
  readonly words: ReadonlySet<string>
  /** Those among them that stand in a row with all others of a name. */
  readonly whole: ReadonlySet<string>
  /** Each of those rows. */
  readonly rows: ReadonlyArray<ReadonlyArray<string>>
}

/** The words of a text that are words of a speaker's name, as far as a level may know speakers. */
export const findNameWords = (db: Db, level: TrustLevel, text: string): NamedSpeakers => {
  const said = nameWords(text)
  const rows = said.flatMap((_, at) =>
    Array.from({ length: Math.min(longestRow, said.length - at) }, (_, more) => said.slice(at, at + more + 1))
  )
  const inside = said.flatMap((word) => (unspacedAlone.test(word) ? insides(word) : []))
  const asked = new Set([...said, ...inside, ...rows.map(wholeName)])
  const found = new Set<string>(
    sql(db, "SELECT DISTINCT word FROM speaker_words WHERE word IN (SELECT value FROM json_each(?)) AND openness >= ?")
      .all(JSON.stringify([...asked]), floorOf(level))
      .map((row) => row.word)
  )
  const whole = rows.filter((row) => found.has(wholeName(row)))
  return {
    words: new Set([...found].filter((word) => !word.startsWith("="))),
    whole: new Set(whole.flat()),
    rows: whole
  }
}

/** Words of the longest name that is known as a whole. */
const longestRow = 5

/** The words by which somebody is named: NFKC, lower case, of two characters and more; another script begins another word. */
export const nameWords = (text: string): ReadonlyArray<string> =>
  (text.normalize("NFKC").toLowerCase().match(word) ?? []).filter((one) => one.length > 1)

/** What may be a name inside of a run that is written without spaces. */
const insides = (run: string): ReadonlyArray<string> => {
  const characters = [...run].slice(0, searchedRun)
  return characters.flatMap((_, at) =>
    Array.from({ length: longestName - 1 }, (_, more) => characters.slice(at, at + 2 + more).join(""))
  )
}

const searchedRun = 64
/** Characters of the longest name that is looked for inside of a run. */
const longestName = 6

const scripts = "\\p{Script=Han}\\p{Script=Hiragana}\\p{Script=Katakana}\\p{Script=Thai}\\p{Script=Lao}ー々"
const word = new RegExp(`[${scripts}][${scripts}\\p{M}]*|(?:(?![${scripts}])[\\p{L}\\p{N}\\p{M}])+`, "gu")
const unspacedAlone = new RegExp(`^[${scripts}]`, "u")
