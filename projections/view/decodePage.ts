import type * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import type { ReplayedEvent } from "../../events/Chain.js"
import type { Codec } from "../../events/Codec.js"
import type { DaybookEvent, ErasedEvent } from "../../events/catalogue.js"
import type { EventLog } from "../../events/EventLog.js"
import { UnknownEvent } from "../../events/errors.js"
import { opennessOf } from "../../events/Trust.js"
import { isYieldDue, yieldToEventLoop } from "../../events/turns.js"
import type { Lookup } from "../Projection.js"

/**
 * Decodes a page of events and fetches the vectors that the events refer to. Stops before the first event that this
 * release cannot decode, and returns the error for that event as `unknown`.
 */
export const decodePage = Effect.fnUntraced(function* (
  log: Context.Tag.Service<EventLog>,
  codec: Codec,
  rows: ReadonlyArray<ReplayedEvent>,
  stricter?: ReadonlyMap<string, number>
) {
  const events: Array<DaybookEvent | ErasedEvent> = []
  const vectors = new Map<string, Float32Array>()
  let unknown: UnknownEvent | undefined
  for (const row of rows) {
    if (isYieldDue()) yield* yieldToEventLoop
    const decoded = codec.decode(row)
    if (Either.isLeft(decoded)) {
      if (decoded.left instanceof UnknownEvent) {
        unknown = decoded.left
        break
      }
      return yield* decoded.left
    }
    const event = decoded.right
    events.push(event)
    if (event.type !== "EMBED" || event.payload === null) continue
    const { chunks = [], dimensions, entries, model } = event.payload
    const digests = [...entries, ...chunks].map(({ digest }) => digest)
    for (let from = 0; from < digests.length; from += vectorsPerQuery) {
      if (isYieldDue()) yield* yieldToEventLoop
      const cached = yield* log.vectors(model, dimensions, digests.slice(from, from + vectorsPerQuery))
      for (const [digest, vector] of cached) vectors.set(vectorKey(model, dimensions, digest), vector)
    }
  }
  return { events, unknown, lookup: makeLookup((...key) => vectors.get(vectorKey(...key)), stricter) }
})

export const makeLookup = (
  vectorOf: Lookup["vectorOf"],
  stricter: ReadonlyMap<string, number> = new Map()
): Lookup => ({
  vectorOf,
  opennessOf: ({ id, store }) => Math.min(opennessOf(store), stricter.get(id) ?? Number.POSITIVE_INFINITY)
})

const vectorsPerQuery = 100

const vectorKey = (model: string, dimensions: number, digest: string) => `${model} ${dimensions} ${digest}`
