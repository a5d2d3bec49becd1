import * as Effect from "effect/Effect"
import type * as Redacted from "effect/Redacted"
import { readSecret } from "../settings.js"
import { withoutTrailingSlashes } from "./transport.js"

/** A provider's URL and key variable, from its documentation. A field is absent if the user must configure it. */
interface Facts {
  readonly baseUrl?: string
  readonly keyVariable?: string
  /** True if servers of this provider may work without a key. */
  readonly keyless?: boolean
}

/** The policy's settings of a provider. */
interface Settings {
  readonly baseUrl?: string
  readonly keyVariable?: string
}

/** A provider's URL and credentials. */
export interface ProviderConnection {
  readonly baseUrl: string
  readonly apiKey: Redacted.Redacted | undefined
  /** The problem if the key is missing. */
  readonly missing?: string
}

/**
 * The URL and key of a provider. Fails with one line that names the missing setting in the policy's `section`. The key
 * is sent to a URL other than the provider's own only if `keyVariable` is set.
 */
export const providerConnection = (
  facts: Facts,
  settings: Settings,
  section: string
): Effect.Effect<ProviderConnection, string> => {
  const url = settings.baseUrl ?? facts.baseUrl
  if (url === undefined) return Effect.fail(`${section}.baseUrl is missing`)
  const baseUrl = withoutTrailingSlashes(url)
  const defaultVariable = settings.baseUrl === undefined ? facts.keyVariable : undefined
  const variable = settings.keyVariable ?? defaultVariable
  if (variable === undefined) {
    return facts.keyless === true
      ? Effect.succeed({ baseUrl, apiKey: undefined })
      : Effect.fail(`${section}.keyVariable is missing`)
  }
  const missing = `${variable} is not set`
  return Effect.map(readSecret(variable), (apiKey) =>
    apiKey === undefined ? { baseUrl, apiKey, missing } : { baseUrl, apiKey }
  )
}

/** True if a URL refers to this machine. */
export const isLocalAddress = (address: string): boolean => {
  const { hostname } = new URL(address)
  return hostname === "localhost" || hostname === "[::1]" || /^127(?:\.\d{1,3}){3}$/.test(hostname)
}
