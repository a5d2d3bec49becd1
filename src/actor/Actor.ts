import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Exit from "effect/Exit"
import * as Option from "effect/Option"
import * as Batcher from "../../events/Batcher.js"
import { StorageError } from "../../events/errors.js"
import { runInSpan } from "../../events/tracing.js"
import { yieldIfDue } from "../../events/turns.js"
import type { ViewError } from "../../projections/view/buildViewFile.js"
import type { View } from "../../projections/view/Views.js"
import { Overloaded } from "../model/errors.js"
import { waitingCommands } from "../model/operationMetrics.js"
import type { AnyCommand, Command, Outcome } from "./Command.js"
import { type CarryOutServices, type CommandError, carryOut } from "./carryOut.js"
import { type AdviceByCommand, noAdvice } from "./decideAll.js"

export type { CommandError } from "./carryOut.js"

/** One agent: its view, and a mailbox that carries out its commands in order. */
export interface Actor {
  readonly view: View
  /** Completes once the log and the view contain the events. */
  readonly run: <A, E>(command: Command<A, E>) => Effect.Effect<A, E | CommandError>
  /**
   * Carries out many commands, up to a thousand per transaction. Each is decided after the earlier ones are applied. A
   * refused command does not affect the others. If the actor fails after it stored some commands, each remaining
   * command gets the failure as its answer. After an interruption, stored commands stay stored.
   */
  readonly runAll: <A, E>(
    commands: ReadonlyArray<Command<A, E>>
  ) => Effect.Effect<ReadonlyArray<Either.Either<A, E | CommandError>>, CommandError>
  /** Milliseconds that the commands in progress have taken; 0 if there are none. */
  readonly runMillis: () => number
}

export interface ActorOptions extends CarryOutServices {
  /** Maximum waiting commands. */
  readonly maxWaiting: number
  /** Keeps the view open during work that does not run in a caller's fiber. */
  readonly background: (work: Effect.Effect<void>) => Effect.Effect<void>
  /**
   * Makes further commands that store the vectors of new memories in the same transaction. Null if this write embeds
   * nothing.
   */
  readonly embedInline: (commands: ReadonlyArray<AnyCommand>) => Effect.Effect<ReadonlyArray<AnyCommand>> | null
  /**
   * Milliseconds during which the actor may ask the models again because their advice is stale. The limit keeps a slow
   * model from blocking the queue.
   */
  readonly redecideMillis: number
  readonly askModels: AskModels
}

/** Asks the models for missing advice before the commands are decided; null if they need none. */
export type AskModels = (
  commands: ReadonlyArray<AnyCommand>,
  known: AdviceByCommand
) => Effect.Effect<AdviceByCommand, ViewError> | null

/** Commands that are carried out together. */
type Job = ReadonlyArray<AnyCommand>
/** The result of one command: its outcome, or the defect that ended it. */
type CommandExit = Exit.Exit<Outcome>
type JobExit = Exit.Exit<ReadonlyArray<Outcome>, CommandError>
type Decided = Effect.Effect<ReadonlyArray<CommandExit>, CommandError>

/** Commands per job of `runAll`: the size of the first job, and the limits for later jobs. */
const jobCommands = { first: 200, min: 50, max: 1_000 }

/** Target duration of a job of `runAll` in milliseconds. Other callers wait for the job. */
const jobMillis = 250

/** Maximum jobs that share one transaction of the view and one append to the log. */
const maxJobsPerBatch = 100

/** Maximum retries after a version conflict or stale advice. */
const maxRetries = 5

