import { floorOf, type TrustLevel } from "../events/Trust.js"
import { type Db, sql } from "./Projection.js"

/**
 * Speakers by the words of their names, so that a question finds those whom it
 * names without a look at all of them: for each word and openness, how many
 * speakers of sessions have it.
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
  for (const word of new Set(nameWords(speaker))) {
    sql(db, "INSERT OR IGNORE INTO speaker_words (word, openness, speakers) VALUES (?, ?, 0)").run(word, openness)
    sql(db, "UPDATE speaker_words SET speakers = speakers + 1 WHERE word = ? AND openness = ?").run(word, openness)
  }
}

/** Takes away whoever spoke in a session. */
export const removeSpeakers = (db: Db, session: string, store: string) => {
  const gone = sql(db, "SELECT openness, speaker FROM speakers WHERE session = ? AND store = ?").all(session, store)
  for (const { openness, speaker } of gone) {
    for (const word of new Set(nameWords(speaker))) {
      sql(db, "UPDATE speaker_words SET speakers = speakers - 1 WHERE word = ? AND openness = ?").run(word, openness)
      sql(db, "DELETE FROM speaker_words WHERE word = ? AND openness = ? AND speakers = 0").run(word, openness)
    }
  }
  sql(db, "DELETE FROM speakers WHERE session = ? AND store = ?").run(session, store)
}

/** The words of a text that are words of a speaker's name, as far as a level may know speakers. */
export const findNameWords = (db: Db, level: TrustLevel, text: string): ReadonlySet<string> => {
  const asked = new Set(nameWords(text).flatMap((word) => (unspacedAlone.test(word) ? [word, ...insides(word)] : word)))
  return new Set(
    sql(db, "SELECT DISTINCT word FROM speaker_words WHERE word IN (SELECT value FROM json_each(?)) AND openness >= ?")
      .all(JSON.stringify([...asked]), floorOf(level))
      .map((row) => row.word)
  )
}

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
