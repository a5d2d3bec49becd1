import type { DaybookEvent, Payload } from "../../events/catalogue.js"
import type { Db } from "../../projections/Projection.js"
import { findSummary, isFounded } from "../../projections/summaries.js"
import { asked, type DecidedEvent } from "../actor/Command.js"
import type { Conflict } from "./plan.js"

export type Summarized = Extract<DaybookEvent, { type: "SUMMARIZE" }>

/** What taking back makes of the summary of a session in a store. */
export interface SummaryPlan extends Pick<Payload<"SUMMARIZE">, "session" | "store" | "summary" | "was" | "restores"> {
  /** The version whose summary stands there now. */
  readonly replaces: number | undefined
  /** The versions that it takes back, the newest first; none where all of it is a conflict. */
  readonly undoes: ReadonlyArray<number>
  readonly conflict: Conflict | undefined
}

/**
 * What becomes of the summaries that these events wrote: each goes back to what stood there before them. One that was
 * written again since stays, and is a conflict; one of a session that was forgotten stays away.
 */
export const planSummaries = (
  db: Db,
  chosen: ReadonlyArray<Summarized>,
  force: boolean
): ReadonlyArray<SummaryPlan> => {
  const byVersion = new Map(chosen.map((event) => [event.version, event.payload]))
  const plans = new Map<string, SummaryPlan>()
  for (const { payload, version } of chosen) {
    const { session, store } = payload
    const key = JSON.stringify([session, store])
    if (plans.has(key)) continue
    const mine = chosen.filter(({ payload: one }) => one.session === session && one.store === store)
    const now = findSummary(db, session, store)
    const last = mine.at(-1)!
    // Where there is none any more, only what took it away can be taken back.
    if (now === undefined && last.payload.summary !== null) continue
    const undoes: Array<number> = []
    let value = now?.summary ?? null
    let at = now === undefined ? last.version : byVersion.has(now.version) ? now.version : now.origin
    for (let said = byVersion.get(at); said !== undefined; said = byVersion.get(at)) {
      undoes.push(at)
      value = said.was ?? null
      if (said.replaces === undefined) break
      at = said.replaces
    }
    if (undoes.length === 0 && force) {
      undoes.push(...mine.map((event) => event.version).reverse())
      value = mine[0]!.payload.was ?? null
      at = mine[0]!.payload.replaces ?? 0
    }
    if (value !== null && !isFounded(db, value)) continue
    const common = { session, store, replaces: now?.version, ...(now === undefined ? {} : { was: now.summary }) }
    const conflict = { version, memory: session, fields: ["summary"], by: [at] }
    plans.set(
      key,
      undoes.length === 0
        ? { ...common, summary: value, undoes, conflict }
        : { ...common, summary: value, ...(value === null ? {} : { restores: at }), undoes, conflict: undefined }
    )
  }
  return [...plans.values()]
}

/** The event that carries out a plan. */
export const summaryEvent = ({ conflict: _, replaces, undoes, ...plan }: SummaryPlan): DecidedEvent => {
  const reason = undoes.length === 1 ? `takes back version ${undoes[0]}` : `takes back ${undoes.length} versions`
  return {
    type: "SUMMARIZE",
    payload: {
      ...plan,
      ...(replaces === undefined ? {} : { replaces }),
      undoes,
      decision: asked("SUMMARIZE", "undo", reason)
    }
  }
}
