import * as LanguageModel from "@effect/ai/LanguageModel"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Layer from "effect/Layer"
import * as Schema from "effect/Schema"
import {
  decodeVerdict,
  noReconciler,
  type Question,
  Reconciler,
  ReconcilerError,
  type ReconcilerService,
  type Verdict
} from "../../src/ports/Reconciler.js"
import { failureOf } from "./failures.js"
import { answerSchema, buildPrompt, instructions, promptDigest } from "./reconcilePrompt.js"

type Service = ReconcilerService

/**
 * Asks a language model for a verdict. `name` is the model's name in decisions, for example openai/gpt-5-mini. Fails if
 * the answer is not a verdict on one of the memories.
 */
export const ask = (model: LanguageModel.Service, name: string): NonNullable<Service["ask"]> =>
  Effect.fn("ModelReconciler.ask", { attributes: { model: name } })(function* (question: Question) {
    const prompt = buildPrompt(question)
    yield* Effect.annotateCurrentSpan({ memories: prompt.memories, characters: prompt.text.length })
    const { value } = yield* model
      .generateObject({
        objectName: "verdict",
        schema: unknownAnswer,
        prompt: [
          { role: "system", content: instructions },
          { role: "user", content: prompt.text }
        ]
      })
      .pipe(
        // The spans of @effect/ai contain the model's answer, which may quote memories.
        Effect.withTracerEnabled(false),
        Effect.mapError((error) => errorOf(name, error)),
        Effect.catchAllDefect(() => Effect.fail(new ReconcilerError({ name, reason: "failed", detail: "defect" })))
      )
    const verdict = yield* verdictOf(name, value, prompt.memories)
    return {
      verdict: verdict.action === "UPDATE" && prompt.isCut(verdict.target) ? withoutMerged(verdict) : verdict,
      by: { kind: "model" as const, name, promptDigest },
      // An answer that does not say so is not certain: it retires nothing.
      sure: (value as { readonly certain?: unknown }).certain === true
    }
  })

/** A reconciler that asks a model. If the model fails, the statement is added, and no memory is changed or retired. */
export const make = (model: LanguageModel.Service, name: string): Service => ({
  name,
  judge: noReconciler.judge,
  ask: ask(model, name)
})

/** The reconciler of the `LanguageModel` in the context. */
export const layer = (name: string): Layer.Layer<Reconciler, never, LanguageModel.LanguageModel> =>
  Layer.effect(
    Reconciler,
    Effect.map(LanguageModel.LanguageModel, (model) => make(model, name))
  )

const errorOf = (name: string, error: unknown): ReconcilerError => {
  const { detail, reason } = failureOf(error)
  return new ReconcilerError({ name, reason, ...(detail === undefined ? {} : { detail }) })
}

/**
 * Sends the schema to the model, but accepts any JSON, because `decodeVerdict` reads the answer and names its problems.
 */
const unknownAnswer = Schema.Unknown.annotations({ jsonSchema: answerSchema }) as unknown as Schema.Schema<
  unknown,
  Record<string, unknown>
>

const verdictOf = (name: string, value: unknown, memories: number): Either.Either<Verdict, ReconcilerError> =>
  Either.map(decodeVerdict(name, withoutNulls(value), memories), (verdict) => ({
    ...verdict,
    reason: shortReason(verdict.reason)
  }))

/** Removes nulls: strict schemas require every field, so the model writes null for an absent one. */
const withoutNulls = (value: unknown): unknown =>
  typeof value !== "object" || value === null || Array.isArray(value)
    ? value
    : Object.fromEntries(
        Object.entries(value).flatMap(([key, field]) =>
          field === null ? [] : [[key, key === "merged" ? withoutNulls(field) : field]]
        )
      )

/** Shortens the reason, because the log stores it forever. */
const shortReason = (reason: string): string => reason.slice(0, 300).toWellFormed()

/** Removes the merged text, because a model that saw only part of a memory must not rewrite the memory. */
const withoutMerged = ({ action, reason, target }: Extract<Verdict, { readonly action: "UPDATE" }>): Verdict => ({
  action,
  target,
  reason
})
