/** Extractors find what is worth keeping in the turns of a conversation. */
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type { InvalidPolicy } from "../../src/model/errors.js"
import { Extractor } from "../../src/ports/Extractor.js"
import type { ModelSettings } from "../../src/ports/Policy.js"
import { policyExtractorLayer } from "../extractors.js"
import { modelPolicy } from "./modelPolicy.js"

export {
  type ExtractedEnd,
  type ExtractedFact,
  type Extraction,
  Extractor,
  ExtractorError,
  type ExtractorService,
  type ExtractRequest,
  type ExtractTurn
} from "../../src/ports/Extractor.js"
export { loadRules as rules } from "../extractors.js"
export { hybrid } from "../modelExtractor.js"

/** No extractor: nothing is captured from turns. */
export const layerNone: Layer.Layer<Extractor> = Extractor.layerNone

/** Rules for English statements. Deterministic, no network. */
export const layerRules: Layer.Layer<Extractor> = Layer.unwrapEffect(
  Effect.map(
    Effect.promise(() => import("../RuleExtractor.js")),
    ({ layer }) => layer
  )
)

type ModelOptions = Partial<ModelSettings> & Pick<ModelSettings, "provider" | "model">

const layerOf = (extractor: "model" | "hybrid", settings: ModelOptions): Layer.Layer<Extractor, InvalidPolicy> =>
  Layer.unwrapEffect(
    Effect.map(modelPolicy({ capture: { extractor } }, settings), (policy) => policyExtractorLayer(policy))
  )

/**
 * A language model extracts, and its facts are checked against the turns. If it fails, the rules extract. Needs the
 * optional package `@effect/ai` and the package of the provider.
 */
export const layerModel = (settings: ModelOptions): Layer.Layer<Extractor, InvalidPolicy> => layerOf("model", settings)

/** The rules extract if they are sure or the user states nothing; otherwise a language model, as in `layerModel`. */
export const layerHybrid = (settings: ModelOptions): Layer.Layer<Extractor, InvalidPolicy> =>
  layerOf("hybrid", settings)
