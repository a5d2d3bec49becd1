import * as HttpClientError from "@effect/platform/HttpClientError"
import * as Effect from "effect/Effect"
import * as ParseResult from "effect/ParseResult"
import * as Schema from "effect/Schema"
import type { AgentForbidden, InternalError, NoCaller, RequestRefused } from "../http/api/problems.js"

/** The server cannot be reached, or the client cannot read its answer. The server may have carried out a write. */
export class RequestFailed extends Schema.TaggedError<RequestFailed>()("RequestFailed", {
  /** `connection`: no answer. `answer`: an answer that the client cannot read. */
  kind: Schema.Literal("connection", "answer"),
  /** The method and the path of the request, without its query. */
  request: Schema.String,
  /** The HTTP status of the answer, or the code of the system's error. */
  code: Schema.String
}) {
  override get message() {
    return this.kind === "connection"
      ? `${this.request}: the server cannot be reached (${this.code}): start the server with 'daybook serve', or check the URL`
      : `${this.request}: the answer is not from a Daybook server (${this.code}): check the URL and the releases of client and server`
  }
}

/** Errors of every call of a client, in addition to the library's own errors. */
export type ClientError = RequestFailed | RequestRefused | AgentForbidden | InternalError | NoCaller

type Transport = HttpClientError.HttpClientError | ParseResult.ParseError

/** Replaces transport errors with `RequestFailed`, because their causes may quote the request. */
export const withClientErrors = <A, E, R>(
  call: Effect.Effect<A, E | Transport, R>
): Effect.Effect<A, Exclude<E, Transport> | RequestFailed, R> =>
  Effect.mapError(call, (error) => {
    if (ParseResult.isParseError(error)) return new RequestFailed({ kind: "answer", request: "request", code: "body" })
    if (!HttpClientError.isHttpClientError(error)) return error as Exclude<E, Transport>
    const { method, url } = error.request
    return new RequestFailed({
      kind: error._tag === "RequestError" ? "connection" : "answer",
      request: `${method} ${url.split("?", 1)[0]}`,
      code: error._tag === "RequestError" ? codeOf(error.cause) : String(error.response.status)
    })
  })

const codeOf = (error: unknown): string => {
  for (let cause = error; cause !== undefined && cause !== null; cause = Object(cause).cause) {
    const { code } = Object(cause)
    if (typeof code === "string") return code
  }
  return "no answer"
}
