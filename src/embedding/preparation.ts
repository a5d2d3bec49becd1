import type * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import { findPreparing } from "../../projections/embedders.js"
import type { Db } from "../../projections/Projection.js"
import type { AgentServices } from "../actor/Agents.js"
import type { Embedder } from "../ports/Embedder.js"
import { adoptEmbedder } from "./embedder.js"
import { besideAbove } from "./vectorsBeside.js"
import { lackingOf, newestIn, type VectorWork } from "./vectorWork.js"

/** How far the index that is being prepared has come. Memories and chunks together. */
export interface Preparation {
  readonly model: string
  readonly dimensions: number
  /** Made by this process since it began. */
  readonly made: number
  /** Lacking now. */
  readonly left: number
  /** Milliseconds since it began. */
  readonly took: number
  /** What was asked of the provider since. */
  readonly requests: number
  readonly tokens: number
}

/** Counts how far one embedder has come since `beganAt`, milliseconds since the epoch. */
export const progressOf = (
  { dimensions, model, usage }: Context.Tag.Service<Embedder>,
  beganAt: number
): {
  /** What lacks a vector now, whoever made those of the others. */
  readonly lacking: (count: number) => void
  /** That so many were served by this process. */
  readonly served: (count: number) => void
  readonly at: (now: number) => Preparation
  readonly shown: () => Preparation
} => {
  const nothing = { requests: 0, tokens: 0 }
  const used = usage?.() ?? nothing
  let [made, left, now] = [0, 0, beganAt]
  let first: number | undefined
  const shown = () => {
    const { requests, tokens } = usage?.() ?? nothing
    const asked = { requests: requests - used.requests, tokens: tokens - used.tokens }
    return { model, dimensions, made, left: Math.max(0, left), took: now - beganAt, ...asked }
  }
  return {
    lacking: (count) => {
      first ??= count
      left = count
      made = Math.max(made, first - count)
    },
    served: (count) => {
      made += count
      left -= count
    },
    at: (millis) => {
      now = millis
      return shown()
    },
    shown
  }
}

/**
 * One event: every reader goes by the new index from then on. It lacks no more than the old one, or next to nothing.
 * All is counted before the turn of the event, when nobody waits; in its turn what came since.
 */
export const adoptWhole = (
  { actor, views }: AgentServices,
  {
    next,
    others,
    ours,
    version
  }: {
    readonly next: Context.Tag.Service<Embedder>
    /** Of the event that began it. */
    readonly version: number
    readonly ours: ReadonlyArray<VectorWork>
    /** The work of what is in force. */
    readonly others: ReadonlyArray<VectorWork>
  }
) =>
  Effect.gen(function* () {
    const { allowed, lacking, newest } = yield* views.read(actor.view, (db) => ({
      allowed: Math.max(besideAbove, lackingOf(db, others)),
      lacking: lackingOf(db, ours),
      newest: newestIn(db)
    }))
    if (lacking > allowed) return
    const isWhole = (db: Db) =>
      findPreparing(db)?.version === version && lacking + lackingOf(db, ours, newest) <= allowed
    yield* actor.run(adoptEmbedder("embedder", next, isWhole))
  })
