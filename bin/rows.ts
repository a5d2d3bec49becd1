import type { IndexRow } from "../projections/observationSearch.js"
import { dayText } from "./format.js"
import type { Column } from "./table.js"

/** The columns in which search, timeline and list show a memory. */
export const idColumn: Column<IndexRow> = { name: "id", of: ({ id }) => id, colour: "cyan" }

export const indexColumns: ReadonlyArray<Column<IndexRow>> = [
  { name: "type", of: ({ type }) => type },
  { name: "day", of: ({ createdAt, occurredAt }) => dayText(occurredAt ?? createdAt) },
  { name: "store", of: ({ store }) => store },
  { name: "tokens", of: ({ tokens }) => tokens, right: true },
  // A stale memory's source has changed or gone; `daybook why` names it.
  { name: "title", of: ({ stale, title }) => (stale === undefined ? title : `(stale) ${title}`), elastic: true }
]
