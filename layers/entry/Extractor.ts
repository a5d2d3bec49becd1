/** Extractors find what is worth keeping in the turns of a conversation. */
import type * as Layer from "effect/Layer"
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

/** No extractor: nothing is captured from turns. */
export const layerNone: Layer.Layer<Extractor> = Extractor.layerNone
