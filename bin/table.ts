import type Table from "cli-table3"
import { oneLine } from "./format.js"
import type { Output } from "./output.js"

/** A table column: its heading, its cell for a row, and its style. */
export interface Column<Row> {
  readonly name: string
  readonly cell: (row: Row) => string | number
  readonly alignRight?: boolean
  readonly colour?: "cyan" | "dim" | "bold"
  /** Shrinks when the terminal is too narrow. */
  readonly elastic?: boolean
}

const noEdges = { top: "", "top-mid": "", "top-left": "", "top-right": "", bottom: "", "bottom-mid": "" } as const
const noLines = { "bottom-left": "", "bottom-right": "", left: "", "left-mid": "", mid: "", "mid-mid": "" } as const
const borderless = { ...noEdges, ...noLines, right: "", "right-mid": "", middle: "" }

/** Draws aligned columns without borders; wide characters count as two. */
export const table = async <Row>(
  out: Output,
  rows: ReadonlyArray<Row>,
  columns: ReadonlyArray<Column<Row>>
): Promise<string> => {
  if (rows.length === 0) return out.colours.dim("nothing found")
  const { default: Table } = await import("cli-table3")
  const rendered = new Table({
    head: columns.map(({ name }) => out.colours.dim(name)),
    chars: borderless,
    colAligns: columns.map(({ alignRight }) => (alignRight === true ? "right" : "left")),
    style: { head: [], border: [], compact: true, "padding-left": 0, "padding-right": 2 }
  })
  for (const row of rows) {
    rendered.push(
      columns.map(({ colour, cell }) => {
        const text = oneLine(String(cell(row)))
        return colour === undefined || text === "" ? text : out.colours[colour](text)
      })
    )
  }
  const output = rendered.toString()
  return trimmed(shrinkColumns(rendered, out.columns, columns) ? rendered.toString() : output)
}

/** Draws name and value pairs, one per line. */
export const fieldsTable = (out: Output, pairs: ReadonlyArray<readonly [string, string | number]>): string => {
  const width = Math.max(...pairs.map(([name]) => name.length))
  return pairs.map(([name, value]) => `${out.colours.dim(name.padEnd(width))}  ${oneLine(String(value))}`).join("\n")
}

/**
 * Takes the excess width from the elastic column. Returns true if the table must be drawn again. Widths are known only
 * after drawing.
 */
const shrinkColumns = (
  { options }: InstanceType<typeof Table>,
  available: number | undefined,
  columns: ReadonlyArray<Column<never>>
): boolean => {
  const elasticIndex = columns.findIndex(({ elastic }) => elastic === true)
  const widths = options.colWidths
  const excess =
    widths.reduce<number>((sum, width) => sum + (width ?? 0), 0) - 2 - (available ?? Number.POSITIVE_INFINITY)
  if (elasticIndex < 0 || excess <= 0) return false
  widths[elasticIndex] = Math.max(20, widths[elasticIndex]! - excess)
  return true
}

/** Removes trailing spaces, and the colour codes that cli-table3 adds after those from `coloursOf`. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: the codes of colours begin with ESC.
const trimmed = (text: string): string => text.replace(/\u001b\[\d+m/g, "").replace(/ +$/gm, "")
