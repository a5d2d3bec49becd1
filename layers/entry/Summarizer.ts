/** Summarizers write summaries of memories and sessions. The engine checks every summary against its sources. */
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type { InvalidPolicy } from "../../src/model/errors.js"
import type { ModelSettings } from "../../src/ports/Policy.js"
import { Summarizer } from "../../src/ports/Summarizer.js"
import { policySummarizerLayer } from "../summarizers.js"
import { modelPolicy } from "./modelPolicy.js"

export {
  Summarizer,
  SummarizerError,
  type SummarizerService,
  Summary,
  type SummaryKind,
  type SummaryRequest,
  type SummarySource
} from "../../src/ports/Summarizer.js"

/** No summarizer: the rules write every summary. */
export const layerNone: Layer.Layer<Summarizer> = Summarizer.layerNone

/** A language model. Needs the optional package `@effect/ai` and the package of the provider. */
export const layerModel = (
  settings: Partial<ModelSettings> & Pick<ModelSettings, "provider" | "model">
): Layer.Layer<Summarizer, InvalidPolicy> =>
  Layer.unwrapEffect(
    Effect.map(modelPolicy({ summarize: { summarizer: "model" } }, settings), (policy) => policySummarizerLayer(policy))
  )
