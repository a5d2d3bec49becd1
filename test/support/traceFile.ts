import { readFileSync, statSync } from "node:fs"

/** A line of a trace file. */
export interface TraceLine {
  readonly time: string
  readonly type: "span" | "event" | "metric"
  readonly name: string
  readonly trace?: string
  readonly span?: string
  /** The name of the span of an event. */
  readonly in?: string
  readonly parent?: string
  readonly status?: string
  readonly kind?: string
  readonly millis?: number
  readonly attributes?: Readonly<Record<string, unknown>>
  readonly tags?: Readonly<Record<string, string>>
}

/** The lines of a trace file; none where it does not exist. */
export const linesOf = (file: string): ReadonlyArray<TraceLine> =>
  statSync(file, { throwIfNoEntry: false })?.isFile() === true
    ? readFileSync(file, "utf8")
        .split("\n")
        .filter((line) => line !== "")
        .map((line) => JSON.parse(line) as TraceLine)
    : []

export const namesOf = (lines: ReadonlyArray<TraceLine>, type: TraceLine["type"]): ReadonlyArray<string> =>
  lines.filter((line) => line.type === type).map(({ name }) => name)
