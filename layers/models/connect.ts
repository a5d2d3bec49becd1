import * as Effect from "effect/Effect"
import type * as Redacted from "effect/Redacted"
import { bare, keyIn } from "./transport.js"

/** What the documentation of a provider says of its address and key; absent is what only the user knows. */
interface Facts {
  readonly baseUrl?: string
  readonly keyVariable?: string
  /** Whether a server of it may do without a key. */
  readonly keyless?: boolean
}

/** What the policy says of them. */
interface Settings {
  readonly baseUrl?: string
  readonly keyVariable?: string
}

/** Where a provider is asked, and with which key. */
export interface Connection {
  readonly baseUrl: string
  readonly apiKey: Redacted.Redacted | undefined
  /** Why it cannot be asked now: its key is not there. */
  readonly missing?: string
}

/**
 * Where a provider is asked, and with which key; or one line that says what the
 * policy does not. `section` is where it would. A provider's own key is never
 * sent to another address unless somebody says so.
 */
export const connectionOf = (
  facts: Facts,
  settings: Settings,
  section: string,
  environment: NodeJS.ProcessEnv
): Effect.Effect<Connection, string> => {
  const address = settings.baseUrl ?? facts.baseUrl
  if (address === undefined) return Effect.fail(`${section}.baseUrl is missing`)
  const baseUrl = bare(address)
  const usual = settings.baseUrl === undefined ? facts.keyVariable : undefined
  const variable = settings.keyVariable ?? usual
  if (variable === undefined) {
    return facts.keyless === true
      ? Effect.succeed({ baseUrl, apiKey: undefined })
      : Effect.fail(`${section}.keyVariable is missing`)
  }
  const apiKey = keyIn(variable, environment)
  const missing = `the variable ${variable} holds no key`
  return Effect.succeed(apiKey === undefined ? { baseUrl, apiKey, missing } : { baseUrl, apiKey })
}

/** Whether an address is of this very machine. */
export const isOwn = (address: string): boolean => {
  const { hostname } = new URL(address)
  return hostname === "localhost" || hostname === "[::1]" || /^127(?:\.\d{1,3}){3}$/.test(hostname)
}
