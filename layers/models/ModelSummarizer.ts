import * as LanguageModel from "@effect/ai/LanguageModel"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import {
  decodeSummary,
  Summarizer,
  SummarizerError,
  type SummarizerService,
  type SummaryRequest
} from "../../src/ports/Summarizer.js"
import { askForJson } from "./askForJson.js"
import { buildSummaryPrompt, summaryInstructions, summaryPromptDigest, summarySchema } from "./summarizePrompt.js"

type Service = SummarizerService

/**
 * Asks a language model for a summary. `name` is the model's name in decisions, for example openai/gpt-5-mini. Fails if
 * the answer has another form. The engine checks the summary against its sources, as for every summarizer.
 */
export const make = (model: LanguageModel.Service, name: string): Service => ({
  name,
  promptDigest: summaryPromptDigest,
  summarize: Effect.fn("ModelSummarizer.summarize", { attributes: { model: name } })(function* (
    request: SummaryRequest
  ) {
    const prompt = buildSummaryPrompt(request)
    if (prompt === undefined) {
      return yield* new SummarizerError({ name, reason: "failed", detail: "the sources are too long" })
    }
    yield* Effect.annotateCurrentSpan({
      kind: request.kind,
      sources: request.sources.length,
      characters: prompt.length
    })
    const value = yield* askForJson(model, {
      name: "summary",
      schema: summarySchema(request.kind),
      instructions: summaryInstructions(request.kind),
      question: prompt
    }).pipe(Effect.mapError((failure) => new SummarizerError({ name, ...failure })))
    return yield* decodeSummary(name, value, request)
  })
})

/** The summarizer of the `LanguageModel` in the context. */
export const layer = (name: string): Layer.Layer<Summarizer, never, LanguageModel.LanguageModel> =>
  Layer.effect(
    Summarizer,
    Effect.map(LanguageModel.LanguageModel, (model) => make(model, name))
  )
