import * as LanguageModel from "@effect/ai/LanguageModel"
import type * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Schema from "effect/Schema"
import { decodeSummary, Summarizer, SummarizerError, type SummaryRequest } from "../../src/ports/Summarizer.js"
import { failureOf } from "./failures.js"
import { summaryInstructions, summaryPromptDigest, summarySchema, tellSources } from "./summarizePrompt.js"

type Service = Context.Tag.Service<Summarizer>

/**
 * Asks a language model. `name` is how decisions name it, openai/gpt-5-mini say. Its answer is read strictly; whether it
 * says what its sources say is for the engine to check, whoever wrote it.
 */
export const make = (model: LanguageModel.Service, name: string): Service => ({
  name,
  promptDigest: summaryPromptDigest,
  summarize: Effect.fn("ModelSummarizer.summarize", { attributes: { model: name } })(function* (
    request: SummaryRequest
  ) {
    const told = tellSources(request)
    if (told === undefined) {
      return yield* new SummarizerError({ name, reason: "failed", detail: "the sources are too long" })
    }
    yield* Effect.annotateCurrentSpan({
      kind: request.kind,
      sources: request.sources.length,
      characters: told.length
    })
    const { value } = yield* model
      .generateObject({
        objectName: "summary",
        schema: Schema.Unknown.annotations({
          jsonSchema: summarySchema(request.kind)
        }) as unknown as Schema.Schema<unknown, Record<string, unknown>>,
        prompt: [
          { role: "system", content: summaryInstructions(request.kind) },
          { role: "user", content: told }
        ]
      })
      .pipe(
        // The package's spans hold what the model said.
        Effect.withTracerEnabled(false),
        Effect.mapError((error) => {
          const { detail, reason } = failureOf(error)
          return new SummarizerError({ name, reason, ...(detail === undefined ? {} : { detail }) })
        }),
        Effect.catchAllDefect(() => Effect.fail(new SummarizerError({ name, reason: "failed", detail: "defect" })))
      )
    return yield* decodeSummary(name, value, request)
  })
})

/** The summarizer of whichever language model there is. */
export const layer = (name: string): Layer.Layer<Summarizer, never, LanguageModel.LanguageModel> =>
  Layer.effect(
    Summarizer,
    Effect.map(LanguageModel.LanguageModel, (model) => make(model, name))
  )
