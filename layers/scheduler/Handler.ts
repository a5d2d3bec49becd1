import type * as Effect from "effect/Effect"
import type { Memory } from "../../src/Memory.js"
import type { Finished, Outcome, RunOf } from "../../src/schedules/Runner.js"
import type { Schedule } from "../../src/schedules/Schedule.js"

/** What a handler has to say of its run. What is too long is cut. */
export interface Result {
  /** All of it, 100,000 characters at most. */
  readonly output?: string
  /** The gist; the first 500 characters of `output` where absent. */
  readonly summary?: string
  /** What it counted, in whole numbers: turns, tokens, cost in cents. 32 names at most; `notified` is the runner's. */
  readonly counts?: Readonly<Record<string, number>>
}

/** One attempt at one occurrence of a schedule, as its handler gets it. Times are milliseconds since the epoch. */
export interface Job {
  readonly agent: string
  /** As it was when its turn came. */
  readonly schedule: Schedule
  /** Names this run: a write with `{ run: job.run }` is part of it, to be undone as one. */
  readonly run: string
  /** When it was due. */
  readonly occurrence: number
  /** Counts the attempts at this occurrence from 1. */
  readonly attempt: number
  /** When it is stopped. */
  readonly deadline: number
  /**
   * The same for every attempt at this occurrence and for no other. A handler may be stopped at any point and begun
   * again: what it does is done once where it is done under this key, with `{ commandId: job.key }` say.
   */
  readonly key: string
  /** The agent's memory, at full trust. */
  readonly memory: Memory
}

/** What carries out schedules that name it. What it fails with is kept in the history, 500 characters of it. */
export interface Handler {
  // biome-ignore lint/suspicious/noConfusingVoidType: a handler that has nothing to say returns nothing.
  readonly run: (job: Job) => Effect.Effect<Result | string | void, unknown>
  /** Milliseconds that one attempt may take; the policy's `schedules.timeout` where absent. */
  readonly timeout?: number
  /** Attempts after the first one that failed; the policy's `schedules.retries` where absent. */
  readonly retries?: number
}

/** A run that somebody is to be told of, as its schedule's notification policy has it. It is in the log by now. */
export interface Notification extends RunOf, Outcome {
  readonly agent: string
  readonly of: Schedule
  /** How the schedule stands after it. */
  readonly state: Finished["state"]
}
