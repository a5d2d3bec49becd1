import { gunzipSync } from "node:zlib"
import type { Db } from "../../events/statement.js"
import { isTurnDue, type Steps } from "../../events/turns.js"
import { foldedText, type Needle } from "./needle.js"

/** Reports the rows of a database that have a text in any column, and the full-text indexes that know it. */
export const databaseHits = function* (
  db: Db,
  needles: ReadonlyArray<Needle>,
  add: (text: number, place: string) => void
): Steps<void> {
  const tables = db
    .prepare("SELECT name, sql FROM sqlite_master WHERE type = 'table' ORDER BY name")
    .all() as ReadonlyArray<{
    readonly name: string
    readonly sql: string
  }>
  const isFullText = ({ sql }: { readonly sql: string }) => /using\s+fts5\b/iu.test(sql)
  // Reading another virtual table needs its extension. Its content is in ordinary tables too.
  for (const { name } of tables.filter(({ sql }) => !/^create\s+virtual/iu.test(sql))) {
    yield* rowHits(db, name, needles, add)
  }
  for (const { name } of tables.filter(isFullText)) {
    for (const [index, { phrase }] of needles.entries()) {
      const query = `SELECT rowid AS row FROM ${quoted(name)} WHERE ${quoted(name)} MATCH ? LIMIT 1`
      const row = db.prepare(query).get(phrase) as { readonly row: number } | undefined
      if (row !== undefined) add(index, `full-text index ${name}, row ${row.row}`)
      yield
    }
  }
}

const rowHits = function* (
  db: Db,
  table: string,
  needles: ReadonlyArray<Needle>,
  add: (text: number, place: string) => void
): Steps<void> {
  let number = 0
  for (const row of db
    .prepare(`SELECT * FROM ${quoted(table)}`)
    .raw()
    .iterate() as Iterable<ReadonlyArray<unknown>>) {
    number++
    for (const value of row) {
      if (typeof value !== "string" && !(value instanceof Uint8Array)) continue
      const texts = textsOf(value)
      for (const [index, { folded }] of needles.entries()) {
        if (texts.some((text) => text.includes(folded))) add(index, `table ${table}, row ${number}`)
      }
    }
    if (isTurnDue()) yield
  }
}

/** The texts of a value, folded: a string, its strings where it is JSON, or the content of a blob, unpacked if needed. */
const textsOf = (value: string | Uint8Array): ReadonlyArray<string> => {
  if (value instanceof Uint8Array) return [foldedText(unpacked(value))]
  if (!value.includes("\\")) return [foldedText(value)]
  return [foldedText(value), ...jsonStrings(value).map(foldedText)]
}

const unpacked = (bytes: Uint8Array): string => {
  const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  if (bytes[0] !== 0x1f || bytes[1] !== 0x8b) return buffer.toString("utf8")
  try {
    return gunzipSync(buffer).toString("utf8")
  } catch {
    return buffer.toString("utf8")
  }
}

const jsonStrings = (text: string): ReadonlyArray<string> => {
  const strings: Array<string> = []
  try {
    JSON.parse(text, (key, value) => {
      strings.push(key)
      if (typeof value === "string") strings.push(value)
      return value
    })
  } catch {
    // No JSON: its text was searched as it is.
  }
  return strings
}

const quoted = (name: string): string => `"${name.replaceAll('"', '""')}"`
