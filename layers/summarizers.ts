import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { InvalidPolicy } from "../src/model/errors.js"
import type { PolicyValues } from "../src/ports/Policy.js"
import { Summarizer, SummarizerError } from "../src/ports/Summarizer.js"
import { LazyModel, layer as lazyModel } from "./lazyModel.js"

/**
 * The policy's summarizer, or no summarizer for `rules`. The first request loads the model. If the model fails, the
 * rules write the summary. `model` is shared with other callers.
 */
export const policySummarizerLayer = (
  policy: Pick<PolicyValues, "summarize" | "model">,
  model?: Layer.Layer<LazyModel>
): Layer.Layer<Summarizer, InvalidPolicy> => {
  if (policy.summarize.summarizer === "rules") return Summarizer.layerNone
  if (policy.model === undefined) {
    return Layer.fail(
      new InvalidPolicy({ problems: ["model: is required, because `summarize.summarizer` is `model`"] })
    )
  }
  return Layer.effect(Summarizer, modelSummarizer).pipe(Layer.provide(model ?? lazyModel(policy.model)))
}

const modelSummarizer = Effect.gen(function* () {
  const { name, ports } = yield* LazyModel
  const { summaryPromptDigest } = yield* Effect.promise(() => import("./models/summarizePrompt.js"))
  return Summarizer.of({
    name,
    promptDigest: summaryPromptDigest,
    summarize: (request) =>
      ports.pipe(
        Effect.mapError(({ problem }) => new SummarizerError({ name, reason: "failed", detail: problem })),
        Effect.flatMap(({ summarizer }) => summarizer.summarize(request))
      )
  })
})
