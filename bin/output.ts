import * as Effect from "effect/Effect"
import picocolors from "picocolors"
import { toIso } from "../text/when/dates.js"
import type { Colours } from "./format.js"

/** Where answers go: one JSON document for programs, text for people, and single lines on the side. */
export interface Output {
  readonly json: boolean
  readonly colours: Colours
  /** Characters in a line of the terminal; absent where stdout is none. */
  readonly columns?: number | undefined
  /** The answer of a command. What only its text needs may be loaded then. */
  readonly show: (value: unknown, text: () => string | Promise<string>) => Effect.Effect<void>
  /** An answer that comes piece by piece, so that it need not fit into memory. */
  readonly list: () => List
  /** One value on a line of its own, JSON for everybody. */
  readonly line: (value: unknown) => void
  /** Something beside the answer, on stderr: for people alone, as the answer for programs holds it. */
  readonly note: (line: string) => void
  /** Moves the progress bar, which only a terminal shows; `note` stands behind it. */
  readonly progress: (done: number, total: number, note?: string) => void
  /** Whether anybody still reads: `daybook log | head` stops early. */
  readonly open: () => boolean
}

export interface List {
  readonly add: (rows: ReadonlyArray<{ readonly value: unknown; readonly text: () => string }>) => void
  readonly end: () => void
}

export interface Terminal {
  readonly stdout: (text: string) => void
  readonly stderr: (text: string) => void
  readonly open: () => boolean
  /** Shows a line that the next one takes the place of; absent where stderr is no terminal. */
  readonly status?: ((line: string) => void) | undefined
  /** Characters in a line of stdout; absent where it is no terminal. */
  readonly columns?: number | undefined
  readonly colour: boolean
}

export const make = (terminal: Terminal, options: { readonly json: boolean }): Output => {
  const { open, stdout } = terminal
  const { json } = options
  const write = (text: string) => stdout(text === "" || text.endsWith("\n") ? text : `${text}\n`)
  return {
    json,
    open,
    colours: picocolors.createColors(terminal.colour && !json),
    columns: terminal.columns,
    show: (value, text) =>
      json
        ? Effect.sync(() => write(toJson(value)))
        : Effect.map(
            Effect.promise(async () => text()),
            write
          ),
    line: (value) => write(toJson(value)),
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
      if (!json) terminal.stderr(`${line}\n`)
    },
    progress: (done, total, note) => {
      const label = `${done}/${total}${note === undefined ? "" : ` ${note}`}`
      terminal.status?.(done < total ? bar(done / total, label) : "")
    }
  }
}

const bar = (share: number, label: string): string => {
  const full = Math.floor(share * 30)
  return `${"█".repeat(full)}${"░".repeat(30 - full)} ${label}`
}

/** Fields that hold a point in time, as milliseconds since the epoch: programs are given ISO 8601 text, in UTC. */
const times = new Set([
  "createdAt",
  "updatedAt",
  "occurredAt",
  "expiresAt",
  "lastMentionedAt",
  "lastAccessedAt",
  "askedAt",
  "archivedAt",
  "finishedAt",
  "recordedAt",
  "startedAt",
  "finishedAt",
  "dueAt",
  "nextRunAt",
  "lastRunAt",
  "leasedUntil",
  "lastAt"
])

export const toJson = (value: unknown): string =>
  JSON.stringify(value, (key, field) => (typeof field === "number" && times.has(key) ? toIso(field) : field))
