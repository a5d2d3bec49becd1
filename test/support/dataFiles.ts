import { readdirSync, readFileSync } from "node:fs"
import { join } from "node:path"
import Database from "better-sqlite3"

/** The files of a folder whose bytes have a text, in any case. */
export const filesWith = (folder: string, text: string): ReadonlyArray<string> =>
  readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
    .filter((file) => {
      const bytes = readFileSync(file)
      return bytes.includes(text) || bytes.toString("latin1").toLowerCase().includes(text.toLowerCase())
    })

/** Uses the log of a data folder as another program would. */
export const withLog = <A>(folder: string, use: (db: Database.Database) => A): A => {
  const db = new Database(join(folder, "log.db"))
  try {
    return use(db)
  } finally {
    db.close()
  }
}
