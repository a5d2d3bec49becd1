import * as LanguageModel from "@effect/ai/LanguageModel"
import type * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Layer from "effect/Layer"
import * as Schema from "effect/Schema"
import {
  decodeVerdict,
  none,
  type Question,
  Reconciler,
  ReconcilerError,
  type Verdict
} from "../../src/ports/Reconciler.js"
import { failureOf } from "./failures.js"
import { answerSchema, instructions, promptDigest, tell } from "./reconcilePrompt.js"

type Service = Context.Tag.Service<Reconciler>

/**
 * Asks a language model. `name` is how decisions name it, openai/gpt-5-mini say.
 * Its answer is read strictly: what is not a verdict on one of the memories fails.
 */
export const ask = (model: LanguageModel.Service, name: string): NonNullable<Service["ask"]> =>
  Effect.fn("ModelReconciler.ask", { attributes: { model: name } })(function* (question: Question) {
    const told = tell(question)
    yield* Effect.annotateCurrentSpan({ memories: told.memories, characters: told.text.length })
    const { value } = yield* model
      .generateObject({
        objectName: "verdict",
        schema: anything,
        prompt: [
          { role: "system", content: instructions },
          { role: "user", content: told.text }
        ]
      })
      .pipe(
        // The package's spans hold what the model said.
        Effect.withTracerEnabled(false),
        Effect.mapError((error) => errorOf(name, error)),
        Effect.catchAllDefect(() => Effect.fail(new ReconcilerError({ name, reason: "failed", detail: "defect" })))
      )
    const verdict = yield* verdictOf(name, value, told.memories)
    return {
      verdict: verdict.action === "UPDATE" && told.isCut(verdict.target) ? withoutMerged(verdict) : verdict,
      by: { kind: "model" as const, name, promptDigest },
      sure: true
    }
  })

/** Asked of a model; where it fails, nothing is retired or changed. */
export const make = (model: LanguageModel.Service, name: string): Service => ({
  name,
  judge: none.judge,
  ask: ask(model, name)
})

/** The reconciler of whichever language model there is. */
export const layer = (name: string): Layer.Layer<Reconciler, never, LanguageModel.LanguageModel> =>
  Layer.effect(
    Reconciler,
    Effect.map(LanguageModel.LanguageModel, (model) => make(model, name))
  )

const errorOf = (name: string, error: unknown): ReconcilerError => {
  const { detail, reason } = failureOf(error)
  return new ReconcilerError({ name, reason, ...(detail === undefined ? {} : { detail }) })
}

/** JSON of any shape: the model is told which, and the answer is read by `decodeVerdict`, which tells what is wrong with it. */
const anything = Schema.Unknown.annotations({ jsonSchema: answerSchema }) as unknown as Schema.Schema<
  unknown,
  Record<string, unknown>
>

const verdictOf = (name: string, value: unknown, memories: number): Either.Either<Verdict, ReconcilerError> =>
  Either.map(decodeVerdict(name, withoutNulls(value), memories), (verdict) => ({
    ...verdict,
    reason: shortReason(verdict.reason)
  }))

/** Strict schemas require every field, so that null stands for one that is absent. */
const withoutNulls = (value: unknown): unknown =>
  typeof value !== "object" || value === null || Array.isArray(value)
    ? value
    : Object.fromEntries(
        Object.entries(value).flatMap(([key, field]) =>
          field === null ? [] : [[key, key === "merged" ? withoutNulls(field) : field]]
        )
      )

/** A reason stands in the log for good: a sentence, not an essay. */
const shortReason = (reason: string): string => reason.slice(0, 300).toWellFormed()

/** Who has not read all of a memory cannot say how it is to read. */
const withoutMerged = ({ action, reason, target }: Extract<Verdict, { readonly action: "UPDATE" }>): Verdict => ({
  action,
  target,
  reason
})
