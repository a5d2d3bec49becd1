import type * as Effect from "effect/Effect"
import type { Payload } from "../../events/catalogue.js"
import type { AlreadyErased, CommandConflict, StorageError } from "../../events/errors.js"
import type { ScheduleDefinition, ScheduleState } from "../../events/Schedule.js"
import type { ViewError } from "../../projections/view/build.js"
import type { CommandError } from "../actor/Actor.js"
import type { InvalidInput, LeaseLost, ProjectionParked } from "../model/errors.js"
import type { StageName } from "../model/stages.js"
import type { PolicyValues } from "../ports/Policy.js"
import type { Schedule } from "./Schedule.js"

/** One attempt at one occurrence of a schedule. */
export interface RunOf {
  readonly run: string
  readonly schedule: string
  /** When it was due, milliseconds since the epoch. */
  readonly occurrence: number
  readonly attempt: number
}

/** What a runner has taken, and until when nobody else may. */
export interface Claimed extends RunOf {
  readonly lease: number
  /** The schedule as it was when it was taken. */
  readonly definition: Schedule
}

/** What there was to take. */
export interface Claims {
  readonly claimed: ReadonlyArray<Claimed>
  /** When something is due next that one of the handlers does; null where that is never. */
  readonly next: number | null
}

/** How a run ended. `duration` is milliseconds. */
export interface Outcome extends Pick<Payload<"RUN">, "counts" | "summary" | "output" | "error" | "duration"> {
  readonly status: "ok" | "failed" | "timeout"
}

/** What followed from it. */
export interface Finished {
  /** Whether somebody is to be told. */
  readonly notify: boolean
  readonly state: ScheduleState | undefined
}

/** One of the engine's own jobs: which stages it runs, and the schedule of each agent that has it run. */
export interface Job {
  readonly handler: string
  readonly stages: ReadonlyArray<StageName>
  readonly definition: ScheduleDefinition
}

/**
 * What carries out schedules, of all agents: `layers/Scheduler.ts` is one. Each of these is a command of the agent's
 * actor, appended with the version that it was decided on, so that of two processes one alone takes a run or ends it.
 */
export interface Runner {
  readonly policy: PolicyValues["schedules"]
  /** The engine's own jobs, as the policy has them. */
  readonly jobs: ReadonlyArray<Job>
  /**
   * Gives an agent the schedules of the engine's own jobs where it never had them, which the log tells: it is not opened
   * where it had. The first time is `first`, milliseconds, or the next one that the policy names. Answers whether it did.
   */
  readonly ensure: (
    agent: string,
    first?: number
  ) => Effect.Effect<boolean, CommandError | CommandConflict | AlreadyErased | ProjectionParked>
  /**
   * Gives them the times that the policy has now, but those whose time somebody changed; those that were deleted stay
   * away. Answers whether any had another.
   */
  readonly adjust: (agent: string) => Effect.Effect<boolean, CommandError | ProjectionParked>
  /** Agents to look at by an instant, the longest due first, without opening any. */
  readonly due: (query: {
    readonly until: number
    readonly limit: number
    readonly offset?: number
  }) => Effect.Effect<ReadonlyArray<{ readonly agent: string; readonly due: number }>, StorageError>
  /** The version of an agent's newest event, without opening it. */
  readonly version: (agent: string) => Effect.Effect<number, StorageError>
  /** Takes what is due of an agent, as far as one of these handlers does it: each with the milliseconds that it may keep it. */
  readonly claim: (
    agent: string,
    handlers: ReadonlyMap<string, number>,
    limit: number
  ) => Effect.Effect<Claims, CommandError | ProjectionParked>
  /** Another attempt of the same run, until another instant. */
  readonly renew: (agent: string, run: RunOf, lease: number) => Effect.Effect<void, CommandError | LeaseLost>
  /** Ends a run and moves its schedule on, in one append. Refused where the run is not under way any more. */
  readonly finish: (agent: string, run: RunOf, outcome: Outcome) => Effect.Effect<Finished, CommandError | LeaseLost>
  /** Gives back what was taken and not done. */
  readonly release: (agent: string, run: RunOf) => Effect.Effect<void, CommandError | LeaseLost>
  /** Makes the timers of all agents again from their events; answers whose was wrong. */
  readonly retime: Effect.Effect<{ readonly agents: number; readonly mended: ReadonlyArray<string> }, ViewError>
}

export type RunnerError = CommandError | InvalidInput | LeaseLost | ProjectionParked
