import * as Clock from "effect/Clock"
import type * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import { type Embedder, EmbedderError } from "../../../src/ports/Embedder.js"
import { errors, postJson, type RequestFailed, type Target } from "../postJson.js"
import { type Limits, steady } from "../steady.js"
import { cutTo, packed } from "./pack.js"
import type { Protocol } from "./protocols.js"

/** A model of a provider, with all that is known of it. */
export interface ProviderModel {
  /** How events, indexes and errors name it: `openai/text-embedding-3-small`. */
  readonly name: string
  /** As the provider names it. */
  readonly model: string
  readonly dimensions: number
  /** Whether the provider has to be told the dimensions. */
  readonly told: boolean
  readonly weight: number
  readonly floor: number
  /** Texts and bytes of one request, and bytes of one text. */
  readonly batch: number
  readonly pageBytes: number
  readonly textBytes: number
  readonly prefixes: { readonly document: string; readonly query: string }
  readonly protocol: Protocol
}

type Service = Context.Tag.Service<Embedder>
type Received = Map<string, Float32Array>
type Purpose = "document" | "query"

/**
 * An embedder that asks a provider. Documents and queries each have their own
 * turns, so that a search does not wait for a backfill. A query is asked once,
 * and not at all for some seconds after nobody answered or the key was refused:
 * searches go on without it. Of a call that takes several requests and fails in
 * the middle, what came is kept for the next try: nothing is paid for twice.
 */
export const make = (model: ProviderModel, target: Target, limits: Limits): Effect.Effect<Service> =>
  Effect.gen(function* () {
    const { dimensions, name } = model
    const turns = { document: yield* steady(limits, errors), query: yield* steady({ ...limits, retries: 0 }, errors) }
    const usage = { requests: 0, tokens: 0 }
    /** Vectors of calls that failed later on, by text: a text has another one where it is a query. */
    const keptFor = { document: new Map(), query: new Map() } satisfies Record<Purpose, Received>
    /** Why no query is asked, and until when, milliseconds since the epoch. */
    let broken: { readonly error: EmbedderError; readonly until: number } | undefined

    /** Notes whether the provider can be asked at all. */
    const watched = <A>(asked: Effect.Effect<A, EmbedderError>): Effect.Effect<A, EmbedderError> =>
      Effect.tapBoth(asked, {
        onFailure: (error) =>
          error.kind === "connection" || error.kind === "settings"
            ? Effect.map(Clock.currentTimeMillis, (now) => {
                broken = { error, until: now + brokenFor }
              })
            : Effect.void,
        onSuccess: () =>
          Effect.sync(() => {
            broken = undefined
          })
      })

    const ask = (texts: ReadonlyArray<string>, purpose: Purpose) =>
      turns[purpose](
        Effect.suspend(() => {
          usage.requests++
          const asked = {
            model: model.model,
            texts: texts.map((text) => `${model.prefixes[purpose]}${cutTo(text, model.textBytes)}`),
            purpose,
            dimensions: model.told ? dimensions : undefined
          }
          return postJson(target, model.protocol.body(asked), texts.length * dimensions * numberBytes + spareBytes)
        })
      ).pipe(
        Effect.mapError((failure) => (isRefusal(failure) ? failure : errorOf(name, failure))),
        Effect.flatMap((answer) => {
          const given = model.protocol.read(answer)
          if (given === undefined) return fail(name, "failed", "unreadable answer")
          usage.tokens += given.tokens ?? Math.ceil(texts.join("").length / 4)
          if (given.vectors.length !== texts.length) return fail(name, "count")
          const vectors: Array<Float32Array> = []
          for (const value of given.vectors) {
            if (!Array.isArray(value)) return fail(name, "count")
            if (value.length !== dimensions) return fail(name, "dimensions")
            const vector = vectorOf(value)
            if (vector === undefined) return fail(name, "values")
            vectors.push(vector)
          }
          return Effect.succeed(vectors)
        })
      )

    /**
     * The vectors of one page. Of a page that is refused (one text may be too
     * long for a model that is not known here, or not be taken for what it
     * says) each half is asked by itself, and a single text a few letters of it;
     * where nothing but refusals comes, the request is wrong and not a text.
     */
    const page = (texts: ReadonlyArray<string>, received: Received, purpose: Purpose) => {
      const refused: Array<string> = []
      const half = (some: ReadonlyArray<string>): Effect.Effect<void, EmbedderError> =>
        ask(some, purpose).pipe(
          Effect.map((vectors) => keep(received, some, vectors)),
          Effect.catchTag("RequestFailed", (failure) => {
            const middle = some.length >> 1
            return middle > 0
              ? Effect.zipRight(half(some.slice(0, middle)), half(some.slice(middle)))
              : shorter(some[0]!, failure)
          })
        )
      const shorter = (
        text: string,
        failure: RequestFailed,
        length = Math.min(text.length, model.textBytes) >> 2
      ): Effect.Effect<void, EmbedderError> => {
        if (length >= leastLength) {
          return ask([text.slice(0, length).toWellFormed()], purpose).pipe(
            Effect.map(([vector]) => received.set(text, vector!)),
            Effect.catchTag("RequestFailed", () => shorter(text, failure, length >> 2))
          )
        }
        refused.push(text)
        const wrong = received.size === 0 && (refused.length > 1 || texts.length === 1)
        return wrong ? Effect.fail(errorOf(name, failure)) : Effect.void
      }
      // A vector without a direction says that there is none.
      const without = Effect.sync(() => {
        for (const text of refused) received.set(text, new Float32Array(dimensions))
      })
      return Effect.zipRight(half(texts), without)
    }

    const embedAll: Service["embed"] = (texts, purpose) => {
      const kept: Received = keptFor[purpose]
      const received: Received = new Map(
        texts.flatMap((text) => (kept.has(text) ? [[text, kept.get(text)!] as const] : []))
      )
      const missing = [...new Set(texts)].filter((text) => !received.has(text))
      return Effect.forEach(packed(missing, model), (some) => page(some, received, purpose), { discard: true }).pipe(
        Effect.onExit((exit) =>
          Effect.sync(() => {
            for (const text of received.keys()) kept.delete(text)
            if (exit._tag === "Success") return
            keep(kept, [...received.keys()], [...received.values()])
            for (const text of kept.keys()) {
              if (kept.size <= mostKept * model.batch) break
              kept.delete(text)
            }
          })
        ),
        Effect.map(() => texts.map((text) => received.get(text)!)),
        Effect.withSpan("Embedder.embed", { attributes: { model: name, texts: texts.length, purpose } })
      )
    }

    const embed: Service["embed"] = (texts, purpose) =>
      purpose === "document"
        ? watched(embedAll(texts, purpose))
        : Effect.flatMap(Clock.currentTimeMillis, (now) =>
            broken !== undefined && now < broken.until ? Effect.fail(broken.error) : watched(embedAll(texts, purpose))
          )

    return {
      model: name,
      dimensions,
      weight: model.weight,
      floor: model.floor,
      batch: model.batch,
      embed,
      usage: () => ({ ...usage })
    }
  })

