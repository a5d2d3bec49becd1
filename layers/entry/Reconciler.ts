/** Reconcilers decide whether to add a new memory, to merge it into another memory, or to replace another memory. */
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type { InvalidPolicy } from "../../src/model/errors.js"
import type { ModelSettings } from "../../src/ports/Policy.js"
import { Reconciler } from "../../src/ports/Reconciler.js"
import { policyReconcilerLayer } from "../reconcilers.js"
import { modelPolicy } from "./modelPolicy.js"

export {
  type Judgement,
  type Question,
  Reconciler,
  ReconcilerError,
  type ReconcilerService,
  type Statement,
  type Verdict
} from "../../src/ports/Reconciler.js"
export { hybrid, loadRules as rules } from "../reconcilers.js"

/** No reconciler: statements are stored without a comparison. */
export const layerNone: Layer.Layer<Reconciler> = Reconciler.layerNone

/** Rules for English with a small bundled model. Deterministic, no network. */
export const layerRules: Layer.Layer<Reconciler> = Layer.unwrapEffect(
  Effect.map(
    Effect.promise(() => import("../RuleReconciler.js")),
    ({ layer }) => layer
  )
)

type ModelOptions = Partial<ModelSettings> & Pick<ModelSettings, "provider" | "model">

const layerOf = (reconciler: "model" | "hybrid", settings: ModelOptions): Layer.Layer<Reconciler, InvalidPolicy> =>
  Layer.unwrapEffect(
    Effect.map(modelPolicy({ reconcile: { reconciler } }, settings), (policy) => policyReconcilerLayer(policy))
  )

/** A language model decides. Needs the optional package `@effect/ai` and the package of the provider. */
export const layerModel = (settings: ModelOptions): Layer.Layer<Reconciler, InvalidPolicy> => layerOf("model", settings)

/** The rules decide if they are sure; otherwise a language model decides. Needs the packages of `layerModel`. */
export const layerHybrid = (settings: ModelOptions): Layer.Layer<Reconciler, InvalidPolicy> =>
  layerOf("hybrid", settings)
