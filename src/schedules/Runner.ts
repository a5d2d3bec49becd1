import type * as Effect from "effect/Effect"
import type { Payload } from "../../events/catalogue.js"
import type { AlreadyErased, CommandConflict, StorageError } from "../../events/errors.js"
import type { ScheduleDefinition, ScheduleState } from "../../events/Schedule.js"
import type { ViewError } from "../../projections/view/buildViewFile.js"
import type { CommandError } from "../actor/Actor.js"
import type { InvalidInput, LeaseLost, ProjectionParked } from "../model/errors.js"
import type { StageName } from "../model/stages.js"
import type { PolicyValues } from "../ports/Policy.js"
import type { Schedule } from "./Schedule.js"

/** One attempt at one occurrence of a schedule. */
export interface RunAttempt {
  readonly run: string
  readonly schedule: string
  /** When the run was due, milliseconds since the epoch. */
  readonly occurrence: number
  readonly attempt: number
}

/** A claimed run. `lease` is when its lease ends, milliseconds since the epoch. */
export interface Claimed extends RunAttempt {
  readonly lease: number
  /** The schedule at the time of the claim. */
  readonly definition: Schedule
}

/** The result of claiming runs. */
export interface ClaimResult {
  readonly claimed: ReadonlyArray<Claimed>
  /** When a schedule of one of the handlers is next due, milliseconds since the epoch; null for never. */
  readonly next: number | null
  /** True if nothing was claimed, because the clock jumped by more than a year and nobody confirmed it. */
  readonly waitsForClock: boolean
}

/** How a run ended. `duration` is milliseconds. */
export interface Outcome extends Pick<Payload<"RUN">, "counts" | "summary" | "output" | "error" | "duration"> {
  readonly status: "ok" | "failed" | "timeout"
}

/** The result of finishing a run. */
export interface Finished {
  /** True if the user must be notified. */
  readonly notify: boolean
  readonly state: ScheduleState | undefined
}

/** A job of the engine: the maintenance stages it runs, and the definition of its schedule for each agent. */
export interface Job {
  readonly handler: string
  readonly stages: ReadonlyArray<StageName>
  readonly definition: ScheduleDefinition
}

/**
 * Runs the schedules of all agents; `layers/Scheduler.ts` uses it. `claim`, `renew`, `finish` and `release` are
 * commands of the agent's actor. A command is appended only if the log is still at the version on which the command was
 * decided. So if two processes try to claim or end the same run, only one succeeds.
 */
export interface Runner {
  readonly policy: PolicyValues["schedules"]
  /** The engine's own jobs, from the policy. */
  readonly jobs: ReadonlyArray<Job>
  /**
   * Adds the schedules of the engine's own jobs to an agent that never had them. The log shows whether the agent had
   * them, so this check does not open the agent. The first run is at `first`, milliseconds since the epoch, or at the
   * policy's next time. Returns true if it added a schedule.
   */
  readonly ensure: (
    agent: string,
    first?: number
  ) => Effect.Effect<boolean, CommandError | CommandConflict | AlreadyErased | ProjectionParked>
  /**
   * Updates the times of the engine's own jobs to the current policy. Times that a caller changed stay, and deleted
   * schedules stay deleted. Returns true if a schedule changed.
   */
  readonly adjust: (agent: string) => Effect.Effect<boolean, CommandError | ProjectionParked>
  /** Agents with a timer due by an instant, the longest overdue first. Opens no agent. */
  readonly due: (query: {
    readonly until: number
    readonly limit: number
    readonly offset?: number
  }) => Effect.Effect<ReadonlyArray<{ readonly agent: string; readonly due: number }>, StorageError>
  /** The version of an agent's newest event. Does not open the agent. */
  readonly version: (agent: string) => Effect.Effect<number, StorageError>
  /** Claims due runs of an agent for these handlers. The map gives each handler's lease in milliseconds. */
  readonly claim: (
    agent: string,
    handlers: ReadonlyMap<string, number>,
    limit: number
  ) => Effect.Effect<ClaimResult, CommandError | ProjectionParked>
  /** Starts another attempt of the same run with a new lease. */
  readonly renew: (agent: string, run: RunAttempt, lease: number) => Effect.Effect<void, CommandError | LeaseLost>
  /** Ends a run and sets the next time of its schedule, in one append. Fails if the run has lost its lease. */
  readonly finish: (
    agent: string,
    run: RunAttempt,
    outcome: Outcome
  ) => Effect.Effect<Finished, CommandError | LeaseLost>
  /** Releases a claimed run that was not started. */
  readonly release: (agent: string, run: RunAttempt) => Effect.Effect<void, CommandError | LeaseLost>
  /**
   * Rebuilds the timers of all agents from their events. Returns the number of agents, and the agents whose timer was
   * wrong.
   */
  readonly retime: Effect.Effect<{ readonly agents: number; readonly mended: ReadonlyArray<string> }, ViewError>
}

export type RunnerError = CommandError | InvalidInput | LeaseLost | ProjectionParked