/** Starts an agent's actor on its open view. */
export const make = (view: View, options: ActorOptions): Actor => {
  /** Commands in the next job of `runAll`. Commands that are compared with similar memories take much longer. */
  const jobSize = { plain: jobCommands.first, weighed: jobCommands.first }
  const completeJobs = (jobs: ReadonlyArray<Job>): Effect.Effect<ReadonlyArray<JobExit>> =>
    Effect.suspend(() => {
      const deadline = performance.now() + options.redecideMillis
      const decide = (additions: Job) =>
        makeDecider(view, options, { additions, deadline, isAlone: jobs.length === 1 })(commands)
      const commands = jobs.flat()
      const additions = options.embedInline(commands)
      return Effect.matchCauseEffect(
        additions === null ? decide([]) : Effect.flatMap(Effect.zipLeft(additions, yieldIfDue), decide),
        {
          onFailure: (cause) =>
            // If the decider of a command throws, each job runs alone, so that the other jobs do not fail.
            jobs.length > 1 && Cause.isDie(cause)
              ? Effect.map(
                  Effect.forEach(jobs, (job) => completeJobs([job])),
                  (exits) => exits.flat()
                )
              : Effect.succeed(jobs.map((): JobExit => Exit.failCause(cause))),
          onSuccess: (exits) => Effect.succeed(exitsByJob(jobs, exits))
        }
      )
    })

  const mailbox = Batcher.make({
    maxBatch: maxJobsPerBatch,
    capacity: { maxWaiting: options.maxWaiting, full: Exit.fail(new Overloaded({ agent: view.agent })) },
    run: (jobs: ReadonlyArray<Job>) => {
      const commands = jobs.flat()
      return runInSpan(
        "Actor.run",
        completeJobs(jobs),
        { commands: commands.length },
        { scope: isOnFiber(commands) ? "fiber" : "all" }
      )
    },
    onWaiting: (change) => waitingCommands.unsafeModify(change, []),
    background: options.background
  })

  return {
    view,
    runMillis: mailbox.runMillis,
    run: (command) => Effect.flatMap(mailbox.submit([command]), ([outcome]) => outcome!),
    runAll: Effect.fnUntraced(function* (commands) {
      const outcomes: Array<Outcome> = []
      while (outcomes.length < commands.length) {
        const startedAt = performance.now()
        const kind = commands[outcomes.length]!.statement === undefined ? "plain" : "weighed"
        const job = commands.slice(outcomes.length, outcomes.length + jobSize[kind])
        const result = yield* Effect.either(mailbox.submit(job))
        const size = Math.round((job.length * jobMillis) / (performance.now() - startedAt))
        jobSize[kind] = Math.min(jobCommands.max, Math.max(jobCommands.min, size))
        if (Either.isRight(result)) outcomes.push(...result.right)
        else if (outcomes.length === 0) return yield* result.left
        else return [...outcomes, ...commands.slice(outcomes.length).map(() => Either.left(result.left))]
      }
      return outcomes
    })
  }
}

const exitsByJob = (jobs: ReadonlyArray<Job>, exits: ReadonlyArray<CommandExit>): ReadonlyArray<JobExit> => {
  let end = 0
  return jobs.map((job): JobExit => {
    end += job.length
    return Exit.all(exits.slice(end - job.length, end)).pipe(Option.getOrElse(() => Exit.succeed([])))
  })
}

interface Deciding {
  /** Further commands of the same transaction: see `Batch.additions`. */
  readonly additions: Job
  /** The time by `performance.now()` until which the actor may ask the models again. */
  readonly deadline: number
  /** See `Batch.isAlone`. */
  readonly isAlone: boolean
}

