import type * as Effect from "effect/Effect"
import type { WaitingTotals } from "../../projections/extracts.js"
import { day, minute } from "../../text/when/clock.js"
import type { Background } from "../actor/Background.js"
import type { ReaderServices, ReaderSource } from "../actor/ReaderSource.js"
import type { ExtractorService } from "../ports/Extractor.js"
import type { PolicyValues } from "../ports/Policy.js"
import type { Writer } from "../remember/remember.js"
import type { Runner } from "../remember/runner.js"
import type { SessionKey } from "./request.js"

/** The settings and services with which this process captures. */
export interface Capture {
  /** Undefined if nothing is captured. */
  readonly extractor: ExtractorService | undefined
  readonly policy: PolicyValues["capture"]
  readonly mode: CaptureMode
  readonly background: Background
}

export type CaptureMode = NonNullable<PolicyValues["capture"]["mode"]>

export const make = (
  extractor: ExtractorService | undefined,
  policy: PolicyValues["capture"],
  background: Background
): Capture => ({
  extractor: policy.enabled && policy.extractor !== "none" ? extractor : undefined,
  policy,
  mode: policy.mode ?? (extractor?.ask === undefined ? "turn" : "after"),
  background
})

/** The key of background work on a session. */
export const backgroundKey = (agent: string, { session, store }: SessionKey): string =>
  JSON.stringify([agent, session, store])

/**
 * Returns when waiting turns are due for extraction, in milliseconds since the epoch. If there are enough turns for the
 * mode, they are due at once. Otherwise they are due after a quiet period or, in mode "buffer", at the end of the first
 * turn's UTC day if that is earlier.
 */
export const dueAt = ({ firstAt, lastAt, tokens, turns }: WaitingTotals, { mode, policy }: Capture): number => {
  if (mode === "after" && turns >= policy.minTurnMessages) return lastAt
  if (mode === "buffer" && tokens >= policy.tokens) return lastAt
  const isQuiet = lastAt + policy.quiet * minute
  return mode === "buffer" ? Math.min(isQuiet, (Math.floor(firstAt / day) + 1) * day) : isQuiet
}

/** The dependencies of capture for one agent. */
export interface CaptureServices extends Pick<ReaderSource, "agent" | "read">, Pick<ReaderServices, "log" | "codec"> {
  readonly capture: Capture
  /** Records the pending recalls of a session, so that memories shown by these recalls are not captured again. */
  readonly recordShown: (session: string) => Effect.Effect<void>
}

/** The state that the functions of a writer share. */
export interface CaptureContext extends CaptureServices {
  readonly runner: Runner
  readonly writer: Writer
}
