import * as Cause from "effect/Cause"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import { Decision } from "../../events/catalogue.js"
import { decodeObservation } from "../model/input.js"
import {
  ExtractedEnd,
  ExtractedFact,
  type Extraction,
  ExtractorError,
  type ExtractorService,
  type ExtractRequest
} from "../ports/Extractor.js"
import { type Batch, makeExtractRequest } from "./request.js"
import { contentOf } from "./statements.js"

/** Maximum statements per extraction. Rules leave out additional statements; a model's answer with more is refused. */
const maxFacts = 100
/** Maximum characters of a line for the daily log. */
const maxSummary = 500

/**
 * Asks an extractor, with a time-out in milliseconds. Never fails: if the request fails or the answer cannot be used,
 * the extractor's own rules answer, and the extraction names the reason.
 */
export const askExtractor = (extractor: ExtractorService, batch: Batch, timeout: number): Effect.Effect<Extraction> =>
  extractor.ask === undefined
    ? Effect.sync(() => extractNow(extractor, batch))
    : Effect.gen(function* () {
        const startedAt = yield* Clock.currentTimeMillis
        const answer = yield* answerOf(extractor, makeExtractRequest(batch, true), timeout)
        const latency = (yield* Clock.currentTimeMillis) - startedAt
        // The rules of a hybrid extractor may answer without the model.
        if (Either.isRight(answer) && answer.right.by.kind !== "model") return answer.right
        return Either.isRight(answer)
          ? { ...answer.right, latency }
          : { ...extractNow(extractor, batch), fallback: answer.left.message, latency }
      })

const answerOf = (
  { ask, name }: ExtractorService,
  request: ExtractRequest,
  timeout: number
): Effect.Effect<Either.Either<Extraction, ExtractorError>> =>
  Effect.suspend(() => ask!(request)).pipe(
    Effect.disconnect,
    Effect.timeoutFail({ duration: timeout, onTimeout: () => new ExtractorError({ name, reason: "timeout" }) }),
    // No defect or interruption of the extractor may end the extraction.
    Effect.catchAllCause((cause) =>
      Effect.fail(Option.getOrElse(Cause.failureOption(cause), () => new ExtractorError({ name, reason: "failed" })))
    ),
    Effect.flatMap((extraction) =>
      Either.mapLeft(checkExtraction(extraction, request), (reason) => new ExtractorError({ name, reason }))
    ),
    Effect.either
  )

/** The answer of the extractor's rules. Statements that cannot be stored are left out. */
export const extractNow = (extractor: ExtractorService, batch: Batch): Extraction => {
  const request = makeExtractRequest(batch, false)
  try {
    const extraction = extractor.extract(request)
    if (isExtraction(extraction)) {
      const facts = extraction.facts.filter((fact) => problemOf(fact, request) === undefined).slice(0, maxFacts)
      return facts.length === extraction.facts.length ? extraction : { ...extraction, facts }
    }
  } catch {
    // The result below names the failure.
  }
  const { message } = new ExtractorError({ name: extractor.name, reason: "failed" })
  return { facts: [], by: { kind: "rule", name: "none" }, fallback: message }
}

/** Extractors are plug-ins, so the shape of their answers is checked like other input. */
const isExtraction = Schema.is(
  Schema.Struct({
    facts: Schema.Array(ExtractedFact),
    archive: Schema.optional(Schema.Array(ExtractedEnd)),
    summary: Schema.optional(Schema.String),
    by: Decision.fields.by,
    fallback: Schema.optional(Schema.String),
    latency: Schema.optional(Schema.Number)
  })
)

const checkExtraction = (
  extraction: Extraction,
  request: ExtractRequest
): Either.Either<Extraction, ExtractorError["reason"]> => {
  if (!isExtraction(extraction)) return Either.left("unreadable")
  if (extraction.facts.length > maxFacts || (extraction.summary ?? "").length > maxSummary) return Either.left("size")
  for (const fact of extraction.facts) {
    const problem = problemOf(fact, request)
    if (problem !== undefined) return Either.left(problem)
  }
  return (extraction.archive ?? []).every((end) => hasKnownSources(end, request))
    ? Either.right(extraction)
    : Either.left("source")
}

const problemOf = (fact: ExtractedFact, request: ExtractRequest): ExtractorError["reason"] | undefined =>
  !hasKnownSources(fact, request)
    ? "source"
    : Either.isLeft(decodeObservation(contentOf(fact)))
      ? "unreadable"
      : undefined

const hasKnownSources = ({ sources }: ExtractedEnd | ExtractedFact, { context, turns }: ExtractRequest): boolean =>
  (sources ?? []).every(({ turn }) => turn < turns.length && turn >= -context.length)
