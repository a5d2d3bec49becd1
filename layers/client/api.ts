import * as HttpApiClient from "@effect/platform/HttpApiClient"
import * as HttpClient from "@effect/platform/HttpClient"
import * as HttpClientRequest from "@effect/platform/HttpClientRequest"
import type * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import { Api as definition } from "../http/api/Api.js"

/** Where a client sends its requests, and with which token. */
export interface ClientOptions {
  /** The server's URL. Default: http://127.0.0.1:8787. */
  readonly url?: string | undefined
  /** A token that `daybook token add` printed. */
  readonly token: string | Redacted.Redacted
}

/** The operations of the interface as requests. */
export const makeApi = ({ token, url = "http://127.0.0.1:8787" }: ClientOptions) =>
  HttpApiClient.make(definition, {
    baseUrl: url.replace(/\/+$/, ""),
    transformClient: HttpClient.mapRequest(
      HttpClientRequest.bearerToken(Redacted.isRedacted(token) ? token : Redacted.make(token))
    )
  })

export type Api = Effect.Effect.Success<ReturnType<typeof makeApi>>
