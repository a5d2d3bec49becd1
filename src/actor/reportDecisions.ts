import * as Effect from "effect/Effect"
import { traceEvent } from "../../events/tracing.js"
import { countFallback } from "../model/operationMetrics.js"
import type { DecidedEvent } from "./Command.js"

/** Maximum events of one transaction that a trace names: a span with thousands of them is hard to store and to read. */
const maxReported = 100

/** Traces what stored events decided: how statements were reconciled, and what was captured. */
export const reportDecisions = (events: ReadonlyArray<DecidedEvent>): Effect.Effect<void> =>
  Effect.suspend(() => {
    const reports: Array<Effect.Effect<void>> = []
    for (const event of events) {
      if (event.type === "EXTRACT") reports.push(reportCapture(event))
      else if ("decision" in event.payload) {
        const { by, candidates = [], fallback } = event.payload.decision
        if (candidates.length === 0) continue
        if (fallback !== undefined && by.kind === "rule") countFallback("reconciler")
        reports.push(reportReconciliation(event, event.payload.decision))
      }
      if (reports.length >= maxReported) break
    }
    return reports.length === 0 ? Effect.void : Effect.all(reports, { discard: true })
  })

type Decision = Extract<DecidedEvent, { type: "ADD" }>["payload"]["decision"]

const reportReconciliation = ({ type }: DecidedEvent, { action, by, candidates = [], fallback }: Decision) =>
  Effect.zipRight(
    traceEvent("reconciliation.decided", {
      action,
      by: by.kind,
      candidates: candidates.length,
      fallback: fallback !== undefined
    }),
    traceEvent("reconciliation.applied", { action: type })
  )

const reportCapture = ({ payload }: Extract<DecidedEvent, { type: "EXTRACT" }>) => {
  const { by, captured, skipped = {}, turns } = payload
  const leftOut = Object.values(skipped).reduce((sum, number) => sum + number, 0)
  return traceEvent("capture.extracted", {
    by: by.kind,
    turns,
    extracted_count: captured.length + leftOut,
    written_count: captured.filter(({ action }) => action !== "NONE").length
  })
}
