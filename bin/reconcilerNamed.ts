import type * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import type { InvalidPolicy } from "../src/errors.js"
import type { PolicyValues } from "../src/Policy.js"
import type { Reconciler } from "../src/Reconciler.js"

/** The reconciler that a policy names, where this program has it; undefined where only the one in force can be had. */
export const reconcilerNamed = (
  _policy: PolicyValues
): Effect.Effect<Context.Tag.Service<Reconciler> | undefined, InvalidPolicy, Scope.Scope> => Effect.succeed(undefined)
