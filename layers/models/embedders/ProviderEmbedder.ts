import * as Clock from "effect/Clock"
import type * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import { runInSpan } from "../../../events/tracing.js"
import { type Embedder, EmbedderError } from "../../../src/ports/Embedder.js"
import { limitRequests, type RequestLimits } from "../limitRequests.js"
import { postJson, type RequestFailed, requestErrors, type Target } from "../postJson.js"
import { cutToBytes, packTexts } from "./pack.js"
import type { Protocol } from "./protocols.js"

/** A provider's model with its limits. */
export interface EmbeddingModel {
  /** The model's name in events, indexes and errors: `openai/text-embedding-3-small`. */
  readonly name: string
  /** The provider's name for the model. */
  readonly model: string
  readonly dimensions: number
  /** True if requests must state the dimensions. */
  readonly sendsDimensions: boolean
  readonly weight: number
  readonly floor: number
  /** Maximum texts and bytes of one request, and bytes of one text. */
  readonly batch: number
  readonly pageBytes: number
  readonly textBytes: number
  readonly prefixes: { readonly document: string; readonly query: string }
  readonly protocol: Protocol
}

type Service = Context.Tag.Service<Embedder>
type Vectors = Map<string, Float32Array>
type Purpose = "document" | "query"

/**
 * Sends texts in one request. Fails with RequestFailed if the server rejects the texts, otherwise with EmbedderError.
 */
type SendTexts = (
  texts: ReadonlyArray<string>,
  purpose: Purpose
) => Effect.Effect<ReadonlyArray<Float32Array>, EmbedderError | RequestFailed>

interface Usage {
  requests: number
  tokens: number
}

/**
 * An embedder that sends texts to a provider.
 *
 * Documents and queries have separate request limits, so that a search does not wait for a backfill. A query is not
 * retried. After a failed connection or a rejected key, queries fail immediately for some seconds, and searches
 * continue without vectors. If one of several requests of a call fails, the vectors received so far are kept for the
 * next attempt, so that no text is paid for twice.
 */
export const make = Effect.fnUntraced(function* (
  model: EmbeddingModel,
  target: Target,
  limits: RequestLimits
): Effect.fn.Return<Service> {
  const { batch, dimensions, floor, name, weight } = model
  const limiters = {
    document: yield* limitRequests(limits, requestErrors),
    query: yield* limitRequests({ ...limits, retries: 0 }, requestErrors)
  }
  const usage: Usage = { requests: 0, tokens: 0 }
  const sendTexts: SendTexts = (texts, purpose) =>
    limiters[purpose](
      Effect.suspend(() => {
        usage.requests++
        return post(model, target, texts, purpose)
      })
    ).pipe(
      Effect.mapError((failure) => (isRejection(failure) ? failure : errorOf(name, failure))),
      Effect.flatMap((answer) => readVectors(model, usage, texts, answer))
    )
  const embedAll = embedMissing(model, sendTexts)
  const breaker = circuitBreaker()
  const embed: Service["embed"] = (texts, purpose) => {
    const embedded = Effect.suspend(() => breaker.watch(embedAll(texts, purpose)))
    return purpose === "document" ? embedded : breaker.failFast(embedded)
  }
  return { model: name, dimensions, weight, floor, batch, embed, usage: () => ({ ...usage }) }
})

/** Makes queries fail immediately for some time after the connection or the key failed. */
const circuitBreaker = () => {
  /** The newest failure of the connection or the key; `until` is in milliseconds since the epoch. */
  let broken: { readonly error: EmbedderError; readonly until: number } | undefined
  return {
    watch: <A>(effect: Effect.Effect<A, EmbedderError>): Effect.Effect<A, EmbedderError> =>
      Effect.tapBoth(effect, {
        onFailure: (error) =>
          error.kind === "connection" || error.kind === "settings"
            ? Effect.map(Clock.currentTimeMillis, (now) => {
                broken = { error, until: now + breakerMillis }
              })
            : Effect.void,
        onSuccess: () =>
          Effect.sync(() => {
            broken = undefined
          })
      }),
    failFast: <A>(effect: Effect.Effect<A, EmbedderError>): Effect.Effect<A, EmbedderError> =>
      Effect.flatMap(Clock.currentTimeMillis, (now) =>
        broken !== undefined && now < broken.until ? Effect.fail(broken.error) : effect
      )
  }
}

const post = (model: EmbeddingModel, target: Target, texts: ReadonlyArray<string>, purpose: Purpose) => {
  const request = {
    model: model.model,
    texts: texts.map((text) => `${model.prefixes[purpose]}${cutToBytes(text, model.textBytes)}`),
    purpose,
    dimensions: model.sendsDimensions ? model.dimensions : undefined
  }
  const maxBytes = texts.length * model.dimensions * bytesPerNumber + spareBytes
  return postJson(target, model.protocol.body(request), maxBytes)
}

const readVectors = (
  { dimensions, name, protocol }: EmbeddingModel,
  usage: Usage,
  texts: ReadonlyArray<string>,
  answer: unknown
): Effect.Effect<ReadonlyArray<Float32Array>, EmbedderError> => {
  const content = protocol.read(answer)
  if (content === undefined) return fail(name, "failed", "unreadable answer")
  // Without a token count in the answer, estimate four characters per token.
  usage.tokens += content.tokens ?? Math.ceil(texts.join("").length / 4)
  if (content.vectors.length !== texts.length) return fail(name, "count")
  const vectors: Array<Float32Array> = []
  for (const value of content.vectors) {
    if (!Array.isArray(value)) return fail(name, "count")
    if (value.length !== dimensions) return fail(name, "dimensions")
    const vector = vectorOf(value)
    if (vector === undefined) return fail(name, "values")
    vectors.push(vector)
  }
  return Effect.succeed(vectors)
}

