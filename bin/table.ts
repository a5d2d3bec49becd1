import type Table from "cli-table3"
import { oneLine } from "./format.js"
import type { Output } from "./output.js"

/** A column: its heading, how a row fills it, and how that looks. */
export interface Column<Row> {
  readonly name: string
  readonly of: (row: Row) => string | number
  readonly right?: boolean
  readonly colour?: "cyan" | "dim" | "bold"
  /** Gives way where the terminal is too narrow. */
  readonly elastic?: boolean
}

const none = { top: "", "top-mid": "", "top-left": "", "top-right": "", bottom: "", "bottom-mid": "" } as const
const noLines = { "bottom-left": "", "bottom-right": "", left: "", "left-mid": "", mid: "", "mid-mid": "" } as const
const borderless = { ...none, ...noLines, right: "", "right-mid": "", middle: "" }

/** Aligned columns without lines between them; wide characters count as two. */
export const table = async <Row>(
  out: Output,
  rows: ReadonlyArray<Row>,
  columns: ReadonlyArray<Column<Row>>
): Promise<string> => {
  if (rows.length === 0) return out.colours.dim("nothing found")
  const { default: Table } = await import("cli-table3")
  const drawn = new Table({
    head: columns.map(({ name }) => out.colours.dim(name)),
    chars: borderless,
    colAligns: columns.map(({ right }) => (right === true ? "right" : "left")),
    style: { head: [], border: [], compact: true, "padding-left": 0, "padding-right": 2 }
  })
  for (const row of rows) {
    drawn.push(
      columns.map(({ colour, of }) => {
        const text = oneLine(String(of(row)))
        return colour === undefined || text === "" ? text : out.colours[colour](text)
      })
    )
  }
  const whole = drawn.toString()
  return trimmed(narrow(drawn, out.columns, columns) ? drawn.toString() : whole)
}

/** Names and values, a line each. */
export const fields = (out: Output, pairs: ReadonlyArray<readonly [string, string | number]>): string => {
  const width = Math.max(...pairs.map(([name]) => name.length))
  return pairs.map(([name, value]) => `${out.colours.dim(name.padEnd(width))}  ${oneLine(String(value))}`).join("\n")
}

/** Once drawn, a table knows its widths: what is too much is taken from the elastic column. */
const narrow = (
  { options }: InstanceType<typeof Table>,
  available: number | undefined,
  columns: ReadonlyArray<Column<never>>
): boolean => {
  const at = columns.findIndex(({ elastic }) => elastic === true)
  const widths = options.colWidths
  const over =
    widths.reduce<number>((sum, width) => sum + (width ?? 0), 0) - 2 - (available ?? Number.POSITIVE_INFINITY)
  if (at < 0 || over <= 0) return false
  widths[at] = Math.max(20, widths[at]! - over)
  return true
}

const trimmed = (text: string): string => text.replace(/ +$/gm, "")
