import type * as HttpClient from "@effect/platform/HttpClient"
import type * as HttpClientError from "@effect/platform/HttpClientError"
import * as HttpClientRequest from "@effect/platform/HttpClientRequest"
import * as Data from "effect/Data"
import * as Effect from "effect/Effect"
import { identity } from "effect/Function"
import * as Option from "effect/Option"
import type * as Redacted from "effect/Redacted"
import * as Stream from "effect/Stream"
import type { Errors } from "./steady.js"
import { isPassing, waitOf } from "./transport.js"

/** A request that came to nothing: the kind of failure, and nothing of what was sent or answered. */
export class RequestFailed extends Data.TaggedError("RequestFailed")<{
  readonly reason: "failed" | "timeout"
  readonly detail?: string
  readonly status?: number
  /** What it is that fails, where it is nothing that was sent: the key, the model or the address; nobody answers; too much. */
  readonly kind?: "settings" | "connection" | "busy"
  /** Whether the same request may succeed later. */
  readonly passing: boolean
  /** Milliseconds that the server asks to wait. */
  readonly after?: number
}> {}

/** What `steady` needs to know of such failures. They hold nothing that would have to be cleaned away. */
export const errors: Errors<RequestFailed> = {
  failureOf: identity,
  clean: identity,
  broken: new RequestFailed({ reason: "failed", detail: "defect", passing: false }),
  timedOut: new RequestFailed({ reason: "timeout", passing: false })
}

/** Whom a request is made of. */
export interface Target {
  readonly client: HttpClient.HttpClient
  readonly url: string
  readonly apiKey: Redacted.Redacted | undefined
}

/** Posts JSON and reads the JSON of the answer, up to so many bytes. The client is to be `guarded`. */
export const postJson = (
  { apiKey, client, url }: Target,
  body: object,
  mostBytes: number
): Effect.Effect<unknown, RequestFailed> =>
  HttpClientRequest.post(url).pipe(
    apiKey === undefined ? identity : HttpClientRequest.bearerToken(apiKey),
    HttpClientRequest.acceptJson,
    HttpClientRequest.bodyUnsafeJson(body),
    client.execute,
    Effect.flatMap((response) => bodyOf(response.stream, mostBytes)),
    Effect.catchTags({
      RequestError: () => Effect.fail(unreachable),
      ResponseError: (error) => Effect.fail(of(error))
    }),
    // A body that breaks off fails a fiber of the client's own, whose error holds the request with all its texts.
    Effect.withUnhandledErrorLogLevel(Option.none())
  )

const unreachable = new RequestFailed({ reason: "failed", detail: "no connection", kind: "connection", passing: true })
/** A connection that breaks off and a server that mumbles are asked once more. */
const unreadable = new RequestFailed({ reason: "failed", detail: "unreadable answer", passing: true })
const tooLong = new RequestFailed({ reason: "failed", detail: "endless answer", passing: false })

const bodyOf = <E>(bytes: Stream.Stream<Uint8Array, E>, most: number): Effect.Effect<unknown, E | RequestFailed> =>
  Effect.suspend(() => {
    const pieces: Array<Uint8Array> = []
    let length = 0
    return Stream.runForEach(bytes, (piece) => {
      pieces.push(piece)
      length += piece.length
      return length > most ? Effect.fail(tooLong) : Effect.void
    }).pipe(
      Effect.flatMap(() =>
        Effect.try({ try: (): unknown => JSON.parse(Buffer.concat(pieces).toString("utf8")), catch: () => unreadable })
      )
    )
  })

const of = ({ response: { headers, status } }: HttpClientError.ResponseError): RequestFailed => {
  if (status < 300) return unreadable
  const after = waitOf(headers)
  const meaning = meanings[status]
  const kind = kinds[status]
  return new RequestFailed({
    reason: "failed",
    detail: `status ${status}${meaning === undefined ? "" : `, ${meaning}`}`,
    status,
    ...(kind === undefined ? {} : { kind }),
    passing: isPassing(status),
    ...(after === undefined ? {} : { after })
  })
}

const meanings: Readonly<Record<number, string>> = {
  401: "the key is not accepted",
  403: "the key may not do this",
  404: "no such model or address",
  429: "too many requests"
}

const kinds: Readonly<Record<number, "settings" | "busy">> = {
  401: "settings",
  403: "settings",
  404: "settings",
  429: "busy"
}

/** A value as an object to look into; none of its fields are there where it is no object. */
export const fieldsOf = (value: unknown): Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null ? (value as Record<string, unknown>) : {}
