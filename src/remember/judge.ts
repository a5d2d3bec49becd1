import * as Either from "effect/Either"
import * as Schema from "effect/Schema"
import { Decision } from "../../events/catalogue.js"
import type { Dispute, Memory } from "../../events/Memory.js"
import { isAtLeast, levelOf, type TrustLevel } from "../../events/Trust.js"
import type { OpenDispute } from "../../projections/disputeGroups.js"
import type { Advice, WeighedStatement } from "../actor/Advice.js"
import { decodeChanges } from "../model/input.js"
import { confidenceOf, type Judgement, noReconciler, ReconcilerError, Verdict } from "../ports/Reconciler.js"
import type { SimilarMemory } from "./candidates.js"
import { maySettleGroup } from "./levels.js"
import { candidatesKey, questionOf, type ReconcilerSetup } from "./Reconciling.js"

/** A verdict, and the decision that records it. */
export interface JudgedStatement {
  readonly verdict: Verdict
  readonly decision: Decision
  /** The memories that the statement contradicts without retiring them. */
  readonly disputes?: ReadonlyArray<Dispute>
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
  const current = advice?.modelAnswer?.candidatesKey === candidatesKey(candidates) ? advice.modelAnswer : undefined
  if (reconciler.ask !== undefined && current === undefined && mayRedecide) return "redecide"
  const answer =
    current === undefined ? undefined : Either.flatMap(current.answer, checked(reconciler.name, candidates.length))
  const judgement =
    answer !== undefined && Either.isRight(answer) ? answer.right : judgeNow(reconciler, { weighed, now, candidates })
  const { by, confidence, verdict } = withoutUnsureText(judgement)
  const fallback =
    reconciler.ask === undefined
      ? undefined
      : answer === undefined
        ? `reconciler ${reconciler.name}: the candidates kept changing`
        : Either.isLeft(answer)
          ? answer.left.message
          : undefined
  const judged: JudgedStatement = {
    verdict,
    decision: {
      action: verdict.action,
      by,
      reason: verdict.reason.slice(0, maxReasonCharacters),
      ...(confidence === undefined ? {} : { confidence }),
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
  return verdict.action === "DELETE" && !isCertain(judgement, policy)
    ? disputed(judged, candidates[verdict.target]!.memory, "unsure", "not certain")
    : judged
}

/** The reconciler's immediate judgement; ADD if it fails. */
const judgeNow = (
  reconciler: ReconcilerSetup["reconciler"],
  { candidates, now, weighed }: Pick<JudgeInput, "candidates" | "now" | "weighed">
): Judgement => {
  try {
    const judgement = reconciler.judge(questionOf(weighed, weighed.occurredAt ?? now, candidates))
    return Either.isRight(checkJudgement(judgement, candidates.length)) ? judgement : failedJudgement
  } catch {
    return failedJudgement
  }
}

/** Whether a contradiction may retire a memory. */
const isCertain = (judgement: Judgement, { certain }: ReconcilerSetup["policy"]): boolean =>
  confidenceOf(judgement) >= certain

/**
 * Removes the model's merged text from an uncertain UPDATE. The engine then merges the statement itself and keeps
 * everything that the memory says.
 */
const withoutUnsureText = (judgement: Judgement): Judgement => {
  const { sure, verdict } = judgement
  if (sure || verdict.action !== "UPDATE" || verdict.merged === undefined) return judgement
  const { merged: _, ...kept } = verdict
  return { ...judgement, verdict: kept }
}

/**
 * Changes a verdict to a dispute: the statement is added, and the memory that it contradicts stays. Both stay until the
 * dispute is settled. A model's own words are not stored, because they may quote that memory.
 */
const disputed = (
  { decision, verdict }: JudgedStatement,
  { id }: Pick<Memory, "id">,
  ground: Dispute["ground"],
  why: string
): JudgedStatement => {
  const contradiction = decision.by.kind === "model" ? "another value" : verdict.reason.slice(0, maxVerdictCharacters)
  const reason = `${contradiction}; disputes it: ${why}`
  const { confidence } = decision
  return {
    verdict: { action: "ADD", reason },
    decision: { ...decision, action: "DISPUTE", reason },
    disputes: [{ id, ground, ...(confidence === undefined ? {} : { confidence }) }]
  }
}

/**
 * Limits a verdict to what the statement's level may change. It cannot change a memory that a higher level wrote. It
 * does not merge the statement into a memory of a lower level either: the statement's text would then count as text of
 * that lower level.
 */
export const limitToLevel = (
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
  if (verdict.action === "DELETE") return disputed(judged, target, "level", limit)
  const reason = `${verdict.reason.slice(0, maxVerdictCharacters)}; stored apart: ${limit}`
  return { verdict: { action: "ADD", reason }, decision: { ...decision, action: "ADD", reason } }
}

/**
 * Limits a DELETE whose target is in an open dispute. The writer's level must be at or above that of each side, and the
 * statement must not come from a memory. Otherwise the statement only disputes the target. The DELETE retires only the
 * target. The statement disputes each other side that is a candidate and that it contradicts.
 */
export const limitToGroup = (
  setup: ReconcilerSetup,
  judged: JudgedStatement,
  { candidates, now, weighed }: Pick<JudgeInput, "candidates" | "now" | "weighed">,
  disputeOf: (id: string) => OpenDispute | "unknown" | undefined
): JudgedStatement => {
  const { verdict } = judged
  if (verdict.action !== "DELETE") return judged
  const target = candidates[verdict.target]!.memory
  const dispute = disputeOf(target.id)
  if (dispute === undefined) return judged
  if (dispute === "unknown") return disputed(judged, target, "group", "the disputes about it cannot be read")
  if (!maySettleGroup(weighed, dispute))
    return disputed(judged, target, "group", "it may not settle the dispute about it")
  const sides = new Set(dispute.sides.map(({ id }) => id))
  const disputes = candidates.flatMap((candidate): ReadonlyArray<Dispute> => {
    const { id } = candidate.memory
    if (id === target.id || !sides.has(id)) return []
    // Without its own `judge`, a reconciler cannot compare single pairs. The statement takes the target's place, so it
    // then disputes all other sides among the candidates.
    if (setup.reconciler.judge === noReconciler.judge) return [{ id, ground: "group" }]
    const judgement = judgeNow(setup.reconciler, { weighed, now, candidates: [candidate] })
    return judgement.verdict.action === "DELETE" ? [{ id, ground: "group", confidence: confidenceOf(judgement) }] : []
  })
  return disputes.length === 0 ? judged : { ...judged, disputes }
}

/** Maximum characters of a verdict's reason if the reason of a limit follows it. */
const maxVerdictCharacters = 400

/** Maximum characters of a stored reason. Longer reasons are cut. */
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
const isJudgement = Schema.is(
  Schema.Struct({
    verdict: Schema.typeSchema(Verdict),
    by: Decision.fields.by,
    confidence: Schema.optional(Schema.Number.pipe(Schema.between(0, 1)))
  })
)

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
