import type { AgentErasure, HeldItem, Leftover, RecordedErasure } from "../src/erasure/Erasure.js"
import { countText, timestampText } from "./format.js"
import type { Output } from "./output.js"
import { type Column, table } from "./table.js"

/** Maximum characters of a text in a table. `--json` prints the whole text. */
const maxTextLength = 200

/** A table of the texts that the erasure removes; undefined if there are none. */
export const itemsText = async (out: Output, { items }: AgentErasure): Promise<string | undefined> =>
  items.length === 0 ? undefined : table(out, items, itemColumns)

const itemColumns: ReadonlyArray<Column<HeldItem>> = [
  { name: "kind", cell: ({ kind }) => kind.replace(/ies$/, "y").replace(/s$/, "") },
  { name: "version", cell: ({ version }) => version, alignRight: true },
  { name: "id", cell: ({ id }) => id ?? "", colour: "cyan" },
  {
    name: "where",
    cell: ({ fields = [], from, kind, session }) =>
      kind === "names" ? columnName(from) : [session, from, ...fields].filter((part) => part !== undefined).join(", ")
  },
  { name: "why", cell: ({ why }) => why },
  { name: "text", cell: ({ text }) => shortened(text), elastic: true }
]

const columnName = (column: string | undefined): string => (column === "commandId" ? "command id" : (column ?? ""))

const shortened = (text: string): string =>
  text.length > maxTextLength ? `${text.slice(0, maxTextLength - 1).toWellFormed()}…` : text

/** Lists the columns that still contain the name after the erasure, one per line. */
export const leftoversText = (leftovers: ReadonlyArray<Leftover>): ReadonlyArray<string> =>
  leftovers.map(
    ({ agent, column, events }) =>
      `the name remains in ${countText(events, "event")} of ${agent} (column ${column}): only erasing the whole agent removes it, with 'daybook erase --agent ${agent}'`
  )

/** The columns of `erase --list`. The name of an erased agent is no longer stored. */
export const recordColumns: ReadonlyArray<Column<RecordedErasure>> = [
  { name: "when", cell: ({ at }) => timestampText(at) },
  { name: "agent", cell: ({ agent }) => agent ?? "(erased)" },
  { name: "version", cell: ({ version }) => version ?? "", alignRight: true },
  { name: "by", cell: ({ selector }) => selector ?? "" },
  { name: "reason", cell: ({ reason }) => reason },
  { name: "events", cell: ({ events }) => events ?? "", alignRight: true },
  {
    name: "actor",
    cell: ({ actor, repeatedAt }) =>
      [actor ?? "", ...(repeatedAt === undefined ? [] : [`(again ${timestampText(repeatedAt)})`])].join(" "),
    elastic: true
  }
]
