import type { DaybookEvent, Payload } from "../../events/catalogue.js"
import type { Db } from "../../projections/Projection.js"
import { findSummary, hasAllSources } from "../../projections/summaries.js"
import { callerDecision, type DecidedEvent } from "../actor/Command.js"
import type { Conflict } from "./plan.js"

export type Summarized = Extract<DaybookEvent, { type: "SUMMARIZE" }>

/** The result of an undo for the summary of a session in a store. */
export interface SummaryPlan extends Pick<Payload<"SUMMARIZE">, "session" | "store" | "summary" | "was" | "restores"> {
  /** The version of the present summary. */
  readonly replaces: number | undefined
  /** The versions that it takes back, newest first; empty for a conflict. */
  readonly undoes: ReadonlyArray<number>
  readonly conflict: Conflict | undefined
}

/**
 * Plans the undo of summaries: each returns to the summary before the chosen events. A summary that was rewritten since
 * stays, and is a conflict. A summary of a forgotten session is not restored.
 */
export const planSummaries = (
  db: Db,
  chosen: ReadonlyArray<Summarized>,
  force: boolean
): ReadonlyArray<SummaryPlan> => {
  const byVersion = new Map(chosen.map((event) => [event.version, event.payload]))
  const plans = new Map<string, SummaryPlan>()
  for (const { payload, version: chosenVersion } of chosen) {
    const { session, store } = payload
    const key = JSON.stringify([session, store])
    if (plans.has(key)) continue
    const writes = chosen.filter((event) => event.payload.session === session && event.payload.store === store)
    const currentSummary = findSummary(db, session, store)
    const lastWrite = writes.at(-1)!
    // Without a present summary, only the event that removed it can be undone.
    if (currentSummary === undefined && lastWrite.payload.summary !== null) continue
    const undoes: Array<number> = []
    let value = currentSummary?.summary ?? null
    let version =
      currentSummary === undefined
        ? lastWrite.version
        : byVersion.has(currentSummary.version)
          ? currentSummary.version
          : currentSummary.origin
    for (let write = byVersion.get(version); write !== undefined; write = byVersion.get(version)) {
      undoes.push(version)
      value = write.was ?? null
      if (write.replaces === undefined) break
      version = write.replaces
    }
    if (undoes.length === 0 && force) {
      undoes.push(...writes.map((event) => event.version).reverse())
      value = writes[0]!.payload.was ?? null
      version = writes[0]!.payload.replaces ?? 0
    }
    if (value !== null && !hasAllSources(db, value)) continue
    const common = {
      session,
      store,
      replaces: currentSummary?.version,
      ...(currentSummary === undefined ? {} : { was: currentSummary.summary })
    }
    const conflict = { version: chosenVersion, memory: session, fields: ["summary"], by: [version] }
    plans.set(
      key,
      undoes.length === 0
        ? { ...common, summary: value, undoes, conflict }
        : { ...common, summary: value, ...(value === null ? {} : { restores: version }), undoes, conflict: undefined }
    )
  }
  return [...plans.values()]
}

/** The event that a plan writes. */
export const summaryEvent = ({ conflict: _, replaces, undoes, ...plan }: SummaryPlan): DecidedEvent => {
  const reason = undoes.length === 1 ? `takes back version ${undoes[0]}` : `takes back ${undoes.length} versions`
  return {
    type: "SUMMARIZE",
    payload: {
      ...plan,
      ...(replaces === undefined ? {} : { replaces }),
      undoes,
      decision: callerDecision("SUMMARIZE", "undo", reason)
    }
  }
}
