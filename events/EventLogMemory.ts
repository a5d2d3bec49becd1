import type * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import { commandKeyOf, type StoredEvent, sameBytes } from "./Chain.js"
import {
  type Append,
  type Appended,
  type EraseRequest,
  EventLog,
  type Head,
  type Subject,
  type Timer
} from "./EventLog.js"
import { eraseCommand, isEmptyPlan, planErasure } from "./erasure/erasePlan.js"
import { parseRemainsPayload } from "./erasure/substitute.js"
import { ErasedMeanwhile, VersionConflict } from "./errors.js"
import { emptyHead, meetsExpectation } from "./eventRows.js"
import { checkRequests, findEarlierAnswer, headAfter, linkEvents } from "./link.js"
import { removeNames } from "./names.js"

/** A log in memory. It is lost when the process ends. For tests and experiments. */
export const layer: Layer.Layer<EventLog> = Layer.sync(EventLog, () => make())

// Longer than 80 lines: its functions share the streams.
export const make = () => {
  const streams = new Map<string, Array<StoredEvent>>()
  const vectors = new Map<string, Float32Array>()
  const timers = new Map<string, number>()
  let sequence = 0

  const eventsOf = (stream: string): ReadonlyArray<StoredEvent> => streams.get(stream) ?? []
  const headOf = (stream: string): Head => headAfter(emptyHead(stream), eventsOf(stream))
  const findCommand = (stream: string, commandId: string, request: string) =>
    findEarlierAnswer(
      { stream, commandId, request },
      eventsOf(stream).filter((event) => sameBytes(event.commandKey, keyOf(stream, commandId)))
    )

  const setTimer = (stream: string, due: number | null) => {
    if (due === null) timers.delete(stream)
    else timers.set(stream, due)
  }

  const append = (request: Append) =>
    Either.gen(function* () {
      const { stream, expected, now, commands, due, readAt, vectors: newVectors } = request
      yield* checkRequests(request)
      const repeats: Array<Option.Option<Appended>> = []
      for (const { commandId, request } of commands) {
        repeats.push(commandId === undefined ? Option.none() : yield* findCommand(stream, commandId, request ?? ""))
      }
      let head = headOf(stream)
      const hasNewCommand = repeats.some(Option.isNone)
      if ((hasNewCommand || commands.length === 0) && !meetsExpectation(expected, head.version)) {
        return yield* Either.left(new VersionConflict({ stream, expected, actual: head.version }))
      }
      if (hasNewCommand && readAt !== undefined) {
        const seen = readAt.version === 0 ? emptyHead(stream) : eventsOf(stream)[readAt.version - 1]
        const isErased = eventsOf(stream).some(({ type, version }) => type === "ERASE" && version > readAt.version)
        if (isErased || !sameBytes(seen?.hash ?? null, readAt.hash))
          return yield* Either.left(new ErasedMeanwhile({ stream, readAt: readAt.version }))
      }
      const newAnswers = new Map<string, Appended>()
      const answers = commands.map((command, index): Appended => {
        const repeated = repeats[index]!
        if (Option.isSome(repeated)) return repeated.value
        const earlier = command.commandId === undefined ? undefined : newAnswers.get(command.commandId)
        if (earlier !== undefined) return { ...earlier, repeated: true }
        const commandKey = command.commandId === undefined ? null : keyOf(stream, command.commandId)
        const stored = [...linkEvents(head, command, { now, commandKey, nextSequence: () => ++sequence })]
        streams.set(stream, [...eventsOf(stream), ...stored])
        head = headAfter(head, stored)
        const answer = { events: stored, repeated: false }
        if (command.commandId !== undefined) newAnswers.set(command.commandId, answer)
        return answer
      })
      if (due !== undefined && (hasNewCommand || commands.length === 0)) setTimer(stream, due)
      for (const { model, dimensions, digest, vector } of newVectors ?? []) {
        vectors.set(vectorKey(model, dimensions, digest), vector.slice())
      }
      return answers
    })

  /** The events of a stream as reads return them: an erased event has the content of its newest REMAINS event. */
  const contentsOf = (stream: string): ReadonlyArray<StoredEvent> => {
    const events = eventsOf(stream)
    const kept = new Map(
      events.flatMap((event) => (isRemains(event) ? [[ofOf(event), parseRemainsPayload(event.payload)]] : []))
    )
    return kept.size === 0 ? events : events.map((event) => ({ ...event, ...kept.get(event.version) }))
  }

  const read: Context.Tag.Service<EventLog>["read"] = (stream, { after, limit, raw, to = Number.POSITIVE_INFINITY }) =>
    Effect.sync(() => (raw === true ? eventsOf : contentsOf)(stream).slice(after, Math.min(to, after + limit)))

  const erase = (request: EraseRequest) =>
    Either.gen(function* () {
      for (const { readAt, stream } of request.streams) {
        const { version } = headOf(stream)
        if (version !== readAt)
          return yield* Either.left(new VersionConflict({ stream, expected: readAt, actual: version }))
      }
      const counts = { erased: 0, remains: 0 }
      for (const { due, stream, ...erasure } of request.streams) {
        const events = eventsOf(stream)
        const remainsOf = (version: number) => events.findLast((event) => isRemains(event) && ofOf(event) === version)
        const plan = planErasure(erasure, events, (version) => remainsOf(version)?.version)
        if (isEmptyPlan(plan)) continue
        const rows = [
          ...linkEvents(headOf(stream), eraseCommand(request, plan, undefined), {
            now: request.now,
            commandKey: null,
            nextSequence: () => ++sequence
          })
        ]
        const empty = { payload: null, salt: null, requestDigest: null, erasedAt: rows[0]!.recordedAt }
        const columnsOf = new Map(plan.names.map(({ columns, version }) => [version, columns]))
        const erased = new Set(plan.versions)
        const kept = events.map((event) => {
          const columns = columnsOf.get(event.version)
          return {
            ...event,
            ...(erased.has(event.version) ? empty : {}),
            ...(columns === undefined ? {} : removeNames(event, event.names!, columns))
          }
        })
        streams.set(stream, [...kept, ...rows])
        if (due !== undefined) setTimer(stream, due)
        counts.erased += plan.versions.length
        counts.remains += plan.remains.length
      }
      for (const stream of request.wholeStreams) {
        counts.erased += eventsOf(stream).length
        streams.delete(stream)
        timers.delete(stream)
      }
      const digests = new Set(request.vectors)
      for (const key of vectors.keys()) if (digests.has(key.slice(key.lastIndexOf(" ") + 1))) vectors.delete(key)
      return counts
    })

  return EventLog.of({
    append: (request) => Effect.suspend(() => append(request)),
    read,
    replay: read,
    at: (stream, versions) => Effect.sync(() => contentsOf(stream).filter((event) => versions.includes(event.version))),
    newest: (stream, subjects) =>
      Effect.sync(() => subjects.map((subject) => contentsOf(stream).findLast((event) => isAbout(event, subject)))),
    head: (stream) => Effect.sync(() => headOf(stream)),
    streams: Effect.sync(() => [...streams.keys()].sort(byBytes).map(headOf)),
    versionAt: (stream, instant) =>
      Effect.sync(() => eventsOf(stream).findLast((event) => event.recordedAt <= instant)?.version ?? 0),
    earliest: (stream, from) =>
      Effect.sync(() =>
        eventsOf(stream)
          .slice(from - 1)
          .reduce((earliest, { recordedAt }) => Math.min(earliest, recordedAt), Number.POSITIVE_INFINITY)
      ),
    command: (stream, commandId, request) => Effect.suspend(() => findCommand(stream, commandId, request)),
    vectors: (model, dimensions, digests) =>
      Effect.sync(() => {
        const cached = digests.map((digest) => [digest, vectors.get(vectorKey(model, dimensions, digest))] as const)
        return new Map(cached.flatMap(([digest, vector]) => (vector === undefined ? [] : [[digest, vector.slice()]])))
      }),
    timers: ({ limit, offset = 0, until }) =>
      Effect.sync(() =>
        [...timers]
          .map(([stream, due]): Timer => ({ stream, due }))
          .filter(({ due }) => due <= until)
          .sort((a, b) => a.due - b.due || byBytes(a.stream, b.stream))
          .slice(offset, offset + limit)
      ),
    erase: (request) => Effect.suspend(() => erase(request)),
    pauseWrites: (work) => work,
    eraseAgain: () => Effect.succeed("anotherLog" as const),
    ledger: Effect.succeed([]),
    cleanings: Effect.succeed({ streams: [], line: 0 }),
    clean: () => Effect.succeed("done" as const),
    newestErasure: (stream) =>
      Effect.sync(() => eventsOf(stream).findLast(({ type }) => type === "ERASE")?.version ?? 0),
    accept: (request) => Effect.asVoid(Effect.suspend(() => append(request))),
    inspect: () => Effect.succeed({ problems: [], ledger: [], broken: [], repairs: [], restores: [], anchor: null })
  })
}

