import * as LanguageModel from "@effect/ai/LanguageModel"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Layer from "effect/Layer"
import {
  decodeVerdict,
  noReconciler,
  type Question,
  Reconciler,
  ReconcilerError,
  type ReconcilerService,
  type Verdict
} from "../../src/ports/Reconciler.js"
import { newerMayEndOlder } from "../languages/statedClaim.js"
import { askForJson } from "./askForJson.js"
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
    const value = yield* askForJson(model, {
      name: "verdict",
      schema: answerSchema,
      instructions,
      question: prompt.text
    }).pipe(Effect.mapError((failure) => new ReconcilerError({ name, ...failure })))
    const verdict = yield* verdictOf(name, value, prompt.memories)
    return {
      verdict: verdict.action === "UPDATE" && prompt.isCut(verdict.target) ? withoutMerged(verdict) : verdict,
      by: { kind: "model" as const, name, promptDigest },
      sure: isCertain(question, verdict, value)
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

/**
 * True if the answer says that it is certain. For a contradiction, both the rules and the model must also say that the
 * statement can end the memory. Otherwise the contradiction retires nothing and becomes a dispute.
 */
const isCertain = ({ candidates, statement }: Question, verdict: Verdict, value: unknown): boolean => {
  const { certain, modality, validity } = value as Readonly<Record<string, unknown>>
  if (certain !== true) return false
  if (verdict.action !== "DELETE") return true
  const isOpen = ["question", "plan", "hedge", "quote"].includes(String(modality))
  return (
    !isOpen &&
    validity !== "bounded" &&
    validity !== "former" &&
    newerMayEndOlder(statement, candidates[verdict.target]!)
  )
}

const verdictOf = (name: string, value: unknown, memories: number): Either.Either<Verdict, ReconcilerError> =>
  Either.map(decodeVerdict(name, value, memories), (verdict) => ({
    ...verdict,
    reason: shortReason(verdict.reason)
  }))

/** Shortens the reason, because the log stores it forever. */
const shortReason = (reason: string): string => reason.slice(0, 300).toWellFormed()

/** Removes the merged text, because a model that saw only part of a memory must not rewrite the memory. */
const withoutMerged = ({ action, reason, target }: Extract<Verdict, { readonly action: "UPDATE" }>): Verdict => ({
  action,
  target,
  reason
})
