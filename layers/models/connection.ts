import type * as HttpClient from "@effect/platform/HttpClient"
import type * as Redacted from "effect/Redacted"

/** Where a model is asked, and as whom. */
export interface Connection {
  readonly model: string
  /** Without a slash at its end; the provider's own where absent. */
  readonly baseUrl: string | undefined
  readonly apiKey: Redacted.Redacted | undefined
  readonly transformClient: (client: HttpClient.HttpClient) => HttpClient.HttpClient
}
