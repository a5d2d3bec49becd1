import { gunzipSync } from "node:zlib"
import type { Db } from "../../../events/statement.js"
import { isTurnDue, type Steps } from "../../../events/turns.js"
import { foldedText, type Needle } from "./needle.js"

/** Receives a place of a text. `stays` is true for a column that no erasure of content empties. */
export type AddHit = (text: number, place: string, stays?: boolean) => void

/**
 * Reports the rows of a database that have a text in any column, and the full-text indexes that know it. Returns the
 * texts that must stand alone and that columns have only within longer words: those explain stems and bytes.
 */
export const databaseHits = function* (
  db: Db,
  needles: ReadonlyArray<Needle>,
  add: AddHit
): Steps<ReadonlySet<number>> {
  const tables = db
    .prepare("SELECT name, sql FROM sqlite_master WHERE type = 'table' ORDER BY name")
    .all() as ReadonlyArray<{
    readonly name: string
    readonly sql: string
  }>
  const within = new Set<number>()
  const isFullText = ({ sql }: { readonly sql: string }) => /using\s+fts5\b/iu.test(sql)
  // Reading another virtual table needs its extension. Its content is in ordinary tables too.
  for (const { name } of tables.filter(({ sql }) => !/^create\s+virtual/iu.test(sql))) {
    yield* rowHits(db, name, needles, { add, within: (text) => void within.add(text) })
  }
  for (const { name } of tables.filter(isFullText)) {
    for (const [index, { phrase }] of needles.entries()) {
      if (within.has(index)) continue
      const query = `SELECT rowid AS row FROM ${quoted(name)} WHERE ${quoted(name)} MATCH ? LIMIT 1`
      const row = db.prepare(query).get(phrase) as { readonly row: number } | undefined
      if (row !== undefined) add(index, `full-text index ${name}, row ${row.row}`)
      yield
    }
  }
  return within
}

interface Found {
  readonly add: AddHit
  /** Receives a text that stands within a longer word. */
  readonly within: (text: number) => void
}

type Value = string | Uint8Array

const rowHits = function* (db: Db, table: string, needles: ReadonlyArray<Needle>, found: Found): Steps<void> {
  const statement = db.prepare(`SELECT * FROM ${quoted(table)}`).raw()
  const columns = statement.columns().map(({ name }) => name)
  let number = 0
  for (const row of statement.iterate() as Iterable<ReadonlyArray<unknown>>) {
    number++
    for (const [position, value] of row.entries()) {
      if (typeof value !== "string" && !(value instanceof Uint8Array)) continue
      const texts = textsOf(value)
      for (const [index, needle] of needles.entries()) {
        const near = texts.filter((text) => text.includes(needle.first))
        if (!near.some(needle.isIn)) {
          if (near.some((text) => text.includes(needle.folded))) found.within(index)
        } else {
          const column = columns[position]!
          const name = isNameOfField(value, needle) ? ", name of a field" : ""
          const place = `${placeOf(table, { columns, needles, number, row })}, column ${column}${name}`
          found.add(index, place, isEvents(table, columns) && isKept(column, columns, row))
        }
      }
    }
    if (isTurnDue()) yield
  }
}

/** Columns that the hash chain covers in chain version 1, so that an erasure of content keeps them. */
const chainedColumns: ReadonlySet<string> = new Set(["actor", "cause", "command_id"])

/** Whether an erasure of content keeps a column: the agent's name, or a chained column. */
const isKept = (column: string, columns: ReadonlyArray<string>, row: ReadonlyArray<unknown>): boolean => {
  const chain = row[columns.indexOf("chain")]
  // Logs of earlier releases have no column `chain`.
  return column === "stream" || ((chain === 1 || chain === undefined) && chainedColumns.has(column))
}

const isEvents = (table: string, columns: ReadonlyArray<string>): boolean =>
  table === "events" && columns.includes("stream") && columns.includes("version")

interface Row {
  readonly columns: ReadonlyArray<string>
  readonly needles: ReadonlyArray<Needle>
  /** Its position in the table, from 1. */
  readonly number: number
  readonly row: ReadonlyArray<unknown>
}

/** An event is named as in `daybook log`; by its sequence if its agent's name contains a text that is searched. */
const placeOf = (table: string, { columns, needles, number, row }: Row): string => {
  if (!isEvents(table, columns)) return `table ${table}, row ${number}`
  const at = (column: string) => String(row[columns.indexOf(column)])
  const agent = foldedText(at("stream"))
  return needles.some(({ folded }) => agent.includes(folded))
    ? `events, sequence ${at("sequence")} (${at("type")})`
    : `events, ${at("stream")} version ${at("version")} (${at("type")})`
}

/** Whether only the names of fields of a JSON text have it, such as `until` or the arguments of a tool. */
const isNameOfField = (value: Value, needle: Needle): boolean => {
  if (typeof value !== "string" || !/^\s*[[{]/.test(value)) return false
  const values = jsonStrings(value, false)
  return values.length > 0 && !values.some((text) => needle.isIn(foldedText(text)))
}

/** The texts of a value, folded: a string, its strings where it is JSON, or the content of a blob, unpacked if needed. */
const textsOf = (value: Value): ReadonlyArray<string> => {
  if (value instanceof Uint8Array) return [foldedText(unpacked(value))]
  if (!value.includes("\\")) return [foldedText(value)]
  return [foldedText(value), ...jsonStrings(value, true).map(foldedText)]
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

/** The strings of a JSON text, with or without the names of fields; none if it is no JSON. */
const jsonStrings = (text: string, withNames: boolean): ReadonlyArray<string> => {
  const strings: Array<string> = []
  try {
    JSON.parse(text, (key, value) => {
      if (withNames) strings.push(key)
      if (typeof value === "string") strings.push(value)
      return value
    })
  } catch {
    // No JSON: its text was searched as it is.
  }
  return strings
}

const quoted = (name: string): string => `"${name.replaceAll('"', '""')}"`
