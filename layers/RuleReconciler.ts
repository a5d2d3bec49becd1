import * as Layer from "effect/Layer"
import { Reconciler, type ReconcilerService } from "../src/ports/Reconciler.js"
import { judgeNamed } from "./languages/en/rules/judge.js"

/**
 * Decides by the shared words and the differences of two English texts, with a small bundled model. Deterministic, no
 * network.
 */
export const rules: ReconcilerService = {
  name: "rules-v8",
  judge: judgeNamed("rules-v8")
}

export const layer: Layer.Layer<Reconciler> = Layer.succeed(Reconciler, rules)
