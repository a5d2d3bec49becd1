import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import type { Memory } from "../../events/Memory.js"
import type { PolicyValues } from "../ports/Policy.js"
import {
  type Judgement,
  needsNoModel,
  type Question,
  ReconcilerError,
  type ReconcilerService
} from "../ports/Reconciler.js"
import { checkJudgement } from "../remember/judge.js"
import { askReconciler } from "../remember/Reconciling.js"
import type { Mutation } from "./diff.js"
import { keyOf, recordedAnswer } from "./recorded.js"
import type { Answered } from "./WhatIf.js"

type Service = ReconcilerService

/** The origin of the newest judgement. */
export interface AnswerOrigin {
  readonly answered: Answered
  readonly fallback?: string
}

/** The reconciler of a branch. It uses recorded answers, then new answers, then its own immediate judgement. */
export interface Answers {
  readonly service: Service
  /** Must be called before an event is decided again. */
  readonly begin: (event: Mutation) => void
  /** The origin of the newest decision; undefined if the reconciler was not needed. */
  readonly source: () => AnswerOrigin | undefined
  /** The question to ask before the event can be decided; undefined if there is none. */
  readonly openQuestion: () => Question | undefined
  /** Asks open questions. Afterwards, their events can be decided. */
  readonly ask: (questions: ReadonlyArray<Question>) => Effect.Effect<void>
  /** How many questions were asked so far. */
  readonly askedCount: () => number
}

export interface AnswersOptions {
  readonly reconciler: Service
  readonly policy: PolicyValues["reconcile"]
  /** Returns true if recorded answers of this model may be reused. */
  readonly reuses: (name: string) => boolean
  readonly mayAsk: boolean
  readonly liveNow: (id: string) => Memory | undefined
}

export const make = ({ mayAsk, liveNow, policy, reconciler, reuses }: AnswersOptions): Answers => {
  const newAnswers = new Map<string, Either.Either<Judgement, ReconcilerError>>()
  let event: Mutation | undefined
  let source: AnswerOrigin | undefined
  let open: Question | undefined
  let askedCount = 0

  const from = (judgement: Judgement, answered: Answered, fallback?: string): Judgement => {
    source = { answered, ...(fallback === undefined ? {} : { fallback }) }
    return judgement
  }

  /** Uses the reconciler's own judgement instead of a model's answer. */
  const judgeInstead = (question: Question, fallback: string): Judgement => {
    source = { answered: "fallback", fallback }
    return reconciler.judge(question)
  }

  const judge = (question: Question): Judgement => {
    source = { answered: "judged" }
    if (reconciler.ask === undefined) return reconciler.judge(question)
    if (policy.reconciler === "hybrid") {
      const immediate = reconciler.judge(question)
      if (needsNoModel(immediate, policy.certain)) return immediate
    }
    const recorded =
      event !== undefined && reuses(event.payload.decision.by.name)
        ? recordedAnswer(event, question, liveNow)
        : undefined
    if (recorded !== undefined) return from(recorded, "reused")
    if (!mayAsk) return judgeInstead(question, "the log has no answer to this question, and the option `ask` is off")
    const answer = newAnswers.get(keyOf(question))
    if (answer === undefined) {
      open = question
      return undecided
    }
    if (Either.isLeft(answer)) return judgeInstead(question, answer.left.message)
    const check = checkJudgement(answer.right, question.candidates.length)
    return Either.isRight(check)
      ? from(answer.right, "asked")
      : judgeInstead(question, new ReconcilerError({ name: reconciler.name, reason: check.left }).message)
  }

  return {
    service: { name: reconciler.name, judge },
    begin: (mutation) => {
      event = mutation
      source = undefined
      open = undefined
    },
    source: () => source,
    openQuestion: () => open,
    ask: (questions) =>
      Effect.forEach(
        new Map(questions.map((question) => [keyOf(question), question])),
        ([key, question]) =>
          Effect.map(askReconciler(reconciler, question, policy.timeout), (answer) => {
            askedCount++
            newAnswers.set(key, answer)
          }),
        { concurrency: policy.concurrency, discard: true }
      ),
    askedCount: () => askedCount
  }
}

/** A placeholder for a missing answer. The decision made with it is discarded. */
const undecided: Judgement = {
  verdict: { action: "ADD", reason: "to be asked" },
  by: { kind: "rule", name: "undecided" },
  sure: false
}
