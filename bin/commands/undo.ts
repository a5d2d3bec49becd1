import * as Effect from "effect/Effect"
import type { Undoable } from "../../src/undo/choose.js"
import type { PlannedEvent, Undone, UndoneEvent } from "../../src/undo/undo.js"
import { Ended, exitCodes, refused } from "../exit.js"
import { count } from "../format.js"
import { commandId, flag, instant, one, whole } from "../options.js"
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
  summary: "take back what an event, a run or a source changed; what later events changed on purpose stays",
  operator: true,
  options: [
    one("--event <version>", "the event of this version, and what followed from it", whole(1)),
    one("--run <id>", "all that a run did: an import, another undoing"),
    one("--source <name>", "all that came from a source: its name (a file, a tool) or its kind"),
    one("--since <time>", "of a source only what was recorded then or later (ISO 8601, UTC)", instant),
    flag("--dry-run", "show the events that would be written, and write none"),
    flag("--force", "take back also what later events changed"),
    commandId
  ],
  examples: ["undo --event 12", "undo --run 8k2v0q5w1x --dry-run", "undo --source notes.md --since 2026-03-01"],
  run: (call, { commandId, dryRun, force, ...asked }) =>
    Effect.gen(function* () {
      const { memory, out } = call
      if ([asked.event, asked.run, asked.source].filter((one) => one !== undefined).length !== 1) {
        return yield* badCall("exactly one of --event, --run and --source must be given")
      }
      if (asked.since !== undefined && asked.source === undefined) return yield* badCall("--since needs --source")
      const done = yield* Effect.flatMap(memory, (one) => one.undo(undoableOf(asked), { commandId, dryRun, force }))
      if (dryRun === true) return yield* out.show(done, () => planText(out, done))
      if (done.run !== undefined) yield* awaitVectors(call)
      yield* out.show(done, () => doneText(out, done))
      const left = done.conflicts.length
      if (left > 0) return yield* refused(`${count(left, "conflict")} left; --force takes back those changes too`)
    })
}

const undoableOf = ({ event, run, since, source }: UndoCall): Undoable => ({ event, run, source, since }) as never

const doneText = async (out: Output, { conflicts, run, undone }: Undone): Promise<string> =>
  [
    ...(undone.length === 0 ? [] : [await table(out, undone, undoneColumns)]),
    ...(await conflictText(out, conflicts)),
    run === undefined ? "nothing to take back" : `took back ${changes(undone)}: run ${run}`
  ].join("\n")

const planText = async (out: Output, { conflicts, events = [], undone }: Undone): Promise<string> =>
  [
    ...(events.length === 0 ? [] : [await table<PlannedEvent>(out, events, eventColumns)]),
    ...(await conflictText(out, conflicts)),
    events.length === 0
      ? "nothing to take back"
      : `would take back ${changes(undone)} with ${count(events.length, "event")}; nothing was written`
  ].join("\n")

const changes = (undone: Undone["undone"]): string => {
  const memories = new Set(undone.map(({ memory }) => memory)).size
  return `${count(undone.length, "change")} of ${count(memories, "memory", "memories")}`
}

type Left = Undone["conflicts"][number]

const conflictText = async (out: Output, conflicts: ReadonlyArray<Left>): Promise<ReadonlyArray<string>> =>
  conflicts.length === 0
    ? []
    : [`${out.colours.bold("left")}, changed since:`, await table(out, conflicts, leftColumns)]

const undoneColumns: ReadonlyArray<Column<UndoneEvent>> = [
  { name: "version", of: ({ version }) => version, right: true },
  { name: "type", of: ({ type }) => type },
  { name: "memory", of: ({ memory }) => memory, colour: "cyan" },
  { name: "what", of: ({ what }) => what },
  { name: "by", of: ({ by }) => by, right: true },
  { name: "title", of: ({ title }) => title, elastic: true }
]

const leftColumns: ReadonlyArray<Column<Left>> = [
  { name: "version", of: ({ version }) => version, right: true },
  { name: "memory", of: ({ memory }) => memory, colour: "cyan" },
  { name: "fields", of: ({ fields }) => fields.join(", ") },
  { name: "by", of: ({ by }) => by.join(", ") },
  { name: "title", of: ({ title }) => title, elastic: true }
]

const eventColumns: ReadonlyArray<Column<PlannedEvent>> = [
  { name: "version", of: ({ version }) => version, right: true },
  { name: "type", of: ({ type }) => type },
  { name: "memory", of: ({ payload }) => ("memory" in payload ? payload.memory.id : payload.session), colour: "cyan" },
  {
    name: "status",
    of: ({ payload }) => ("memory" in payload ? payload.memory.status : payload.summary === null ? "gone" : "active")
  },
  { name: "takes back", of: ({ payload }) => (payload.undoes ?? []).join(", ") },
  {
    name: "title",
    of: ({ payload }) => ("memory" in payload ? payload.memory.title : `summary of session ${payload.session}`),
    elastic: true
  }
]

const badCall = (message: string) => new Ended({ message, code: exitCodes.badCall })
