import type * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Stream from "effect/Stream"
import type { StoredEvent } from "../../events/Chain.js"
import type { Codec } from "../../events/Codec.js"
import type { DaybookEvent } from "../../events/catalogue.js"
import { type EventLog, readAll } from "../../events/EventLog.js"
import { toInstant } from "../../text/when/dates.js"
import { eventCause, runCause } from "../actor/Command.js"
import { InvalidInput, NothingToUndo, NotUndoable } from "../model/errors.js"
import { checkObject } from "../model/filters.js"
import { dateProblem, decodeKey, type InstantInput } from "../model/input.js"
import { sourceOf } from "./links.js"

/**
 * Selects events to undo: one event by its version; all events of a run; or all observations from a source, by its name
 * (a file, a tool) or its kind, recorded at or after `since`. Events caused by the selected events are undone too.
 */
export type Undoable =
  | { readonly event: number }
  | { readonly run: string }
  | { readonly source: string; readonly since?: InstantInput | undefined }

/** An `Undoable` after decoding. `since` is in milliseconds since the epoch. */
export type Selection =
  | { readonly event: number }
  | { readonly run: string }
  | { readonly source: string; readonly since?: number }

export const decodeUndoable = (input: Undoable): Either.Either<Selection, InvalidInput> =>
  Either.gen(function* () {
    yield* checkObject("undo", input, "event")
    const givenKeys = ["event", "run", "source"].filter((key) => (input as Record<string, unknown>)[key] !== undefined)
    if (givenKeys.length !== 1) {
      const problem = "must have exactly one of the fields `event`, `run` and `source`"
      return yield* Either.left(new InvalidInput({ field: "undo", problem }))
    }
    if ("event" in input && input.event !== undefined) {
      if (Number.isSafeInteger(input.event) && input.event > 0) return { event: input.event }
      return yield* Either.left(
        new InvalidInput({ field: "event", problem: "must be the version of an event: a whole number, 1 or more" })
      )
    }
    if ("run" in input && input.run !== undefined) return { run: yield* decodeKey("run", input.run) }
    const { since: from, source } = input as Extract<Undoable, { readonly source: string }>
    yield* decodeKey("source", source)
    if (from === undefined) return { source }
    const since = toInstant(from)
    return since === undefined
      ? yield* Either.left(new InvalidInput({ field: "since", problem: dateProblem(from) }))
      : { source, since }
  })

interface History {
  readonly log: Context.Tag.Service<EventLog>
  readonly codec: Codec
  readonly agent: string
  /** The newest version to read. */
  readonly to: number
}

/**
 * Finds the selected events and the events caused by them, oldest first. Omits events that changed no memory, summary
 * or scratchpad.
 */
export const selectEventsToUndo = Effect.fnUntraced(function* (
  { agent, codec, log, to }: History,
  selection: Selection
) {
  const after =
    "event" in selection
      ? selection.event - 1
      : "since" in selection && selection.since !== undefined
        ? yield* log.versionAt(agent, selection.since - 1)
        : 0
  const isSelected = selector(codec, selection)
  const causes = new Set<string | null>()
  const chosen: Array<DaybookEvent> = []
  yield* Stream.runForEach(
    readAll(log, agent, { after, to }),
    Effect.fnUntraced(function* (row) {
      if (!causes.has(row.cause) && !(yield* isSelected(row))) return
      causes.add(eventCause(row.version))
      const isNamed = "event" in selection && selection.event === row.version
      const problem = row.payload === null ? "was erased" : problemOf(row.type)
      if (problem === undefined) chosen.push((yield* codec.decode(row)) as DaybookEvent)
      else if (isNamed) return yield* new NotUndoable({ version: row.version, type: row.type, problem })
    })
  )
  if (chosen.length === 0) return yield* new NothingToUndo({ what: selectionText(selection) })
  return chosen
})

const mutations: ReadonlySet<string> = new Set([
  "ADD",
  "UPDATE",
  "DELETE",
  "COMPRESS",
  "ARCHIVE",
  "SUMMARIZE",
  "ROLL",
  "SCRATCHPAD"
])

/** Returns the reason why events of a type cannot be undone; undefined if they can be undone. */
const problemOf = (type: string): string | undefined => {
  if (type === "ERASE" || type === "REMAINS") return "records an erasure, which cannot be undone"
  return mutations.has(type) ? undefined : "changed no memory"
}

/** Makes a function that tests whether an event belongs to a selection. */
const selector = (codec: Codec, selection: Selection) => {
  if ("event" in selection) return (row: StoredEvent) => Either.right(row.version === selection.event)
  if ("run" in selection) {
    const cause = runCause(selection.run)
    return (row: StoredEvent) => Either.right(row.cause === cause)
  }
  const { source } = selection
  // Capture writes in a run that is named after the session. The memories that capture archived name no source, so the
  // run selects them.
  const cause = runCause(source)
  // A payload without the encoded name is not decoded. An observation without a source counts as an observation from an
  // agent.
  const encodedName = source === "agent" ? "" : JSON.stringify(source)
  return (row: StoredEvent) =>
    row.payload === null || !mutations.has(row.type) || !(row.cause === cause || row.payload.includes(encodedName))
      ? Either.right(false)
      : Either.map(codec.decode(row), (event) => {
          const from = event.payload === null ? undefined : sourceOf(event)
          return row.cause === cause || (from !== undefined && (from.name === source || from.kind === source))
        })
}

const selectionText = (selection: Selection): string => {
  if ("event" in selection) return `event ${selection.event}`
  if ("run" in selection) return `change of a memory by run ${selection.run}`
  return `memory from source ${selection.source}${selection.since === undefined ? "" : " recorded at or after the given time"}`
}
