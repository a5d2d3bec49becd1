import * as Effect from "effect/Effect"
import type { Payload } from "../../events/catalogue.js"
import type { Undoable } from "../../src/undo/choose.js"
import type { PlannedEvent, Undone, UndoneEvent } from "../../src/undo/undo.js"
import { refusalError, usageError } from "../exit.js"
import { countText } from "../format.js"
import { commandIdOption, flag, option, parseIsoTime, wholeNumberParser } from "../options.js"
import type { Output } from "../output.js"
import { type Column, table } from "../table.js"
import { awaitVectors } from "../vectors.js"
import type { Command } from "./Command.js"

interface UndoCall {
  readonly event?: number
  readonly run?: string
  readonly source?: string
  readonly since?: number
  readonly dryRun?: boolean
  readonly force?: boolean
  readonly commandId?: string
}

export const undo: Command<UndoCall> = {
  usage: "undo",
  summary: "undo the changes of an event, a run or a source",
  operator: true,
  options: [
    option(
      "--event <version>",
      "undo the event with this version, and the changes that it caused",
      wholeNumberParser(1)
    ),
    option("--run <id>", "undo a run: an import, a maintenance run or another undo"),
    option("--source <name>", "undo all changes from the source with this name or kind"),
    option("--since <time>", "with --source: undo only changes since this time (ISO 8601, UTC)", parseIsoTime),
    flag("--dry-run", "show the events without writing them"),
    flag("--force", "also undo fields that later events changed"),
    commandIdOption
  ],
  details: ["Changes that later events made on purpose are kept, unless you pass --force."],
  examples: ["undo --event 12", "undo --run 8k2v0q5w1x --dry-run", "undo --source notes.md --since 2026-03-01"],
  afterInterruption: "all changes were undone or none; run the same command again",
  run: (call, { commandId, dryRun, force, ...target }) =>
    Effect.gen(function* () {
      const { memory, out } = call
      if ([target.event, target.run, target.source].filter((value) => value !== undefined).length !== 1) {
        return yield* usageError("exactly one of --event, --run and --source is required")
      }
      if (target.since !== undefined && target.source === undefined)
        return yield* usageError("--since can only be used with --source")
      const undone = Effect.flatMap(memory, (opened) => opened.undo(undoableOf(target), { commandId, dryRun, force }))
      const result = yield* undone
      if (dryRun === true) return yield* out.show(result, () => planText(out, result))
      if (result.run !== undefined) yield* awaitVectors(call)
      yield* out.show(result, () => doneText(out, result))
      const left = result.conflicts.length
      if (left > 0)
        return yield* refusalError(`${countText(left, "conflict")} left: pass --force to undo those changes too`)
    })
}

const undoableOf = ({ event, run, since, source }: UndoCall): Undoable => ({ event, run, source, since }) as never

const doneText = async (out: Output, { conflicts, run, undone }: Undone): Promise<string> =>
  [
    ...(undone.length === 0 ? [] : [await table(out, undone, undoneColumns)]),
    ...(await conflictText(out, conflicts)),
    run === undefined ? "nothing to undo" : `undid ${changes(undone)}: run ${run}`
  ].join("\n")

const planText = async (out: Output, { conflicts, events = [], undone }: Undone): Promise<string> =>
  [
    ...(events.length === 0 ? [] : [await table<PlannedEvent>(out, events, eventColumns)]),
    ...(await conflictText(out, conflicts)),
    events.length === 0
      ? "nothing to undo"
      : `would undo ${changes(undone)} with ${countText(events.length, "event")}; nothing was written`
  ].join("\n")

const changes = (undone: Undone["undone"]): string => {
  const memories = new Set(undone.map(({ memory }) => memory)).size
  return `${countText(undone.length, "change")} of ${countText(memories, "memory", "memories")}`
}

type Conflict = Undone["conflicts"][number]

const conflictText = async (out: Output, conflicts: ReadonlyArray<Conflict>): Promise<ReadonlyArray<string>> =>
  conflicts.length === 0
    ? []
    : [`${out.colours.bold("not undone")}, changed by later events:`, await table(out, conflicts, conflictColumns)]

const undoneColumns: ReadonlyArray<Column<UndoneEvent>> = [
  { name: "version", cell: ({ version }) => version, alignRight: true },
  { name: "type", cell: ({ type }) => type },
  { name: "memory", cell: ({ memory }) => memory, colour: "cyan" },
  { name: "what", cell: ({ what }) => what },
  { name: "by", cell: ({ by }) => by, alignRight: true },
  { name: "title", cell: ({ title }) => title, elastic: true }
]

const conflictColumns: ReadonlyArray<Column<Conflict>> = [
  { name: "version", cell: ({ version }) => version, alignRight: true },
  { name: "memory", cell: ({ memory }) => memory, colour: "cyan" },
  { name: "fields", cell: ({ fields }) => fields.join(", ") },
  { name: "by", cell: ({ by }) => by.join(", ") },
  { name: "title", cell: ({ title }) => title, elastic: true }
]

const eventColumns: ReadonlyArray<Column<PlannedEvent>> = [
  { name: "version", cell: ({ version }) => version, alignRight: true },
  { name: "type", cell: ({ type }) => type },
  {
    name: "memory",
    cell: ({ payload }) => ("memory" in payload ? payload.memory.id : payload.session),
    colour: "cyan"
  },
  {
    name: "status",
    cell: ({ payload }) => ("memory" in payload ? payload.memory.status : stateOf(payload) === null ? "gone" : "active")
  },
  { name: "undoes", cell: ({ payload }) => (payload.undoes ?? []).join(", ") },
  {
    name: "title",
    cell: ({ payload, type }) =>
      "memory" in payload
        ? payload.memory.title
        : `${type === "SCRATCHPAD" ? "scratchpad" : type === "ROLL" ? "rolling summary" : "summary"} of session ${payload.session}`,
    elastic: true
  }
]

const stateOf = (payload: Payload<"SUMMARIZE" | "ROLL" | "SCRATCHPAD">): object | null =>
  "summary" in payload ? payload.summary : "state" in payload ? payload.state : payload.scratchpad
