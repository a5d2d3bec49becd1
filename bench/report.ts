import { closeSync, fdatasyncSync, openSync, writeSync } from "node:fs"
import { availableParallelism, cpus } from "node:os"
import { join } from "node:path"
import Database from "better-sqlite3"
import { type Row, remove, temporaryFolder } from "./harness.js"
import { median } from "./measure.js"

/** Facts about the machine on which the figures depend. */
export const machine = () => ({
  processor: cpus()[0]?.model ?? "unknown",
  cores: availableParallelism(),
  node: process.version,
  sqlite: new Database(":memory:").prepare("SELECT sqlite_version()").pluck().get() as string,
  /** Milliseconds of one fsync in the temporary folder. If fsync is fast, durability costs little. */
  fsync: fsyncTime()
})

export const header = (facts: ReturnType<typeof machine>, quick: boolean): string =>
  [
    `${facts.cores} × ${facts.processor}, Node ${facts.node}, SQLite ${facts.sqlite}, fsync ${facts.fsync.toFixed(2)} ms`,
    ...(quick ? ["quick: small sizes, only to check that everything works; the targets apply to the full size"] : [])
  ].join("\n")

/** The rows as a plain-text table. */
export const table = (rows: ReadonlyArray<Row>): string => {
  const cells = [
    ["", "Daybook", "floor", "result", "target", ""],
    ...rows.map(({ daybook, floor, name, reached, result, target }) => [
      name,
      daybook,
      floor,
      result,
      target,
      reached === null ? "" : reached ? "reached" : "missed"
    ])
  ]
  const widths = cells[0]!.map((_, column) => Math.max(...cells.map((row) => row[column]!.length)))
  const lines = cells.map((row) =>
    row
      .map((cell, column) => cell.padEnd(widths[column]!))
      .join("  ")
      .trimEnd()
  )
  return [lines[0], widths.map((width) => "─".repeat(width)).join("  "), ...lines.slice(1)].join("\n")
}

const fsyncTime = (): number => {
  const folder = temporaryFolder()
  const file = openSync(join(folder, "fsync"), "w")
  const page = Buffer.alloc(4_096)
  const times = Array.from({ length: 50 }, () => {
    writeSync(file, page)
    const start = performance.now()
    fdatasyncSync(file)
    return performance.now() - start
  })
  closeSync(file)
  remove(folder)
  return median(times)
}
