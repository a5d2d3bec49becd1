import type * as HttpClient from "@effect/platform/HttpClient"
import type * as Redacted from "effect/Redacted"

/** A language model's URL and credentials. */
export interface Connection {
  readonly model: string
  /** The URL without a trailing slash; undefined for the provider's own URL. */
  readonly baseUrl: string | undefined
  readonly apiKey: Redacted.Redacted | undefined
  readonly transformClient: (client: HttpClient.HttpClient) => HttpClient.HttpClient
}
