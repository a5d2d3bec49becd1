import * as FetchHttpClient from "@effect/platform/FetchHttpClient"
import * as HttpClient from "@effect/platform/HttpClient"
import * as Effect from "effect/Effect"
import { flow } from "effect/Function"

/**
 * Makes a client safe for keys and texts. An error status fails before the body is read. A redirect fails, because it
 * would send the key to another host. The client's own spans are disabled, because they contain URLs and headers.
 */
export const guardClient: (client: HttpClient.HttpClient) => HttpClient.HttpClient = flow(
  HttpClient.filterStatusOk,
  HttpClient.transformResponse((response) =>
    response.pipe(
      Effect.provideService(FetchHttpClient.RequestInit, { redirect: "error" }),
      Effect.withTracerEnabled(false)
    )
  )
)

/** The server's retry delay in milliseconds: `retry-after-ms`, or `Retry-After` in seconds or as a date (RFC 9110). */
export const retryAfterMillisOf = (headers: Readonly<Record<string, string>>): number | undefined => {
  const delayMillis = Number(headers["retry-after-ms"] || "none")
  if (Number.isFinite(delayMillis)) return Math.max(0, delayMillis)
  const retryAfter = headers["retry-after"]
  if (!retryAfter) return undefined
  const seconds = Number(retryAfter)
  if (Number.isFinite(seconds)) return Math.max(0, seconds * 1_000)
  const date = Date.parse(retryAfter)
  return Number.isNaN(date) ? undefined : Math.max(0, date - Date.now())
}

/** True if a request that failed with this status may succeed later. */
export const isRetryable = (status: number): boolean => status === 408 || status === 429 || status >= 500

/** A URL without trailing slashes. */
export const withoutTrailingSlashes = (url: string): string => url.replace(/\/+$/, "")
