import type * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Stream from "effect/Stream"
import { digestOf, genesis, hashOf, type StoredEvent, sameBytes } from "./Chain.js"
import type { Codec } from "./Codec.js"
import { type EventLog, type Head, type Problem, readAll } from "./EventLog.js"
import type { StorageError } from "./errors.js"

/** What a check of one stream or of the whole log found. `head` is null where several streams were read. */
export interface Verified {
  readonly ok: boolean
  readonly events: number
  readonly streams: number
  readonly head: { readonly version: number; readonly hash: string } | null
  readonly problems: ReadonlyArray<Problem>
}

/** At most this many problems are listed: one changed event breaks all that follow it. */
const listed = 100

/**
 * Recomputes the chain of a stream (or of all of them): versions without gaps,
 * times that never run backwards, payloads as digested, hashes as chained,
 * erased events named by an ERASE event; then the storage's own integrity and
 * the anchor. Damage is reported, it is not an error.
 */
export const verify = (
  log: Context.Tag.Service<EventLog>,
  codec: Codec,
  stream: string | null
): Effect.Effect<Verified> =>
  Effect.gen(function* () {
    const problems: Array<Problem> = []
    const report = (error: StorageError) =>
      Effect.sync(() => void problems.push({ stream, version: null, what: error.message }))
    const heads = yield* log.streams.pipe(
      Effect.catchAll((error) => Effect.as(report(error), [] as ReadonlyArray<Head>))
    )
    const chosen = stream === null ? heads : heads.filter((head) => head.stream === stream)
    let events = 0
    let head: Verified["head"] = null
    for (const { stream: name } of chosen) {
      const checked = chain(name, codec)
      yield* Stream.runForEach(readAll(log, name), (event) => Effect.sync(() => checked.next(event))).pipe(
        Effect.catchAll(report)
      )
      problems.push(...checked.problems())
      events += checked.count()
      head = { version: checked.count(), hash: Buffer.from(checked.hash()).toString("hex") }
    }
    problems.push(...(yield* log.problems(stream).pipe(Effect.catchAll((error) => Effect.as(report(error), [])))))
    return {
      ok: problems.length === 0,
      events,
      streams: chosen.length,
      head: chosen.length === 1 ? head : null,
      problems: problems.slice(0, listed)
    }
  })

/** Checks the events of one stream, given in the order of their versions. */
const chain = (stream: string, codec: Codec) => {
  const problems: Array<Problem> = []
  const erased = new Map<number, number>()
  const permitted = new Map<number, number>()
  let previous = genesis
  let version = 0
  let recordedAt = 0
  let sequence = 0
  const found = (event: StoredEvent, what: string) => {
    if (problems.length < listed) problems.push({ stream, version: event.version, what })
  }
  return {
    next: (event: StoredEvent) => {
      version++
      if (!wellTyped(event)) return found(event, "a column has a value of the wrong kind")
      if (event.version !== version) {
        found(event, `the versions have a gap: ${version} is missing`)
        version = event.version
      }
      if (event.sequence <= sequence) found(event, "the sequence runs backwards")
      if (event.recordedAt < recordedAt) found(event, "the recording time runs backwards")
      if (event.payload !== null && event.salt !== null) {
        if (!sameBytes(digestOf(event.salt, event.requestDigest, event.payload), event.digest)) {
          found(event, "the payload is not the one that was digested")
        }
        if (event.erasedAt !== null) found(event, "the event is marked as erased and is not")
      } else {
        if (event.payload !== null || event.salt !== null || event.requestDigest !== null) {
          found(event, "the event is erased in part")
        }
        erased.set(event.version, event.erasedAt ?? -1)
      }
      if (!sameBytes(hashOf(previous, event), event.hash))
        found(event, "the hash does not follow from the event before")
      if (event.type === "ERASE") {
        const decoded = codec.decode(event)
        if (Either.isRight(decoded) && decoded.right.type === "ERASE" && decoded.right.payload !== null) {
          for (const one of decoded.right.payload.versions) permitted.set(one, event.recordedAt)
        }
      }
      previous = event.hash
      recordedAt = event.recordedAt
      sequence = event.sequence
    },
    count: () => version,
    hash: () => previous,
    problems: (): ReadonlyArray<Problem> => {
      for (const [at, erasedAt] of erased) {
        if (!permitted.has(at))
          problems.push({ stream, version: at, what: "the payload is missing and no ERASE event names it" })
        else if (permitted.get(at) !== erasedAt) {
          problems.push({ stream, version: at, what: "the time of erasure is not that of the ERASE event" })
        }
      }
      return problems
    }
  }
}

/** A single flipped bit can turn a text into a blob of the same bytes, or a missing value into 0. */
const wellTyped = (event: StoredEvent): boolean =>
  [event.sequence, event.version, event.schema, event.ordinal, event.occurredAt, event.recordedAt].every(
    Number.isInteger
  ) &&
  [event.stream, event.type, event.actor].every(isText) &&
  [event.payload, event.commandId, event.cause].every((value) => value === null || isText(value)) &&
  [event.digest, event.hash].every(isBytes(32)) &&
  (event.salt === null || isBytes(16)(event.salt)) &&
  (event.requestDigest === null || isBytes(32)(event.requestDigest)) &&
  (event.erasedAt === null || Number.isInteger(event.erasedAt))

const isText = (value: unknown) => typeof value === "string"
const isBytes = (length: number) => (value: unknown) => value instanceof Uint8Array && value.length === length
