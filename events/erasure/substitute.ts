import type { StoredEvent } from "../Chain.js"
import { type Db, sql } from "../statement.js"

type Content = Pick<StoredEvent, "version" | "type" | "schema" | "payload">

/**
 * Gives each erased event of a stream the content of its newest REMAINS event, so that readers need no code for
 * erasures. Changes `rows` in place. If nothing is erased, the only cost is one check per row.
 */
export const restoreKeptContent = <Row extends Content>(db: Db, stream: string, rows: Array<Row>): Array<Row> => {
  const erased = rows.filter(isErased)
  if (erased.length === 0) return rows
  const kept = new Map<number, Kept>()
  for (const row of sql(db, selectRemains).all(stream, JSON.stringify(erased.map(({ version }) => version)))) {
    kept.set(row.of, row)
  }
  for (const row of erased) {
    const content = kept.get(row.version)
    if (content !== undefined) Object.assign(row, contentOf(content))
  }
  return rows
}

/** The content in the payload of a REMAINS event. */
export const parseRemainsPayload = (payload: string): Pick<StoredEvent, "type" | "schema" | "payload"> => {
  const { payload: content, schema, type } = JSON.parse(payload) as { type: string; schema: number; payload: unknown }
  return { type, schema, payload: JSON.stringify(content) }
}

interface Kept {
  readonly of: number
  readonly payload: string | null
}

const contentOf = ({ payload }: Kept) => (payload === null ? {} : parseRemainsPayload(payload))

const isErased = ({ payload }: Content): boolean => payload === null

const selectRemains = `SELECT r.of, e.payload FROM remains r
  JOIN events e ON e.stream = r.stream AND e.version = r.version
  WHERE r.stream = ? AND r.of IN (SELECT value FROM json_each(?))`
