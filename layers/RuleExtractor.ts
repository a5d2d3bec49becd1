import * as Layer from "effect/Layer"
import { Extractor, type ExtractorService } from "../src/ports/Extractor.js"
import { extractEnglish } from "./languages/en/extract/extract.js"

const name = "rules-v7"

/** Extracts statements by rules. Deterministic, no network. */
export const ruleExtractor: ExtractorService = {
  name,
  extract: (request) => ({ ...extractEnglish(request), by: { kind: "rule", name } })
}

export const layer: Layer.Layer<Extractor> = Layer.succeed(Extractor, ruleExtractor)