const keep = (received: Received, texts: ReadonlyArray<string>, vectors: ReadonlyArray<Float32Array>): void => {
  for (const [at, text] of texts.entries()) received.set(text, vectors[at]!)
}

/** Bytes of a number in JSON, and of what else an answer may hold. */
const numberBytes = 40
const spareBytes = 1 << 20
/** Milliseconds for which no query is asked. */
const brokenFor = 5_000
/** Batches whose vectors are kept for another try. */
const mostKept = 4
/** Letters of a text below which it is not its length that is refused. */
const leastLength = 64

/** What servers answer to a text that they do not take, and to a request that is wrong as a whole. */
const isRefusal = ({ status }: RequestFailed): boolean => status === 400 || status === 413 || status === 422

const fail = (model: string, reason: EmbedderError["reason"], detail?: string) =>
  Effect.fail(new EmbedderError({ model, reason, ...(detail === undefined ? {} : { detail }) }))

const errorOf = (model: string, { after, detail, kind, reason }: RequestFailed): EmbedderError =>
  new EmbedderError({
    model,
    reason,
    ...(detail === undefined ? {} : { detail }),
    ...(kind === undefined ? {} : { kind }),
    ...(after === undefined ? {} : { after })
  })

/** Undefined where one of the numbers is none, or too great to be kept. */
const vectorOf = (values: ReadonlyArray<unknown>): Float32Array | undefined => {
  const vector = new Float32Array(values.length)
  for (let at = 0; at < values.length; at++) {
    const value = values[at]
    if (typeof value !== "number") return undefined
    vector[at] = value
    if (!Number.isFinite(vector[at])) return undefined
  }
  return vector
}
