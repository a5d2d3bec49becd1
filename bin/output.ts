import * as Effect from "effect/Effect"
import * as HashMap from "effect/HashMap"
import * as Logger from "effect/Logger"
import { toIso } from "../text/when/dates.js"
import { oneLine } from "./format.js"
import { type Colours, coloursOf, type Terminal } from "./terminalText.js"

/** Prints answers: one JSON document with `--json`, otherwise text; notes and progress go to stderr. */
export interface Output {
  readonly json: boolean
  readonly colours: Colours
  /** Width of the terminal in characters; absent if stdout is not a terminal. */
  readonly columns?: number | undefined
  /** Prints a command's answer. `text` is called only without `--json`, so it may load modules for text output. */
  readonly show: (value: unknown, text: () => string | Promise<string>) => Effect.Effect<void>
  /** Prints a list piece by piece, so that the whole answer does not have to fit into memory. */
  readonly list: () => ListWriter
  /** Prints one value as a line of JSON, with or without `--json`. */
  readonly jsonLine: (value: unknown) => void
  /** Prints a line on stderr. Silent with `--json`, because the JSON answer already contains it. */
  readonly note: (line: string) => void
  /** Prints a line on stderr, also with `--json`, because it is not part of the answer. */
  readonly warn: (line: string) => void
  /** Updates the progress bar, which only a terminal shows. `note` is printed after the bar. */
  readonly progress: (done: number, total: number, note?: string) => void
  /** True while stdout has a reader. In `daybook log | head`, the reader ends early. */
  readonly open: () => boolean
  readonly endProcessAt?: Terminal["endProcessAt"]
}

export interface ListWriter {
  readonly add: (rows: ReadonlyArray<{ readonly value: unknown; readonly text: () => string }>) => void
  readonly end: () => void
}

export const makeOutput = (
  terminal: Terminal,
  options: { readonly json: boolean; readonly quiet?: boolean }
): Output => {
  const { open, stdout } = terminal
  const { json, quiet = false } = options
  const write = (text: string) => stdout(text === "" || text.endsWith("\n") ? text : `${text}\n`)
  return {
    json,
    open,
    colours: coloursOf(terminal.colour && !json),
    columns: terminal.columns,
    endProcessAt: terminal.endProcessAt,
    show: (value, text) =>
      json
        ? Effect.sync(() => write(toJson(value)))
        : Effect.map(
            Effect.promise(async () => text()),
            write
          ),
    jsonLine: (value) => write(toJson(value)),
    list: () => {
      let empty = true
      return {
        add: (rows) => {
          if (rows.length === 0) return
          if (json) stdout((empty ? "[\n" : ",\n") + rows.map(({ value }) => toJson(value)).join(",\n"))
          else write(rows.map(({ text }) => text()).join("\n"))
          empty = false
        },
        end: () => {
          if (json) stdout(empty ? "[]\n" : "\n]\n")
        }
      }
    },
    note: (line) => {
      if (!json && !quiet) terminal.stderr(`${line}\n`)
    },
    warn: (line) => {
      if (!quiet) terminal.stderr(`${line}\n`)
    },
    progress: (done, total, note) => {
      if (quiet) return
      const label = `${done}/${total}${note === undefined ? "" : ` ${note}`}`
      terminal.status?.(done < total ? bar(done / total, label) : "")
    }
  }
}

/**
 * Prints each log message as one line: its text, then the fields of its objects and its annotations. Omits causes and
 * other values, because they may quote memories.
 */
export const stderrLogger = ({ warn }: Pick<Output, "warn">): Logger.Logger<unknown, void> =>
  Logger.make(({ annotations, logLevel, message }) => {
    const level = logLevel.label === "WARN" ? "warning" : logLevel.label.toLowerCase()
    const parts = [message].flat()
    const texts = parts.filter((part) => typeof part === "string")
    const fields = [...parts.filter(isPlainObject).flatMap(Object.entries), ...HashMap.toEntries(annotations)]
    const details = fields.flatMap(([name, value]) =>
      typeof value === "string" || typeof value === "number" ? [`${name} ${value}`] : []
    )
    warn(oneLine(`daybook: ${level}: ${[texts.join(" "), ...details].join(", ")}`))
  })

const isPlainObject = (part: unknown): part is object =>
  typeof part === "object" && part !== null && Object.getPrototypeOf(part) === Object.prototype

const bar = (share: number, label: string): string => {
  const full = Math.floor(share * 30)
  return `${"█".repeat(full)}${"░".repeat(30 - full)} ${label}`
}

/**
 * True if a field contains milliseconds since the epoch: its name ends with At or Until, or `otherTimes` contains it. A
 * test checks that no command prints milliseconds.
 */
const isTime = (name: string, holder: unknown): boolean =>
  /(?:At|Until)$/.test(name) || otherTimes.has(name) || (name === "from" && Object(holder).kind === "interval")

/** Other names of time fields: in a cadence, in the state of a schedule, and in a run (lease and occurrence). */
const otherTimes = new Set(["at", "next", "lease", "occurrence"])

const timeText = (field: unknown): unknown => (typeof field === "number" ? toIso(field) : field)

/** Control characters that JSON does not escape, and controls of writing direction. */
const unescapedControls = /[\u007f-\u009f\u2028-\u202e\u2066-\u2069]/g

/** JSON text without control characters; times are ISO 8601 in UTC. */
export const toJson = (value: unknown): string =>
  JSON.stringify(value, function (this: unknown, key, field) {
    if (isTime(key, this)) return timeText(field)
    // In other objects, `before` may be a rank.
    if (key !== "filters" || typeof field !== "object" || field === null) return field
    return Object.fromEntries(
      Object.entries(field).map(([name, time]) => [name, name === "after" || name === "before" ? timeText(time) : time])
    )
  }).replace(unescapedControls, (control) => `\\u${control.charCodeAt(0).toString(16).padStart(4, "0")}`)
