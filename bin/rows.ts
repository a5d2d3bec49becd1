import type { IndexRow } from "../projections/observationSearch.js"
import { dayText } from "./format.js"
import type { Column } from "./table.js"

/** The columns in which search, timeline and list show a memory. */
export const idColumn: Column<IndexRow> = { name: "id", cell: ({ id }) => id, colour: "cyan" }

export const indexColumns: ReadonlyArray<Column<IndexRow>> = [
  { name: "type", cell: ({ type }) => type },
  { name: "day", cell: ({ createdAt, occurredAt }) => dayText(occurredAt ?? createdAt) },
  { name: "store", cell: ({ store }) => store },
  { name: "tokens", cell: ({ tokens }) => tokens, alignRight: true },
  // `daybook why` names the lost source of a stale memory, and the memories that contradict a disputed memory.
  {
    name: "title",
    cell: ({ disputedBy, stale, title }) =>
      `${stale === undefined ? "" : "(stale) "}${disputedBy === undefined ? "" : "(disputed) "}${title}`,
    elastic: true
  }
]

/** Reports that a text was stored in the most private store, because it contains a credential. */
export const credentialNote = ({ confined }: { readonly confined?: true }): string =>
  confined === true ? ". Stored as a private credential: it contains a password or key." : ""
