import * as Effect from "effect/Effect"
import type { InvalidPolicy } from "../../src/model/errors.js"
import { decode, type ModelSettings, type PolicyValues } from "../../src/ports/Policy.js"

/** Decodes a policy from a document in the form of a policy file and the settings of a language model. */
export const modelPolicy = (
  document: Readonly<Record<string, unknown>>,
  settings: Partial<ModelSettings>
): Effect.Effect<PolicyValues, InvalidPolicy> => Effect.suspend(() => decode({ ...document, model: settings }))
