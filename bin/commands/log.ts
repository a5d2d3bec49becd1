import * as Chunk from "effect/Chunk"
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import type { DaybookEvent, ErasedEvent, Payload } from "../../events/catalogue.js"
import { yieldToEventLoop } from "../../events/turns.js"
import { actorText, countText, oneLine, timestampText } from "../format.js"
import { noteMissingAgent } from "../noteMissingAgent.js"
import { type AsOfOptions, asOfOption, option, wholeNumberParser } from "../options.js"
import type { Command } from "./Command.js"

interface LogOptions extends AsOfOptions {
  readonly after?: number
  readonly limit?: number
}

export const log: Command<LogOptions> = {
  usage: "log",
  summary: "list the events of an agent, oldest first",
  operator: true,
  options: [
    option("--after <version>", "start after this version", wholeNumberParser(0)),
    option("--limit <n>", "show at most n events", wholeNumberParser(1)),
    asOfOption
  ],
  examples: ["log", "log --after 100 --limit 20 --json"],
  needsNoRules: true,
  run: (call, { after, asOf, limit }) =>
    Effect.gen(function* () {
      const { agent, daybook, resolveTime, out } = call
      yield* noteMissingAgent(call)
      const opened = yield* daybook
      const point = asOf !== undefined && "at" in asOf ? { at: yield* resolveTime(asOf.at) } : asOf
      const list = out.list()
      const events = opened.log(agent, after, point).pipe(
        Stream.takeWhile(() => out.open()),
        (matching) => (limit === undefined ? matching : Stream.take(matching, limit))
      )
      yield* Stream.runForEachChunk(events, (chunk) => {
        list.add(
          Chunk.toReadonlyArray(chunk).map((event) => ({ value: printable(event), text: () => eventText(event) }))
        )
        return yieldToEventLoop
      }).pipe(Effect.ensuring(Effect.sync(list.end)))
    })
}

const printable = (event: DaybookEvent | ErasedEvent) => {
  const { actor, cause, commandId, occurredAt, payload, recordedAt, sequence, stream, type, version } = event
  return { sequence, stream, version, type, recordedAt, occurredAt, actor, commandId, cause, payload }
}

const eventText = (event: DaybookEvent | ErasedEvent): string =>
  [
    String(event.version).padStart(6),
    timestampText(event.recordedAt),
    event.type.padEnd(8),
    actorText(event.actor).padEnd(8),
    oneLine(event.payload === null ? "(erased)" : describe(event))
  ].join("  ")

/** Describes an event on one line. A type without its own case shows its payload as JSON. */
const describe = (event: DaybookEvent): string => {
  switch (event.type) {
    case "ADD":
    case "COMPRESS":
      return event.payload.memory.title
    case "UPDATE":
    case "DELETE":
      return `${event.payload.reason}: ${event.payload.memory.title}`
    case "ARCHIVE":
      return countText(event.payload.memories.length, "memory", "memories")
    case "EMBED":
      return `${countText(event.payload.entries.length + (event.payload.chunks ?? []).length, "vector")} of ${event.payload.model}`
    case "EMBEDDER":
      return `${event.payload.model}, ${event.payload.dimensions} dimensions: ${event.payload.state === "inForce" ? "active" : event.payload.state}`
    case "TURN":
      return `${event.payload.turn.session} ${event.payload.turn.sequence}, ${event.payload.turn.speaker ?? event.payload.turn.role}: ${event.payload.turn.text}`
    case "EXTRACT":
      return `session ${event.payload.session}: ${countText(event.payload.turns, "turn")}, ${countText(event.payload.captured.length, "statement")}`
    case "FORGET":
      return event.payload.session === undefined
        ? `file ${event.payload.path}`
        : `session ${event.payload.session}: ${countText(event.payload.turns.length, "turn")}, ${countText(event.payload.files.length, "file")}`
    case "FILE":
      return event.payload.file.path
    case "SUMMARIZE":
      return event.payload.summary === null
        ? `session ${event.payload.session}: no summary`
        : `session ${event.payload.session}: ${countText(event.payload.summary.turns, "turn")}`
    case "ROLL":
      return `session ${event.payload.session}: ${
        event.payload.state === null
          ? "no rolling summary"
          : `rolling summary up to turn ${event.payload.state.upperSequence}`
      }`
    case "SCRATCHPAD":
      return `session ${event.payload.session}: ${
        event.payload.scratchpad === null
          ? "scratchpad cleared"
          : `scratchpad of ${countText(event.payload.scratchpad.items.length, "item")}`
      }`
    case "RECALL":
      return countText(event.payload.recalls.length, "recall")
    case "IMPORT":
      // If the import was erased, its list of files is empty.
      return `${event.payload.files.length === 0 ? "" : `${countText(event.payload.files.length, "file")}: `}${event.payload.added} added`
    case "CONFIGURE":
      return `policy ${event.payload.policy}: ${event.payload.changed.join(", ")}`
    case "CLOCK":
      return event.payload.change === "returned"
        ? `returned: events from version ${event.payload.since} on count as recorded at this time`
        : event.payload.change
    case "SCHEDULE":
      return scheduleText(event.payload)
    case "RUN":
      return runText(event.payload)
    case "REMAINS":
      return `${event.payload.type} of version ${event.payload.of}, without what was erased`
    case "ERASE":
      return `${countText(event.payload.versions.length, "event")}: ${event.payload.reason}`
    case "ACCEPT":
      return `${countText(event.payload.places.length, "damaged place")}, report ${event.payload.digest}`
    default:
      return JSON.stringify((event as DaybookEvent).payload)
  }
}

const runText = ({ counts = {}, name, phase, run, status }: Payload<"RUN">): string =>
  [
    `${name} ${phase}`,
    ...(status === undefined || status === "ok" ? [] : [status]),
    ...Object.entries(counts)
      .filter(([, number]) => number > 0)
      .map(([what, number]) => `${number} ${what}`),
    `run ${run}`
  ].join(", ")

const scheduleText = ({ change, definition, schedule, state }: Payload<"SCHEDULE">): string =>
  [
    `${schedule} ${change}`,
    ...(definition === undefined ? [] : [definition.name ?? definition.goal]),
    ...(state === undefined ? [] : [state.next === null ? state.status : `next ${timestampText(state.next)}`])
  ].join(", ")
