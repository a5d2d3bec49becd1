import * as Either from "effect/Either"
import * as Schema from "effect/Schema"
import { Decision } from "../../events/catalogue.js"
import type { Told, Weighed } from "../actor/Told.js"
import { decodeChanges } from "../model/input.js"
import { type Judgement, ReconcilerError, Verdict } from "../ports/Reconciler.js"
import type { Likely } from "./candidates.js"
import { about, questionOf, type Reconciling } from "./Reconciling.js"

/** What was decided, and how that goes on record. */
export interface Judged {
  readonly verdict: Verdict
  readonly decision: Decision
}

/**
 * Decides on a statement that is like memories that are there: what the
 * reconciler said when it was asked, or what it says at once; "again" where it
 * was asked about other candidates than there are by now. An answer that failed
 * or cannot be used is made up for by the judgement at once, and the decision
 * says so.
 */
export const judge = (
  { policy, reconciler }: Reconciling,
  weighed: Weighed,
  likely: ReadonlyArray<Likely>,
  told: Told | undefined,
  { again, now }: { readonly again: boolean; readonly now: number }
): Judged | "again" => {
  const atOnce = (): Judgement => {
    try {
      const judgement = reconciler.judge(questionOf(weighed, weighed.occurredAt ?? now, likely))
      return Either.isRight(usable(judgement, likely.length)) ? judgement : unsound
    } catch {
      return unsound
    }
  }
  const asked = told?.asked
  const current = asked !== undefined && asked.about === about(likely) ? asked : undefined
  if (reconciler.ask !== undefined && current === undefined && again) return "again"
  const answer =
    current === undefined ? undefined : Either.flatMap(current.answer, sound(reconciler.name, likely.length))
  const { by, verdict } = answer !== undefined && Either.isRight(answer) ? answer.right : atOnce()
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
      reason: verdict.reason.slice(0, longestReason),
      candidates: likely.map(({ memory, parts, score }) => ({
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

/** Characters of a reason that are kept. */
const longestReason = 500

const unsound: Judgement = {
  verdict: { action: "ADD", reason: "the reconciler failed" },
  by: { kind: "rule", name: "fallback" },
  sure: false
}

const sound =
  (name: string, candidates: number) =>
  (judgement: Judgement): Either.Either<Judgement, ReconcilerError> =>
    Either.mapBoth(usable(judgement, candidates), {
      onLeft: (reason) => new ReconcilerError({ name, reason }),
      onRight: () => judgement
    })

/** Reconcilers come from anywhere: one that says nothing, or not who it is, is as good as one that fails. */
const isJudgement = Schema.is(Schema.Struct({ verdict: Schema.typeSchema(Verdict), by: Decision.fields.by }))

/** Whether it is a judgement at all, names one of the candidates and says what can be stored. */
export const usable = (
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
