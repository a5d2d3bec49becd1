import type * as Context from "effect/Context"
import type { Embedder } from "./Embedder.js"

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