const isRemains = (event: StoredEvent): event is StoredEvent & { readonly payload: string } =>
  event.type === "REMAINS" && event.payload !== null

const ofOf = ({ payload }: { readonly payload: string }): number => JSON.parse(payload).of

/** True if an event adds or changes a subject. */
const isAbout = ({ payload: text, type, version }: StoredEvent, { kind, subject }: Subject): boolean => {
  const payload = JSON.parse(text ?? "{}")
  switch (kind) {
    case "row":
      return (
        version === subject ||
        [payload.memory, ...(payload.sources ?? []), ...(payload.memories ?? [])].some(
          (image) => image?.born === subject
        )
      )
    case "run":
      return type === "RUN" && payload.kind === "schedule" && payload.name === subject
    default:
      return (
        type === "SCHEDULE" && payload.schedule === subject && (kind === "schedule" || payload.definition !== undefined)
      )
  }
}

const keyOf = (stream: string, commandId: string) => commandKeyOf("memory", stream, commandId)

const vectorKey = (model: string, dimensions: number, digest: string) => `${model} ${dimensions} ${digest}`

/** The order of SQLite and of PostgreSQL's "C" collation. JavaScript orders characters above U+FFFF differently. */
const byBytes = (a: string, b: string) => Buffer.compare(Buffer.from(a), Buffer.from(b))
