import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { InvalidPolicy } from "../src/model/errors.js"
import { Extractor, type ExtractorService } from "../src/ports/Extractor.js"
import type { PolicyValues } from "../src/ports/Policy.js"
import { fastModelOf, type LazyModel, layer as lazyModel } from "./lazyModel.js"
import { hybrid, modelOnlyExtractor, policyModelExtractor } from "./modelExtractor.js"

/**
 * The policy's extractor, or no extractor if the policy captures nothing. The first extraction loads the model. `model`
 * is the policy's fast model, shared with other callers.
 */
export const policyExtractorLayer = (
  policy: Pick<PolicyValues, "capture" | "model">,
  model?: Layer.Layer<LazyModel>
): Layer.Layer<Extractor, InvalidPolicy> => {
  const { enabled, extractor, mode } = policy.capture
  if (!enabled || extractor === "none") return Extractor.layerNone
  if (policy.model === undefined) {
    return extractor === "model"
      ? Layer.fail(new InvalidPolicy({ problems: ["model: is required, because `capture.extractor` is `model`"] }))
      : Layer.effect(Extractor, loadRules)
  }
  if (extractor === "model" && mode === "turn") {
    const problem =
      'capture.mode: must be "after" or "buffer", because `capture.extractor` is `model`, and "turn" extracts by rules'
    return Layer.fail(new InvalidPolicy({ problems: [problem] }))
  }
  return extractor === "rules"
    ? Layer.effect(Extractor, loadRules)
    : Layer.effect(
        Extractor,
        Effect.zipWith(loadRules, policyModelExtractor, extractor === "model" ? modelOnlyExtractor : hybrid)
      ).pipe(Layer.provide(model ?? lazyModel(fastModelOf(policy.model))))
}

/** The rules, loaded on demand: a program that captures nothing does not load their word lists. */
export const loadRules: Effect.Effect<ExtractorService> = Effect.map(
  Effect.promise(() => import("./RuleExtractor.js")),
  ({ ruleExtractor }) => ruleExtractor
)