/**
 * Embeds one page of texts into `received`.
 *
 * A server may reject a page because one text is too long for an unknown model, or because of its content. Then each
 * half is sent separately, and a single rejected text is shortened again and again. If all texts are rejected, the
 * request itself is wrong, and the page fails.
 */
const embedPage = (
  model: EmbeddingModel,
  sendTexts: SendTexts,
  page: { readonly texts: ReadonlyArray<string>; readonly purpose: Purpose; readonly received: Vectors }
): Effect.Effect<void, EmbedderError> => {
  const { purpose, received, texts } = page
  const rejected: Array<string> = []
  const embedPart = (part: ReadonlyArray<string>): Effect.Effect<void, EmbedderError> =>
    sendTexts(part, purpose).pipe(
      Effect.map((vectors) => store(received, part, vectors)),
      Effect.catchTag("RequestFailed", (failure) => {
        const middle = part.length >> 1
        return middle > 0
          ? Effect.zipRight(embedPart(part.slice(0, middle)), embedPart(part.slice(middle)))
          : embedShortened(part[0]!, failure)
      })
    )
  const embedShortened = (
    text: string,
    failure: RequestFailed,
    length = Math.min(text.length, model.textBytes) >> 2
  ): Effect.Effect<void, EmbedderError> => {
    if (length >= minLength) {
      return sendTexts([text.slice(0, length).toWellFormed()], purpose).pipe(
        Effect.map(([vector]) => received.set(text, vector!)),
        Effect.catchTag("RequestFailed", () => embedShortened(text, failure, length >> 2))
      )
    }
    rejected.push(text)
    const requestIsWrong = received.size === 0 && (rejected.length > 1 || texts.length === 1)
    return requestIsWrong ? Effect.fail(errorOf(model.name, failure)) : Effect.void
  }
  // A zero vector marks a text that cannot be embedded.
  const markRejected = Effect.sync(() => {
    for (const text of rejected) received.set(text, new Float32Array(model.dimensions))
  })
  return Effect.zipRight(embedPart(texts), markRejected)
}

/** Embeds texts. Reuses the vectors that earlier calls received before they failed. */
const embedMissing = (model: EmbeddingModel, sendTexts: SendTexts): Service["embed"] => {
  /**
   * Vectors received by calls that later failed, by text. A text has one vector as a document and another one as a
   * query.
   */
  const cacheByPurpose = { document: new Map(), query: new Map() } satisfies Record<Purpose, Vectors>
  return (texts, purpose) => {
    const cached: Vectors = cacheByPurpose[purpose]
    const received: Vectors = new Map(
      texts.flatMap((text) => (cached.has(text) ? [[text, cached.get(text)!] as const] : []))
    )
    const missing = [...new Set(texts)].filter((text) => !received.has(text))
    const embedPart = (part: ReadonlyArray<string>) => embedPage(model, sendTexts, { texts: part, purpose, received })
    return Effect.forEach(packTexts(missing, model), embedPart, { discard: true }).pipe(
      Effect.onExit((exit) =>
        Effect.sync(() => {
          for (const text of received.keys()) cached.delete(text)
          if (exit._tag === "Success") return
          store(cached, [...received.keys()], [...received.values()])
          for (const text of cached.keys()) {
            if (cached.size <= maxKeptBatches * model.batch) break
            cached.delete(text)
          }
        })
      ),
      Effect.map(() => texts.map((text) => received.get(text)!)),
      (vectors) =>
        runInSpan("Embedder.embed", vectors, { model: model.name, texts: texts.length, purpose }, { kind: "client" })
    )
  }
}

const store = (vectorsByText: Vectors, texts: ReadonlyArray<string>, vectors: ReadonlyArray<Float32Array>): void => {
  for (const [index, text] of texts.entries()) vectorsByText.set(text, vectors[index]!)
}

/** Maximum bytes of one number in JSON, and of the rest of an answer. */
const bytesPerNumber = 40
const spareBytes = 1 << 20
/** Milliseconds during which queries fail immediately after the connection or the key failed. */
const breakerMillis = 5_000
/** Maximum batches with vectors kept for the next attempt. */
const maxKeptBatches = 4
/** Stop shortening a rejected text at this number of characters: its length is not the reason. */
const minLength = 64

/** True if the server rejected the content of the request: an unacceptable text, or an invalid request. */
const isRejection = ({ status }: RequestFailed): boolean => status === 400 || status === 413 || status === 422

const fail = (model: string, reason: EmbedderError["reason"], detail?: string) =>
  Effect.fail(new EmbedderError({ model, reason, ...(detail === undefined ? {} : { detail }) }))

const errorOf = (model: string, { detail, kind, reason, retryAfterMillis }: RequestFailed): EmbedderError =>
  new EmbedderError({
    model,
    reason,
    ...(detail === undefined ? {} : { detail }),
    ...(kind === undefined ? {} : { kind }),
    ...(retryAfterMillis === undefined ? {} : { retryAfterMillis })
  })

/** The vector of these numbers; undefined if a value is not a number or is too large for 32 bits. */
const vectorOf = (values: ReadonlyArray<unknown>): Float32Array | undefined => {
  const vector = new Float32Array(values.length)
  for (let index = 0; index < values.length; index++) {
    const value = values[index]
    if (typeof value !== "number") return undefined
    vector[index] = value
    if (!Number.isFinite(vector[index])) return undefined
  }
  return vector
}
