import * as Config from "effect/Config"
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"

/**
 * Reads a setting from the program's `ConfigProvider`: environment variables, unless the program provides another
 * provider. Undefined if the setting is unset or blank.
 */
export const readSetting = (name: string): Effect.Effect<string | undefined> =>
  Config.string(name).pipe(
    Effect.map((value) => value.trim() || undefined),
    Effect.orElseSucceed(() => undefined)
  )

/** Reads a secret from the program's `ConfigProvider`; undefined if the secret is unset or blank. */
export const readSecret = (name: string): Effect.Effect<Redacted.Redacted | undefined> =>
  Config.redacted(name).pipe(
    Effect.map(Redacted.value),
    Effect.map((value) => (value.trim() === "" ? undefined : Redacted.make(value.trim()))),
    Effect.orElseSucceed(() => undefined)
  )
