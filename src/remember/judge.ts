import * as Either from "effect/Either"
import * as Schema from "effect/Schema"
import { Decision } from "../../events/catalogue.js"
import type { Memory } from "../../events/Memory.js"
import { isAtLeast, levelOf, type TrustLevel } from "../../events/Trust.js"
import type { Advice, WeighedStatement } from "../actor/Advice.js"
import { decodeChanges } from "../model/input.js"
import { type Judgement, ReconcilerError, Verdict } from "../ports/Reconciler.js"
import type { SimilarMemory } from "./candidates.js"
import { candidatesKey, questionOf, type ReconcilerSetup } from "./Reconciling.js"

/** A verdict, and the decision that records it. */
export interface JudgedStatement {
  readonly verdict: Verdict
  readonly decision: Decision
}

/** A statement to judge, its candidates and the advice about them. */
export interface JudgeInput {
  readonly weighed: WeighedStatement
  readonly candidates: ReadonlyArray<SimilarMemory>
  readonly advice: Advice | undefined
  /** Whether stale advice may be requested again. */
  readonly mayRedecide: boolean
  /** Milliseconds since the epoch. */
  readonly now: number
}

/**
 * Decides on a statement that resembles stored memories. The reconciler's answer is used if it was asked about the
 * present candidates; otherwise the result is "redecide". If the answer failed or is unusable, the reconciler's own
 * immediate judgement is used, and the decision records that.
 */
export const judge = (
  { policy, reconciler }: ReconcilerSetup,
  { advice, candidates, mayRedecide, now, weighed }: JudgeInput
): JudgedStatement | "redecide" => {
  const judgeNow = (): Judgement => {
    try {
      const judgement = reconciler.judge(questionOf(weighed, weighed.occurredAt ?? now, candidates))
      return Either.isRight(checkJudgement(judgement, candidates.length)) ? judgement : failedJudgement
    } catch {
      return failedJudgement
    }
  }
  const current = advice?.modelAnswer?.candidatesKey === candidatesKey(candidates) ? advice.modelAnswer : undefined
  if (reconciler.ask !== undefined && current === undefined && mayRedecide) return "redecide"
  const answer =
    current === undefined ? undefined : Either.flatMap(current.answer, checked(reconciler.name, candidates.length))
  const { by, verdict } = answer !== undefined && Either.isRight(answer) ? answer.right : judgeNow()
  const fallback =
    reconciler.ask === undefined
      ? undefined
      : answer === undefined
        ? `reconciler ${reconciler.name}: the candidates kept changing`
        : Either.isLeft(answer)
          ? answer.left.message
          : undefined
  return {
    verdict,
    decision: {
      action: verdict.action,
      by,
      reason: verdict.reason.slice(0, maxReasonCharacters),
      candidates: candidates.map(({ memory, parts, score }) => ({
        id: memory.id,
        revision: memory.revision,
        score,
        parts
      })),
      threshold: policy.threshold,
      ...(fallback === undefined ? {} : { fallback }),
      ...(current === undefined ? {} : { latency: current.latency })
    }
  }
}

/**
 * Limits a verdict to what the statement's level may change. It cannot change a memory that a higher level wrote. It
 * does not merge the statement into a memory of a lower level either: the statement's text would then count as text of
 * that lower level.
 */
export const withinLevel = (
  judged: JudgedStatement,
  targets: ReadonlyArray<Memory>,
  level: TrustLevel | undefined
): JudgedStatement => {
  const { decision, verdict } = judged
  if (verdict.action === "ADD" || level === undefined) return judged
  const target = targets[verdict.target]!
  const written = levelOf(target)
  const isAllowed =
    written === level || (isAtLeast(level, written) ? verdict.action === "DELETE" : verdict.action === "NONE")
  if (isAllowed) return judged
  const limit = isAtLeast(level, written)
    ? `a statement of ${level} is not merged into one of ${written}`
    : `${level} cannot change what ${written} wrote`
  const reason = `${verdict.reason.slice(0, maxVerdictCharacters)}; stored apart: ${limit}`
  return { verdict: { action: "ADD", reason }, decision: { ...decision, action: "ADD", reason } }
}

/** Characters of a verdict's reason that are kept before the limit's. */
const maxVerdictCharacters = 400

/** Longer reasons are cut. */
const maxReasonCharacters = 500

const failedJudgement: Judgement = {
  verdict: { action: "ADD", reason: "the reconciler failed" },
  by: { kind: "rule", name: "fallback" },
  sure: false
}

const checked =
  (name: string, candidates: number) =>
  (judgement: Judgement): Either.Either<Judgement, ReconcilerError> =>
    Either.mapBoth(checkJudgement(judgement, candidates), {
      onLeft: (reason) => new ReconcilerError({ name, reason }),
      onRight: () => judgement
    })

/** Anybody may write a reconciler, so the shape of its judgement is checked like other input. */
const isJudgement = Schema.is(Schema.Struct({ verdict: Schema.typeSchema(Verdict), by: Decision.fields.by }))

/** Checks that a judgement is well formed, names one of the candidates, and merges only what can be stored. */
export const checkJudgement = (
  judgement: Judgement,
  candidates: number
): Either.Either<void, "unreadable" | "target" | "merged"> => {
  if (!isJudgement(judgement)) return Either.left("unreadable")
  const { verdict } = judgement
  if (verdict.action === "ADD") return Either.void
  if (!(verdict.target < candidates)) return Either.left("target")
  if (verdict.action !== "UPDATE" || verdict.merged === undefined) return Either.void
  return Either.mapBoth(decodeChanges(verdict.merged), { onLeft: () => "merged" as const, onRight: () => undefined })
}
