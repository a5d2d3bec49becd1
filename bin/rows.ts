import type { IndexRow } from "../projections/search.js"
import { day } from "./format.js"
import type { Column } from "./table.js"

/** The columns of the compact form of a memory, as search, timeline and list show it. */
export const idColumn: Column<IndexRow> = { name: "id", of: ({ id }) => id, colour: "cyan" }

export const indexColumns: ReadonlyArray<Column<IndexRow>> = [
  { name: "type", of: ({ type }) => type },
  { name: "day", of: ({ createdAt, occurredAt }) => day(occurredAt ?? createdAt) },
  { name: "store", of: ({ store }) => store },
  { name: "tokens", of: ({ tokens }) => tokens, right: true },
  // What it was made of no longer stands: 'daybook why' says what.
  { name: "title", of: ({ stale, title }) => (stale === undefined ? title : `(stale) ${title}`), elastic: true }
]
