import type * as Effect from "effect/Effect"
import type { Memory } from "../../src/Memory.js"
import type { Finished, Outcome, RunAttempt } from "../../src/schedules/Runner.js"
import type { Schedule } from "../../src/schedules/Schedule.js"

/** The result of a run. Texts that are too long are cut. */
export interface Result {
  /** The complete output, at most 100,000 characters. */
  readonly output?: string
  /** A short summary; default: the first 500 characters of `output`. */
  readonly summary?: string
  /** Finite numbers, such as turns, tokens, cost; others are dropped. At most 32 names; `notified` is reserved. */
  readonly counts?: Readonly<Record<string, number>>
}

/** One attempt at one occurrence of a schedule: a handler's input. Times are milliseconds since the epoch. */
export interface Job {
  readonly agent: string
  /** The schedule as it was when the run was claimed. */
  readonly schedule: Schedule
  /** The id of this run. Writes with `{ run: job.run }` belong to the run and can be undone together. */
  readonly run: string
  /** When this occurrence was due. */
  readonly occurrence: number
  /** The number of this attempt at the occurrence, from 1. */
  readonly attempt: number
  /** The time-out interrupts the handler at this time. */
  readonly deadline: number
  /**
   * An idempotency key: the same for all attempts at this occurrence, and different for every other occurrence. A
   * handler may be stopped at any point and started again, so its writes should use the key, for example
   * `{ commandId: job.key }`.
   */
  readonly key: string
  /** The agent's memory, at full trust. */
  readonly memory: Memory
}

/** Runs the schedules that name this handler. The run history stores the first 500 characters of its error. */
export interface Handler {
  // biome-ignore lint/suspicious/noConfusingVoidType: a handler that has nothing to say returns nothing.
  readonly run: (job: Job) => Effect.Effect<Result | string | void, unknown>
  /** Time-out of one attempt in milliseconds; default: the policy's `schedules.timeout`. */
  readonly timeout?: number
  /** Retries after the first attempt; default: the policy's `schedules.retries`. */
  readonly retries?: number
}

/** A finished run that is reported because of the schedule's `notify` setting. The log already contains the run. */
export interface Notification extends RunAttempt, Outcome {
  readonly agent: string
  /** The schedule that ran. */
  readonly definition: Schedule
  /** The state of the schedule after the run. */
  readonly state: Finished["state"]
}
