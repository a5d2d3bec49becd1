import type * as HttpClient from "@effect/platform/HttpClient"
import type * as HttpClientError from "@effect/platform/HttpClientError"
import * as HttpClientRequest from "@effect/platform/HttpClientRequest"
import * as Data from "effect/Data"
import * as Effect from "effect/Effect"
import { identity } from "effect/Function"
import * as Option from "effect/Option"
import type * as Redacted from "effect/Redacted"
import * as Stream from "effect/Stream"
import type { ErrorHandling } from "./limitRequests.js"
import { isRetryable, retryAfterMillisOf } from "./transport.js"

/** A failed request: the kind of failure, without the texts sent or received. */
export class RequestFailed extends Data.TaggedError("RequestFailed")<{
  readonly reason: "failed" | "timeout"
  readonly detail?: string
  readonly status?: number
  /**
   * The cause, if the request itself is valid: `settings` (key, model or URL), `connection` (no answer), `busy` (rate
   * limit).
   */
  readonly kind?: "settings" | "connection" | "busy"
  /** True if the same request may succeed later. */
  readonly retryable: boolean
  /** Milliseconds to wait before a retry, from the server. */
  readonly retryAfterMillis?: number
}> {}

/** How `limitRequests` handles these errors. They contain no private data. */
export const requestErrors: ErrorHandling<RequestFailed> = {
  failureOf: identity,
  sanitize: identity,
  broken: new RequestFailed({ reason: "failed", detail: "defect", retryable: false }),
  timedOut: new RequestFailed({ reason: "timeout", retryable: false })
}

/** The server of a request. */
export interface Target {
  readonly client: HttpClient.HttpClient
  readonly url: string
  readonly apiKey: Redacted.Redacted | undefined
}

/** Posts JSON and reads the answer's JSON, up to `maxBytes`. The client must come from `guardClient`. */
export const postJson = (
  { apiKey, client, url }: Target,
  body: object,
  maxBytes: number
): Effect.Effect<unknown, RequestFailed> =>
  HttpClientRequest.post(url).pipe(
    apiKey === undefined ? identity : HttpClientRequest.bearerToken(apiKey),
    HttpClientRequest.acceptJson,
    HttpClientRequest.bodyUnsafeJson(body),
    client.execute,
    Effect.flatMap((response) => bodyOf(response.stream, maxBytes)),
    Effect.catchTags({
      RequestError: () => Effect.fail(unreachable),
      ResponseError: (error) => Effect.fail(failureOf(error))
    }),
    // If the answer's body breaks off, a fiber of the client fails. Its error contains all texts of the request, so it
    // must not be logged.
    Effect.withUnhandledErrorLogLevel(Option.none())
  )

const unreachable = new RequestFailed({
  reason: "failed",
  detail: "no connection",
  kind: "connection",
  retryable: true
})
/** Retryable: the connection may have broken, or the server sent a wrong answer once. */
const unreadable = new RequestFailed({ reason: "failed", detail: "unreadable answer", retryable: true })
const tooLong = new RequestFailed({ reason: "failed", detail: "the answer is too large", retryable: false })

const bodyOf = <E>(bytes: Stream.Stream<Uint8Array, E>, maxBytes: number): Effect.Effect<unknown, E | RequestFailed> =>
  Effect.suspend(() => {
    const chunks: Array<Uint8Array> = []
    let length = 0
    return Stream.runForEach(bytes, (chunk) => {
      chunks.push(chunk)
      length += chunk.length
      return length > maxBytes ? Effect.fail(tooLong) : Effect.void
    }).pipe(
      Effect.flatMap(() =>
        Effect.try({ try: (): unknown => JSON.parse(Buffer.concat(chunks).toString("utf8")), catch: () => unreadable })
      )
    )
  })

const failureOf = ({ response: { headers, status } }: HttpClientError.ResponseError): RequestFailed => {
  if (status < 300) return unreadable
  const retryAfterMillis = retryAfterMillisOf(headers)
  const statusKind = statusKinds[status]
  const kind = kinds[status]
  return new RequestFailed({
    reason: "failed",
    detail: `status ${status}${statusKind === undefined ? "" : `, ${statusKind}`}`,
    status,
    ...(kind === undefined ? {} : { kind }),
    retryable: isRetryable(status),
    ...(retryAfterMillis === undefined ? {} : { retryAfterMillis })
  })
}

const statusKinds: Readonly<Record<number, string>> = {
  401: "the server rejected the key",
  403: "the key has no permission for this model",
  404: "the server has no such model or URL",
  429: "too many requests"
}

const kinds: Readonly<Record<number, "settings" | "busy">> = {
  401: "settings",
  403: "settings",
  404: "settings",
  429: "busy"
}

/** The fields of an object; an empty object for any other value. */
export const fieldsOf = (value: unknown): Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null ? (value as Record<string, unknown>) : {}
