import type * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import type { Memory } from "../../events/Memory.js"
import type { PolicyValues } from "../ports/Policy.js"
import type { Judgement, Question, Reconciler, ReconcilerError } from "../ports/Reconciler.js"
import { usable } from "../remember/judge.js"
import { answerOf } from "../remember/Reconciling.js"
import type { Mutation } from "./diff.js"
import { keyOf, recordedAnswer } from "./recorded.js"
import type { Answered } from "./WhatIf.js"

type Service = Context.Tag.Service<Reconciler>

/** Where the newest judgement came from. */
export interface Source {
  readonly answered: Answered
  readonly fallback?: string
}

/** Who decides in a branch: with the answers that the log has, with those that were asked for, and with what is said at once. */
export interface Answers {
  readonly service: Service
  /** Before an event is decided again. */
  readonly about: (event: Mutation) => void
  /** How the newest decision came about; undefined where nobody was asked anything. */
  readonly source: () => Source | undefined
  /** The question that has to be asked before the event can be decided. */
  readonly open: () => Question | undefined
  /** Asks open questions; then the events can be decided once more. */
  readonly ask: (questions: ReadonlyArray<Question>) => Effect.Effect<void>
  /** Questions asked so far. */
  readonly asked: () => number
}

export interface AnswersOptions {
  readonly reconciler: Service
  readonly policy: PolicyValues["reconcile"]
  /** Whether recorded answers are of the model that would be asked. */
  readonly reuses: (name: string) => boolean
  readonly asks: boolean
  readonly liveNow: (id: string) => Memory | undefined
}

export const make = ({ asks, liveNow, policy, reconciler, reuses }: AnswersOptions): Answers => {
  const known = new Map<string, Either.Either<Judgement, ReconcilerError>>()
  let event: Mutation | undefined
  let source: Source | undefined
  let open: Question | undefined
  let asked = 0

  const from = (judgement: Judgement, answered: Answered, fallback?: string): Judgement => {
    source = { answered, ...(fallback === undefined ? {} : { fallback }) }
    return judgement
  }

  /** What it says itself, once it is known that nobody else does. */
  const atOnce = (question: Question, fallback: string): Judgement => {
    source = { answered: "fallback", fallback }
    return reconciler.judge(question)
  }

  const judge = (question: Question): Judgement => {
    source = { answered: "judged" }
    if (reconciler.ask === undefined) return reconciler.judge(question)
    if (policy.reconciler === "hybrid") {
      const own = reconciler.judge(question)
      if (own.sure) return own
    }
    const recorded =
      event !== undefined && reuses(event.payload.decision.by.name)
        ? recordedAnswer(event, question, liveNow)
        : undefined
    if (recorded !== undefined) return from(recorded, "reused")
    if (!asks) return atOnce(question, "the log has no answer to it, and nobody was to be asked")
    const answer = known.get(keyOf(question))
    if (answer === undefined) {
      open = question
      return undecided
    }
    if (Either.isLeft(answer)) return atOnce(question, answer.left.message)
    const sound = usable(answer.right, question.candidates.length)
    return Either.isRight(sound)
      ? from(answer.right, "asked")
      : atOnce(question, `reconciler ${reconciler.name}: ${sound.left}`)
  }

  return {
    service: { name: reconciler.name, judge },
    about: (about) => {
      event = about
      source = undefined
      open = undefined
    },
    source: () => source,
    open: () => open,
    ask: (questions) =>
      Effect.forEach(
        new Map(questions.map((question) => [keyOf(question), question])),
        ([key, question]) =>
          Effect.map(answerOf(reconciler, question, policy.timeout), (answer) => {
            asked++
            known.set(key, answer)
          }),
        { concurrency: policy.concurrency, discard: true }
      ),
    asked: () => asked
  }
}

/** Stands in for an answer that has to be asked for; what is decided with it is thrown away. */
const undecided: Judgement = {
  verdict: { action: "ADD", reason: "to be asked" },
  by: { kind: "rule", name: "undecided" },
  sure: false
}
