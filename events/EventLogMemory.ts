import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import { requestDigestOf, type StoredEvent, sameBytes } from "./Chain.js"
import { type Append, type Appended, EventLog, type Head, type Timer } from "./EventLog.js"
import { AlreadyErased, CommandConflict, VersionConflict } from "./errors.js"
import { consistent, headAfter, link } from "./link.js"
import { emptyHead, meets } from "./rows.js"

/** A log that lives and dies with the process: for tests and for trying things out. */
export const layer: Layer.Layer<EventLog> = Layer.sync(EventLog, () => make())

export const make = () => {
  const streams = new Map<string, Array<StoredEvent>>()
  const vectors = new Map<string, Float32Array>()
  const timers = new Map<string, number>()
  let sequence = 0

  const of = (stream: string): ReadonlyArray<StoredEvent> => streams.get(stream) ?? []
  const headOf = (stream: string): Head => {
    const last = of(stream).at(-1)
    return last === undefined
      ? emptyHead(stream)
      : { stream, version: last.version, hash: last.hash, recordedAt: last.recordedAt }
  }
  const vectorKey = (model: string, dimensions: number, digest: string) => `${model} ${dimensions} ${digest}`

  const command = (
    stream: string,
    commandId: string,
    request: string
  ): Either.Either<Option.Option<Appended>, CommandConflict | AlreadyErased> => {
    const events = of(stream).filter((event) => event.commandId === commandId)
    const first = events[0]
    if (first === undefined) return Either.right(Option.none<Appended>())
    if (first.salt === null) return Either.left(new AlreadyErased({ stream, commandId }))
    return sameBytes(first.requestDigest, requestDigestOf(first.salt, request))
      ? Either.right(Option.some<Appended>({ events, repeated: true }))
      : Either.left(new CommandConflict({ stream, commandId }))
  }

  const append = (request: Append) =>
    Either.gen(function* () {
      const { stream, expected, now, commands, due, vectors: cached } = request
      yield* consistent(request)
      const before: Array<Option.Option<Appended>> = []
      for (const { commandId, request } of commands) {
        before.push(commandId === undefined ? Option.none() : yield* command(stream, commandId, request ?? ""))
      }
      let head = headOf(stream)
      const fresh = before.some(Option.isNone)
      if ((fresh || commands.length === 0) && !meets(expected, head.version)) {
        return yield* Either.left(new VersionConflict({ stream, expected, actual: head.version }))
      }
      const written = new Map<string, Appended>()
      const answers = commands.map((asked, index): Appended => {
        const repeated = before[index]!
        if (Option.isSome(repeated)) return repeated.value
        const earlier = asked.commandId === undefined ? undefined : written.get(asked.commandId)
        if (earlier !== undefined) return { ...earlier, repeated: true }
        const stored = link(head, asked, now, () => ++sequence)
        streams.set(stream, [...of(stream), ...stored])
        head = headAfter(head, stored)
        const answer = { events: stored, repeated: false }
        if (asked.commandId !== undefined) written.set(asked.commandId, answer)
        return answer
      })
      if (due !== undefined && (fresh || commands.length === 0)) {
        if (due === null) timers.delete(stream)
        else timers.set(stream, due)
      }
      for (const { model, dimensions, digest, vector } of cached ?? []) {
        vectors.set(vectorKey(model, dimensions, digest), vector.slice())
      }
      return answers
    })

  return EventLog.of({
    append: (request) => Effect.suspend(() => append(request)),
    read: (stream, { after, to, limit }) =>
      Effect.sync(() => of(stream).slice(after, Math.min(to ?? Number.POSITIVE_INFINITY, after + limit))),
    replay: (stream, { after, to, limit }) =>
      Effect.sync(() => of(stream).slice(after, Math.min(to ?? Number.POSITIVE_INFINITY, after + limit))),
    at: (stream, versions) => Effect.sync(() => of(stream).filter((event) => versions.includes(event.version))),
    head: (stream) => Effect.sync(() => headOf(stream)),
    streams: Effect.sync(() => [...streams.keys()].sort(byBytes).map(headOf)),
    versionAt: (stream, instant) =>
      Effect.sync(() => of(stream).findLast((event) => event.recordedAt <= instant)?.version ?? 0),
    command: (stream, commandId, request) => Effect.suspend(() => command(stream, commandId, request)),
    vectors: (model, dimensions, digests) =>
      Effect.sync(
        () =>
          new Map(
            digests.flatMap((digest) => {
              const vector = vectors.get(vectorKey(model, dimensions, digest))
              return vector === undefined ? [] : [[digest, vector.slice()] as const]
            })
          )
      ),
    timers: ({ limit, offset = 0, until }) =>
      Effect.sync(() =>
        [...timers]
          .map(([stream, due]): Timer => ({ stream, due }))
          .filter(({ due }) => due <= until)
          .sort((a, b) => a.due - b.due || byBytes(a.stream, b.stream))
          .slice(offset, offset + limit)
      ),
    reanchor: Effect.void,
    problems: () => Effect.succeed([])
  })
}

/** The order of SQLite, and of PostgreSQL's "C": JavaScript's own differs beyond the basic plane. */
const byBytes = (a: string, b: string) => Buffer.compare(Buffer.from(a), Buffer.from(b))
