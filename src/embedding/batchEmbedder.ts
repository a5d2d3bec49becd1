import * as Effect from "effect/Effect"
import type { EmbedderError, EmbedderService } from "../ports/Embedder.js"
import { embedAll } from "../ports/embedAll.js"

/** A batch of texts and its vectors, each with the digest of its text. */
export type DigestedTexts = ReadonlyArray<readonly [digest: string, text: string]>
export type DigestedVectors = ReadonlyArray<readonly [digest: string, vector: Float32Array]>

/** Embeds one batch with one request. `timeoutMillis` bounds the request. */
export const embedBatch = (
  embedder: EmbedderService,
  batch: DigestedTexts,
  timeoutMillis: number
): Effect.Effect<DigestedVectors, EmbedderError> => {
  const texts = batch.map(([, text]) => text)
  return Effect.map(embedAll(embedder, texts, "document", timeoutMillis), (vectors) =>
    batch.flatMap(([digest], index) => (vectors[index] ? [[digest, vectors[index]] as const] : []))
  )
}

/** Embeds batches and isolates the texts that make a batch fail. */
export interface BatchEmbedder {
  /** Returns the vectors of a batch. A missing digest means that this text could not be embedded. */
  readonly embed: (batch: DigestedTexts) => Effect.Effect<DigestedVectors, EmbedderError>
  /** Texts that failed alone while others succeeded, with the newest failure. They are skipped. */
  readonly skipped: () => SkippedTexts
  /** Tries each skipped text once more, alone. */
  readonly retrySkipped: () => void
}

export interface SkippedTexts {
  readonly count: number
  readonly error?: EmbedderError
}

/** A harmless batch. If it fails too, the cause is the embedder and not the texts. */
const probeBatch: DigestedTexts = [["", "text"]]

/**
 * Returns why an embedder cannot embed a harmless text now; undefined if it can. `timeoutMillis` bounds the request.
 */
export const probeEmbedder = (
  embedder: EmbedderService,
  timeoutMillis: number
): Effect.Effect<EmbedderError | undefined> =>
  Effect.match(embedBatch(embedder, probeBatch, timeoutMillis), {
    onFailure: (error) => error,
    onSuccess: () => undefined
  })

/** Maximum texts that may fail alone while none succeeds. If more fail, the cause is the embedder, not the texts. */
const maxFailuresWithoutSuccess = 8

/**
 * Splits a failing batch in halves, unless the probe fails too. A text that fails alone is skipped, so that the others
 * get their vectors. Vectors of a batch are kept until the batch is complete, so that no text is embedded and paid for
 * twice. `timeoutMillis` bounds one request.
 */
export const make = (embedder: EmbedderService, timeoutMillis: number): BatchEmbedder => {
  const skipped = new Set<string>()
  const toRetry = new Set<string>()
  let skipReason: EmbedderError | undefined
  /** Results for the last batch that failed. A text that got no vector maps to undefined. */
  const results = new Map<string, Float32Array | undefined>()
  /** The digest of the first text of the last batch that failed as a whole, or that a busy provider refused. */
  let failedBefore: string | undefined

  const skip = (digest: string, error: EmbedderError) => {
    skipped.add(digest)
    skipReason = error
  }

  const request = (batch: DigestedTexts) =>
    Effect.map(embedBatch(embedder, batch, timeoutMillis), (vectors) => {
      for (const [digest] of batch) results.set(digest, undefined)
      for (const [digest, vector] of vectors) results.set(digest, vector)
    })

  const requestInParts = Effect.fnUntraced(function* (
    batch: DigestedTexts,
    error: EmbedderError
  ): Effect.fn.Return<void, EmbedderError> {
    const busy = error.kind === "busy"
    if (failsForAll(error)) return yield* error
    const repeated = failedBefore === batch[0]![0]
    // "Busy" may mean too large a batch or too many requests: send smaller parts only when the same batch fails again.
    if (busy) failedBefore = batch[0]![0]
    if (busy && !repeated) return yield* error
    if (!busy && (yield* Effect.either(embedBatch(embedder, probeBatch, timeoutMillis)))._tag === "Left") {
      return yield* error
    }
    const { failures, succeeded } = yield* requestHalves(batch, { busy, repeated, request })
    if (!repeated && !succeeded && batch.length > 1) {
      failedBefore = batch[0]![0]
      return yield* error
    }
    for (const failure of failures) skip(...failure)
  })

  const requestAlone = (text: DigestedTexts[number]) =>
    Effect.catchAll(request([text]), (error) =>
      failsForAll(error) || error.kind === "busy" ? error : Effect.sync(() => skip(text[0], error))
    )

  return {
    skipped: () =>
      skipped.size === 0 || skipReason === undefined
        ? { count: skipped.size }
        : { count: skipped.size, error: skipReason },
    retrySkipped: () => {
      for (const digest of skipped) toRetry.add(digest)
      skipped.clear()
    },
    embed: Effect.fnUntraced(function* (batch) {
      const missing = batch.filter(([digest]) => !results.has(digest) && !skipped.has(digest))
      const firstAttempts = missing.filter(([digest]) => !toRetry.has(digest))
      if (firstAttempts.length > 0)
        yield* Effect.catchAll(request(firstAttempts), (error) => requestInParts(firstAttempts, error))
      for (const text of missing) {
        if (!toRetry.has(text[0])) continue
        yield* requestAlone(text)
        toRetry.delete(text[0])
      }
      const vectors = batch.flatMap(([digest]) => {
        const vector = results.get(digest)
        return vector === undefined ? [] : [[digest, vector] as const]
      })
      results.clear()
      failedBefore = undefined
      return vectors
    })
  }
}

interface SplitOptions {
  readonly busy: boolean
  /** Whether the same batch failed before. If so, each part is sent. */
  readonly repeated: boolean
  readonly request: (batch: DigestedTexts) => Effect.Effect<void, EmbedderError>
}

/** Sends the halves of a batch, and the halves of each failing half. Returns the texts that fail alone. */
const requestHalves = Effect.fnUntraced(function* (batch: DigestedTexts, { busy, repeated, request }: SplitOptions) {
  const failures: Array<readonly [digest: string, error: EmbedderError]> = []
  let succeeded = false
  const parts = batch.length === 1 ? [batch] : halves(batch)
  for (let part = parts.shift(); part !== undefined; part = parts.shift()) {
    const result = yield* Effect.either(request(part))
    if (result._tag === "Right") succeeded = true
    else if (failsForAll(result.left) || (result.left.kind === "busy" && (!busy || part.length === 1))) {
      return yield* result.left
    } else if (part.length > 1) {
      // Depth first finds the accepted batch size quickly; breadth first finds the failing texts quickly.
      if (busy) parts.unshift(...halves(part))
      else parts.push(...halves(part))
    } else failures.push([part[0]![0], result.left])
    if (!repeated && !succeeded && failures.length >= maxFailuresWithoutSuccess) break
  }
  return { failures, succeeded }
})

const halves = (batch: DigestedTexts): Array<DigestedTexts> => {
  const middle = batch.length >> 1
  return [batch.slice(0, middle), batch.slice(middle)]
}

/** Whether every request fails with this error. */
const failsForAll = ({ kind }: EmbedderError): boolean => kind === "settings" || kind === "connection"
