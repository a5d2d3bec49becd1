import type * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Stream from "effect/Stream"
import { digestOf, genesis, hashOf, type StoredEvent, sameBytes } from "./Chain.js"
import type { Codec } from "./Codec.js"
import { type EventLog, type Head, type Problem, readAll } from "./EventLog.js"
import type { StorageError } from "./errors.js"

/** The result of checking one stream or the whole log. `head` is null where several streams were read. */
export interface Verification {
  readonly ok: boolean
  readonly events: number
  readonly streams: number
  readonly head: { readonly version: number; readonly hash: string } | null
  readonly problems: ReadonlyArray<Problem>
}

/** The most problems that are listed: one changed event breaks every event after it. */
const maxProblems = 100

/**
 * Checks one stream or all of them. Recomputes the chain: versions without gaps, times that never run backwards,
 * payloads that match their digests, hashes that chain, erased events named by an ERASE event. Then checks the
 * storage's own integrity and the anchor. Damage is reported as a problem, not as an error.
 */
export const verify = (
  log: Context.Tag.Service<EventLog>,
  codec: Codec,
  stream: string | null
): Effect.Effect<Verification> =>
  Effect.gen(function* () {
    const problems: Array<Problem> = []
    const report = (error: StorageError) =>
      Effect.sync(() => void problems.push({ stream, version: null, what: error.message }))
    const heads = yield* log.streams.pipe(
      Effect.catchAll((error) => Effect.as(report(error), [] as ReadonlyArray<Head>))
    )
    const selected = stream === null ? heads : heads.filter((head) => head.stream === stream)
    let events = 0
    let head: Verification["head"] = null
    for (const { stream: name } of selected) {
      const checker = chainChecker(name, codec)
      yield* Stream.runForEach(readAll(log, name), (event) => Effect.sync(() => checker.next(event))).pipe(
        Effect.catchAll(report)
      )
      problems.push(...checker.problems())
      events += checker.count()
      head = { version: checker.count(), hash: Buffer.from(checker.hash()).toString("hex") }
    }
    problems.push(...(yield* log.problems(stream).pipe(Effect.catchAll((error) => Effect.as(report(error), [])))))
    return {
      ok: problems.length === 0,
      events,
      streams: selected.length,
      head: selected.length === 1 ? head : null,
      problems: problems.slice(0, maxProblems)
    }
  })

/** Checks the events of one stream. They must arrive in version order. */
const chainChecker = (stream: string, codec: Codec) => {
  const problems: Array<Problem> = []
  const erased = new Map<number, number>()
  const allowedErasures = new Map<number, number>()
  let previous = genesis
  let version = 0
  let recordedAt = 0
  let sequence = 0
  const report = (event: StoredEvent, problem: string) => {
    if (problems.length < maxProblems) problems.push({ stream, version: event.version, what: problem })
  }
  return {
    next: (event: StoredEvent) => {
      version++
      if (!wellTyped(event)) return report(event, "a column has a value of the wrong type")
      if (event.version !== version) {
        report(event, `the versions have a gap: ${version} is missing`)
        version = event.version
      }
      if (event.sequence <= sequence) report(event, "the sequence runs backwards")
      if (event.recordedAt < recordedAt) report(event, "the recording time runs backwards")
      if (event.payload !== null && event.salt !== null) {
        if (!sameBytes(digestOf(event.salt, event.requestDigest, event.payload), event.digest)) {
          report(event, "the payload does not match its digest")
        }
        if (event.erasedAt !== null) report(event, "the event is marked as erased but still has its payload")
      } else {
        if (event.payload !== null || event.salt !== null || event.requestDigest !== null) {
          report(event, "the event is only partly erased")
        }
        erased.set(event.version, event.erasedAt ?? -1)
      }
      if (!sameBytes(hashOf(previous, event), event.hash))
        report(event, "the hash does not follow from the event before")
      if (event.type === "ERASE") {
        const decoded = codec.decode(event)
        if (Either.isRight(decoded) && decoded.right.type === "ERASE" && decoded.right.payload !== null) {
          for (const erasedVersion of decoded.right.payload.versions)
            allowedErasures.set(erasedVersion, event.recordedAt)
        }
      }
      previous = event.hash
      recordedAt = event.recordedAt
      sequence = event.sequence
    },
    count: () => version,
    hash: () => previous,
    problems: (): ReadonlyArray<Problem> => {
      for (const [erasedVersion, erasedAt] of erased) {
        if (!allowedErasures.has(erasedVersion))
          problems.push({ stream, version: erasedVersion, what: "the payload is missing and no ERASE event names it" })
        else if (allowedErasures.get(erasedVersion) !== erasedAt) {
          problems.push({ stream, version: erasedVersion, what: "the erasure time differs from the ERASE event" })
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
