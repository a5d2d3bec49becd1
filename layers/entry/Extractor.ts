/** Extractors find what is worth keeping in the turns of a conversation. */
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { Extractor } from "../../src/ports/Extractor.js"

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
