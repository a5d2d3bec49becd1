import * as HttpApiClient from "@effect/platform/HttpApiClient"
import * as HttpClient from "@effect/platform/HttpClient"
import * as HttpClientRequest from "@effect/platform/HttpClientRequest"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Option from "effect/Option"
import * as Redacted from "effect/Redacted"
import type { InvalidInput } from "../../src/model/errors.js"
import { failWithInvalidInput, refuseUnknownOptions } from "../../src/model/filters.js"
import { Api as definition } from "../http/api/Api.js"
import { currentTraceparent } from "../telemetry/traceContext.js"

/** Where a client sends its requests, and with which token. */
export interface ClientOptions {
  /** The server's URL. Default: http://127.0.0.1:8787. */
  readonly url?: string | undefined
  /** A token that `daybook token add` printed. */
  readonly token: string | Redacted.Redacted
}

/** Checks a client's options. Without this check, the first request would fail as if the server were unreachable. */
export const checkClientOptions = (options: ClientOptions): Either.Either<void, InvalidInput> =>
  Either.gen(function* () {
    yield* refuseUnknownOptions(options, ["url", "token"])
    const { token, url } = options as Partial<ClientOptions>
    const secret = Redacted.isRedacted(token) ? Redacted.value(token) : token
    if (typeof secret !== "string" || secret.trim() === "") {
      yield* failWithInvalidInput("token", "is missing: create a token with 'daybook token add'")
    }
    if (url !== undefined && !/^https?:\/\//i.test(url)) {
      yield* failWithInvalidInput("url", "must begin with http:// or https://")
    }
    if (url !== undefined && !URL.canParse(url)) yield* failWithInvalidInput("url", "is not a URL")
  })

/** The operations of the HTTP interface, as functions that send requests. */
export const makeApi = ({ token, url = "http://127.0.0.1:8787" }: ClientOptions) =>
  HttpApiClient.make(definition, {
    baseUrl: url.replace(/\/+$/, ""),
    transformClient: (client) =>
      client.pipe(
        HttpClient.mapRequest(HttpClientRequest.bearerToken(Redacted.isRedacted(token) ? token : Redacted.make(token))),
        // The server's spans become children of the program's spans.
        HttpClient.mapRequestEffect((request) =>
          Effect.map(
            currentTraceparent,
            Option.match({
              onNone: () => request,
              onSome: (header) => HttpClientRequest.setHeader(request, "traceparent", header)
            })
          )
        ),
        // The client's own spans would contain URLs, and so the texts of searches.
        HttpClient.withTracerDisabledWhen(() => true)
      )
  })

export type Api = Effect.Effect.Success<ReturnType<typeof makeApi>>
