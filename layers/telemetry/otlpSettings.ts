import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import { collectorProblem } from "../../src/ports/policy/fields.js"
import { readSecret, readSetting } from "../settings.js"
import { isAddress, type OtlpOptions } from "./options.js"
import { TelemetryUnavailable } from "./otlp.js"
import type { TraceSettings } from "./traceSettings.js"

/**
 * Checks the URL of a collector, and reads its headers from the standard environment variables. Errors never quote a
 * value, because it may contain a key.
 */
export const otlpSettings = Effect.fnUntraced(function* ({
  isVariable,
  url
}: NonNullable<TraceSettings["otlp"]>): Effect.fn.Return<OtlpOptions, TelemetryUnavailable> {
  const problem = (text: string) => new TelemetryUnavailable({ problem: `${text}; nothing is sent to a collector` })
  if (isVariable && !isAddress(url)) return yield* problem(`OTEL_EXPORTER_OTLP_ENDPOINT ${collectorProblem}`)
  const protocol = isVariable ? yield* readSetting("OTEL_EXPORTER_OTLP_PROTOCOL") : undefined
  if (protocol?.startsWith("http/") === false)
    return yield* problem("OTEL_EXPORTER_OTLP_PROTOCOL must be `http/json`: use the collector's port for HTTP (4318)")
  const text = yield* readSecret("OTEL_EXPORTER_OTLP_HEADERS")
  const headers = text === undefined ? {} : headersOf(Redacted.value(text))
  if (headers === undefined)
    return yield* problem("OTEL_EXPORTER_OTLP_HEADERS must be name=value pairs separated by commas")
  return { url, headers }
})

/** A pair whose name is a token (RFC 9110). */
const pair = /^\s*([!#$%&'*+.^_`|~\w-]+)\s*=\s*(.*?)\s*$/
/** The value of a header: no control characters except tabs. */
const value = /^[\t\x20-\x7e\x80-\xff]*$/

/** Reads pairs in the form of W3C Baggage: a value may be percent-encoded. Undefined if a pair is invalid. */
const headersOf = (text: string): Record<string, Redacted.Redacted> | undefined => {
  const headers: Record<string, Redacted.Redacted> = {}
  for (const part of text.split(",").filter((part) => part.trim() !== "")) {
    const [, name, encoded = ""] = pair.exec(part) ?? []
    const decoded = percentDecoded(encoded)
    if (name === undefined || !value.test(decoded)) return undefined
    headers[name.toLowerCase()] = Redacted.make(decoded)
  }
  return headers
}

/** A value that is not percent-encoded is unchanged, because a key may contain a percent sign. */
const percentDecoded = (text: string): string => {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}
