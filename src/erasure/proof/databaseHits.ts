import { gunzipSync } from "node:zlib"
import type { Db } from "../../../events/statement.js"
import { isYieldDue, type Steps } from "../../../events/turns.js"
import { foldedText, type Needle } from "./needle.js"

/**
 * Receives the index of a text and a place where it was found. `stays` is true for a column that only the erasure of
 * the whole agent empties.
 */
export type ReportHit = (text: number, place: string, stays?: boolean) => void

/**
 * Reports the rows of a database that contain a text in any column, and the full-text indexes that contain it. Returns
 * the texts that must be separate words but occur in columns only inside longer words. The longer words explain why
 * stems and bytes match.
 */
export const findTextsInDatabase = function* (
  db: Db,
  needles: ReadonlyArray<Needle>,
  add: ReportHit
): Steps<ReadonlySet<number>> {
  const tables = db
    .prepare("SELECT name, sql FROM sqlite_master WHERE type = 'table' ORDER BY name")
    .all() as ReadonlyArray<{
    readonly name: string
    readonly sql: string
  }>
  const within = new Set<number>()
  const isFullText = ({ sql }: { readonly sql: string }) => /using\s+fts5\b/iu.test(sql)
  // Reading other virtual tables needs their extensions. Their content is in ordinary tables too.
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
  readonly add: ReportHit
  /** Receives a text that occurs inside a longer word. */
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
    if (isYieldDue()) yield
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
  /** The position of the row in the table, from 1. */
  readonly number: number
  readonly row: ReadonlyArray<unknown>
}

/**
 * Names an event as `daybook log` does. If the agent's name contains a searched text, names the event by its sequence.
 */
const placeOf = (table: string, { columns, needles, number, row }: Row): string => {
  if (!isEvents(table, columns)) return `table ${table}, row ${number}`
  const at = (column: string) => String(row[columns.indexOf(column)])
  const agent = foldedText(at("stream"))
  return needles.some(({ folded }) => agent.includes(folded))
    ? `events, sequence ${at("sequence")} (${at("type")})`
    : `events, ${at("stream")} version ${at("version")} (${at("type")})`
}

/**
 * Returns true if only field names in a JSON text contain the needle, such as `until` or the names of a tool's
 * arguments.
 */
const isNameOfField = (value: Value, needle: Needle): boolean => {
  if (typeof value !== "string" || !/^\s*[[{]/.test(value)) return false
  const values = jsonStrings(value, false)
  return values.length > 0 && !values.some((text) => needle.isIn(foldedText(text)))
}

/**
 * The folded texts of a value: the string itself, the strings in it if it is JSON, or the content of a blob, unpacked
 * if needed.
 */
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

/** The strings of a JSON text, with or without field names; empty if the text is not JSON. */
const jsonStrings = (text: string, withNames: boolean): ReadonlyArray<string> => {
  const strings: Array<string> = []
  try {
    JSON.parse(text, (key, value) => {
      if (withNames) strings.push(key)
      if (typeof value === "string") strings.push(value)
      return value
    })
  } catch {
    // Not JSON: the unchanged text was searched.
  }
  return strings
}

const quoted = (name: string): string => `"${name.replaceAll('"', '""')}"`
