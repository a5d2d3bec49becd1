import type * as LanguageModel from "@effect/ai/LanguageModel"
import * as Effect from "effect/Effect"
import { ExtractorError, type ExtractorService, type ExtractRequest } from "../../src/ports/Extractor.js"
import { askForJson } from "./askForJson.js"
import { decodeExtraction } from "./checkExtraction.js"
import {
  buildExtractPrompt,
  extractInstructions,
  extractPromptDigest,
  extractSchema,
  redactRequest
} from "./extractPrompt.js"

/**
 * Asks a language model for the facts of turns, once for all turns of a request. `name` is the model's name in
 * decisions, for example openai/gpt-5-mini. Credentials are masked before anything is sent. Fails if the answer has
 * another form, or states what the turns do not state.
 */
export const ask = (model: LanguageModel.Service, name: string): NonNullable<ExtractorService["ask"]> =>
  Effect.fn("ModelExtractor.ask", { attributes: { model: name } })(function* (request: ExtractRequest) {
    const sent = redactRequest(request)
    const question = buildExtractPrompt(sent)
    if (question === undefined) {
      return yield* new ExtractorError({ name, reason: "failed", detail: "the turns are too long" })
    }
    yield* Effect.annotateCurrentSpan({ turns: request.turns.length, characters: question.length })
    const answer = yield* askForJson(model, {
      name: "extraction",
      schema: extractSchema,
      instructions: extractInstructions,
      question
    }).pipe(Effect.mapError((failure) => new ExtractorError({ name, ...failure })))
    const extraction = yield* decodeExtraction(name, answer, sent)
    return { ...extraction, by: { kind: "model" as const, name, promptDigest: extractPromptDigest } }
  })
