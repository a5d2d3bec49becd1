import * as FetchHttpClient from "@effect/platform/FetchHttpClient"
import * as HttpClient from "@effect/platform/HttpClient"
import * as Effect from "effect/Effect"
import { flow } from "effect/Function"
import * as Redacted from "effect/Redacted"

/**
 * Any other status than success fails before anybody reads its body. A redirect
 * fails too, or a key would follow it to another host. The client's own spans,
 * which hold addresses and headers, are not made.
 */
export const guarded: (client: HttpClient.HttpClient) => HttpClient.HttpClient = flow(
  HttpClient.filterStatusOk,
  HttpClient.transformResponse((response) =>
    response.pipe(
      Effect.provideService(FetchHttpClient.RequestInit, { redirect: "error" }),
      Effect.withTracerEnabled(false)
    )
  )
)

/** `retry-after-ms`, or `Retry-After` in seconds or as a date (RFC 9110, 10.2.3); milliseconds. */
export const waitOf = (headers: Readonly<Record<string, string>>): number | undefined => {
  const exact = Number(headers["retry-after-ms"] || "none")
  if (Number.isFinite(exact)) return Math.max(0, exact)
  const told = headers["retry-after"]
  if (!told) return undefined
  const seconds = Number(told)
  if (Number.isFinite(seconds)) return Math.max(0, seconds * 1_000)
  const date = Date.parse(told)
  return Number.isNaN(date) ? undefined : Math.max(0, date - Date.now())
}

/** Whether the same request may succeed later. */
export const isPassing = (status: number): boolean => status === 408 || status === 429 || status >= 500

/** The key that a variable of the environment holds; undefined where it holds none. */
export const keyIn = (variable: string, environment: NodeJS.ProcessEnv): Redacted.Redacted | undefined => {
  const key = environment[variable]?.trim()
  return key ? Redacted.make(key) : undefined
}

/** An address without the slashes at its end. */
export const bare = (address: string): string => address.replace(/\/+$/, "")
