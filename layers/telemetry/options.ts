import * as Either from "effect/Either"
import * as Redacted from "effect/Redacted"
import * as Schema from "effect/Schema"
import type { InvalidInput } from "../../src/model/errors.js"
import { checkInteger, failWithInvalidInput, refuseUnknownOptions } from "../../src/model/filters.js"
import { collectorAddress, collectorProblem } from "../../src/ports/policy/fields.js"

/** Options of `layerOtlp`. */
export interface OtlpOptions {
  /** The collector's URL for OTLP over HTTP, without `/v1/traces`. Default: http://127.0.0.1:4318. */
  readonly url?: string | undefined
  /** Headers of each request, such as the collector's key. */
  readonly headers?: Readonly<Record<string, string | Redacted.Redacted>> | undefined
  /** Default: `OTEL_SERVICE_NAME`, or `daybook`. */
  readonly serviceName?: string | undefined
  /** Milliseconds between two exports of spans, and of metrics. The rest is sent at shutdown. */
  readonly spansEvery?: number | undefined
  readonly metricsEvery?: number | undefined
  /** Maximum milliseconds in total that the shutdown waits for the collector. Default: 2,000. */
  readonly closeMillis?: number | undefined
}

/** Options of `layerFile`. */
export interface TraceFileOptions {
  /** The file. A new file is readable only by its owner; an existing file is appended to. */
  readonly file: string
  /** Size in bytes at which the file is renamed to `FILE.1` and begun again. Default: 10,000,000. */
  readonly maxBytes?: number | undefined
  /** Milliseconds between two writes of the metrics. They are also written at the end. Default: a minute. */
  readonly metricsEvery?: number | undefined
}

/** The longest delay of a timer, in milliseconds. */
const maxMillis = 2 ** 31 - 1

/** True if a text is the URL of a collector. */
export const isAddress = Schema.is(collectorAddress)

/** Checks the options of `layerOtlp`. A wrong option would silently send nothing, or send to another collector. */
export const checkOtlpOptions = (options: OtlpOptions): Either.Either<void, InvalidInput> =>
  Either.gen(function* () {
    yield* refuseUnknownOptions(options, ["url", "headers", "serviceName", "spansEvery", "metricsEvery", "closeMillis"])
    const { closeMillis, headers = {}, metricsEvery, serviceName, spansEvery, url } = options
    if (url !== undefined && !isAddress(url)) yield* failWithInvalidInput("url", collectorProblem)
    if (serviceName !== undefined) yield* checkText("serviceName", serviceName)
    if (spansEvery !== undefined) yield* checkInteger("spansEvery", spansEvery, 1, maxMillis)
    if (metricsEvery !== undefined) yield* checkInteger("metricsEvery", metricsEvery, 1, maxMillis)
    if (closeMillis !== undefined) yield* checkInteger("closeMillis", closeMillis, 0, maxMillis)
    if (typeof headers !== "object" || headers === null || !Object.values(headers).every(isHeader)) {
      yield* failWithInvalidInput("headers", "must be an object whose keys are header names and whose values are texts")
    }
  })

/** Checks the options of `layerFile`. */
export const checkFileOptions = (options: Partial<TraceFileOptions> = {}): Either.Either<void, InvalidInput> =>
  Either.gen(function* () {
    yield* refuseUnknownOptions(options, ["file", "maxBytes", "metricsEvery"])
    const { file, maxBytes, metricsEvery } = options
    yield* checkText("file", file)
    if (maxBytes !== undefined) yield* checkInteger("maxBytes", maxBytes, 1, Number.MAX_SAFE_INTEGER)
    if (metricsEvery !== undefined) yield* checkInteger("metricsEvery", metricsEvery, 1, maxMillis)
  })

const checkText = (field: string, value: unknown): Either.Either<void, InvalidInput> => {
  if (value === undefined) return failWithInvalidInput(field, "is missing")
  return typeof value === "string" && value.trim() !== ""
    ? Either.void
    : failWithInvalidInput(field, "must be a non-empty text")
}

/** The value of a header may be redacted. */
const isHeader = (value: unknown): boolean =>
  typeof (Redacted.isRedacted(value) ? Redacted.value(value) : value) === "string"
