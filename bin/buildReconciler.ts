import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type * as Scope from "effect/Scope"
import { policyReconcilerLayer } from "../layers/reconcilers.js"
import type { InvalidPolicy } from "../src/model/errors.js"
import type { PolicyValues } from "../src/ports/Policy.js"
import { noReconciler, Reconciler, type ReconcilerService } from "../src/ports/Reconciler.js"

/** Builds the reconciler that a policy names. */
export const buildReconciler = (policy: PolicyValues): Effect.Effect<ReconcilerService, InvalidPolicy, Scope.Scope> =>
  Effect.map(Layer.build(policyReconcilerLayer(policy)), (context) => Context.get(context, Reconciler) ?? noReconciler)