/** Makes the function that gets advice for commands, decides them and stores their events, with retries. */
const makeDecider = (view: View, options: ActorOptions, { additions, deadline, isAlone }: Deciding) => {
  /** The view file that a rebuild made, after the previous file differed from the log. */
  let rebuilt: string | undefined
  /** Rebuilds the view and decides again, with new advice, because the old advice may refer to edited rows. */
  const decideOnRebuilt = (commands: Job, retries: number): Decided => {
    if (rebuilt === view.file) return Effect.fail(differsFromLog(view.agent))
    const rebuild = Effect.tap(options.views.rebuild(view, null), () => {
      rebuilt = view.file
    })
    return Effect.zipRight(rebuild, adviseAndDecide(commands, noAdvice, retries))
  }

  const decide = (commands: Job, advice: AdviceByCommand, retries: number): Decided =>
    Effect.matchEffect(
      carryOut(
        view,
        { commands, additions, advice, isAlone, mayRedecide: retries > 0 && performance.now() < deadline },
        options
      ),
      {
        onFailure: (error): Decided =>
          error._tag === "ViewDiffers"
            ? decideOnRebuilt(commands, retries)
            : // After a version conflict, which a crash can cause, the view catches up first.
              error._tag === "VersionConflict" && retries > 0
              ? Effect.zipRight(options.views.catchUp(view), decide(commands, advice, retries - 1))
              : Effect.fail(error),
        onSuccess: (outcomes) => {
          if (outcomes.length === commands.length) return Effect.succeed(outcomes.map(Exit.succeed))
          const rest = commands.slice(outcomes.length)
          // Progress resets the count of retries.
          const decidedRest = Effect.zipRight(
            yieldIfDue,
            adviseAndDecide(rest, advice, outcomes.length > 0 ? maxRetries : retries - 1)
          )
          if (outcomes.length === 0) return decidedRest
          // The first commands are in the log, so they get their answers even if later ones fail.
          return Effect.map(isolateFailures(rest, decidedRest), (exits) => [...outcomes.map(Exit.succeed), ...exits])
        }
      }
    )

  /**
   * Converts a failure of several commands into one exit per command. After a defect, each command runs alone, to find
   * the one that threw.
   */
  const isolateFailures = (commands: Job, decided: Decided): Effect.Effect<ReadonlyArray<CommandExit>> =>
    Effect.matchCauseEffect(decided, {
      onSuccess: Effect.succeed,
      onFailure: (cause): Effect.Effect<ReadonlyArray<CommandExit>> => {
        const error = Option.getOrUndefined(Cause.failureOption(cause))
        if (error !== undefined) return Effect.succeed(commands.map(() => Exit.succeed(Either.left(error))))
        if (commands.length === 1 || Cause.isInterrupted(cause))
          return Effect.succeed(commands.map(() => Exit.failCause(cause as Cause.Cause<never>)))
        const decideAlone = (command: AnyCommand) =>
          isolateFailures([command], adviseAndDecide([command], noAdvice, maxRetries))
        return Effect.map(Effect.forEach(commands, decideAlone), (exits) => exits.flat())
      }
    })

  const adviseAndDecide = (commands: Job, advice: AdviceByCommand, retries: number): Decided => {
    const adviceRequest = options.askModels(commands.flatMap(withParts), withoutParts(commands[0], advice))
    return adviceRequest === null
      ? decide(commands, advice, retries)
      : Effect.flatMap(adviceRequest, (newAdvice) => decide(commands, newAdvice, retries))
  }

  return (commands: Job): Decided => adviseAndDecide(commands, noAdvice, maxRetries)
}

/** Returns true if these commands need no other fiber: there is only one command, and it asks no model. */
const isOnFiber = (commands: Job): boolean =>
  commands.length === 1 && withParts(commands[0]!).every(({ statement }) => statement === undefined)

/** Returns the parts of a command, or the command itself if it has no parts. */
const withParts = (command: AnyCommand): Job => command.parts?.commands ?? [command]

/**
 * Removes the advice about the parts of the next command, because it is stale. The advice about a command without parts
 * is always requested again.
 */
const withoutParts = (next: AnyCommand | undefined, advice: AdviceByCommand): AdviceByCommand =>
  next?.parts === undefined
    ? advice
    : new Map([...advice].filter(([command]) => !next.parts!.commands.includes(command)))

/** The error if even a newly built view differs from the log's newest events: the log itself is damaged. */
const differsFromLog = (agent: string) =>
  new StorageError({
    kind: "damaged",
    where: "log.db",
    code: "NEWEST_EVENTS_DIFFER",
    detail: `the memory of ${agent} differs from the log's newest events, even after a rebuild: run 'daybook verify'`
  })
