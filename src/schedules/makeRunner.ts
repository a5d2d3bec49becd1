import * as Clock from "effect/Clock"
import type * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Stream from "effect/Stream"
import type { Codec } from "../../events/Codec.js"
import { type EventLog, readAll } from "../../events/EventLog.js"
import { firstDueAt } from "../../projections/scheduleReads.js"
import * as ViewFile from "../../projections/view/ViewFile.js"
import type { Views } from "../../projections/view/Views.js"
import type { CommandError } from "../actor/Actor.js"
import type { Agents } from "../actor/Agents.js"
import type { Command } from "../actor/Command.js"
import type { PolicyValues } from "../ports/Policy.js"
import type { Job, Runner } from "./Runner.js"
import { timerFold } from "./timerFold.js"

interface Services {
  readonly agents: Agents
  readonly log: Context.Tag.Service<EventLog>
  readonly codec: Codec
  readonly views: Context.Tag.Service<Views>
  readonly policy: PolicyValues["schedules"]
  /** The digest of the policy, which each run records. */
  readonly digest: string
  readonly jobs: ReadonlyArray<Job>
}

export const make = (services: Services): Runner => {
  const { agents, digest, jobs, log, policy } = services
  const definitions = jobs.map(({ definition }) => definition)
  // The engine's own jobs are never stopped after failures, because nobody would restart them.
  const rules = { ...policy, digest, protectedHandlers: new Set(jobs.map(({ handler }) => handler)) }

  /** Runs a command of `runCommands.js`, which only programs with a scheduler load. */
  const runCommand = <A, E>(
    agent: string,
    command: (commands: typeof import("./runCommands.js")) => Command<A, E>
  ): Effect.Effect<A, E | CommandError> =>
    Effect.flatMap(
      Effect.promise(() => import("./runCommands.js")),
      (commands) => agents.use(agent, ({ actor }) => actor.run(command(commands)))
    )

  return {
    policy,
    jobs,
    ensure: Effect.fn("Runner.ensure")(function* (agent, first) {
      const { ensureRequest: ensured, ensureJobs } = yield* Effect.promise(() => import("./ensure.js"))
      const hasJobs = yield* log.command(agent, ensured.commandId, ensured.request).pipe(
        Effect.map(Option.isSome),
        // The event was erased, which shows that the agent got the jobs before.
        Effect.catchTag("AlreadyErased", () => Effect.succeed(true))
      )
      if (hasJobs) return false
      return yield* agents.use(agent, ({ actor }) => actor.run(ensureJobs(definitions, first)))
    }),
    adjust: Effect.fn("Runner.adjust")(function* (agent) {
      const { adjustJobs } = yield* Effect.promise(() => import("./ensure.js"))
      return yield* agents.use(agent, ({ actor }) => actor.run(adjustJobs(definitions)))
    }),
    due: (query) =>
      Effect.map(log.timers(query), (timers) => timers.map(({ due, stream }) => ({ agent: stream, due }))),
    version: (agent) => Effect.map(log.head(agent), ({ version }) => version),
    claim: Effect.fn("Runner.claim")((agent, handlers, limit) =>
      runCommand(agent, ({ claimRuns }) => claimRuns(handlers, limit, rules)).pipe(
        Effect.tap(({ claimed }) => (claimed.length === 0 ? correctTimer(services, agent) : Effect.void))
      )
    ),
    renew: (agent, run, lease) => runCommand(agent, ({ renewRun }) => renewRun(run, lease, digest)),
    finish: Effect.fn("Runner.finish")((agent, run, outcome) =>
      runCommand(agent, ({ finishRun }) => finishRun(run, outcome, rules))
    ),
    release: (agent, run) => runCommand(agent, ({ releaseRun }) => releaseRun(run, digest)),
    retime: retime(services)
  }
}

/**
 * Writes a stream's timer without an event. Returns false if another process has written to the stream in the meantime.
 */
const writeTimer = Effect.fnUntraced(function* (
  { log }: Services,
  stream: string,
  expected: number,
  due: number | null
) {
  const now = yield* Clock.currentTimeMillis
  return yield* log.append({ stream, expected, now, commands: [], due }).pipe(
    Effect.as(true),
    Effect.catchTag("VersionConflict", () => Effect.succeed(false)),
    // An append without commands cannot cause a command conflict.
    Effect.catchTag("CommandConflict", "AlreadyErased", "ErasedMeanwhile", Effect.die)
  )
})

/** Corrects the timer of an agent that has nothing due. Otherwise the scheduler would open the agent at every poll. */
const correctTimer = (services: Services, agent: string) =>
  services.agents.use(
    agent,
    Effect.fnUntraced(function* ({ actor: { view } }) {
      const now = yield* Clock.currentTimeMillis
      const [due, { position }] = yield* services.views.read(
        view,
        (db) => [firstDueAt(db), ViewFile.checkpointOf(db)] as const
      )
      if (due === null || due > now) yield* writeTimer(services, agent, position, due)
    })
  )

/** Rebuilds the timers of all agents from their events. */
const retime = (services: Services): Runner["retime"] =>
  Effect.gen(function* () {
    const { log } = services
    const heads = yield* log.streams
    const timers = yield* log.timers({ until: Number.MAX_SAFE_INTEGER, limit: heads.length })
    const dueByStream = new Map(timers.map(({ due, stream }) => [stream, due]))
    const correctedAgents: Array<string> = []
    for (const { stream, version } of heads) {
      const due = yield* dueFromEvents(services, stream, version)
      if (due === (dueByStream.get(stream) ?? null)) continue
      if (yield* writeTimer(services, stream, version, due)) correctedAgents.push(stream)
    }
    return { agents: heads.length, mended: correctedAgents }
  })

const dueFromEvents = Effect.fnUntraced(function* ({ codec, log }: Services, agent: string, version: number) {
  const fold = timerFold()
  yield* Stream.runForEach(readAll(log, agent, { to: version }), (row) =>
    row.type === "SCHEDULE" || row.type === "RUN" ? Effect.map(codec.decode(row), fold.apply) : Effect.void
  )
  return fold.due()
})
