import * as Clock from "effect/Clock"
import type * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Stream from "effect/Stream"
import type { Codec } from "../../events/Codec.js"
import { type EventLog, readAll } from "../../events/EventLog.js"
import { firstDue } from "../../projections/scheduleReads.js"
import * as ViewFile from "../../projections/view/ViewFile.js"
import type { Views } from "../../projections/view/Views.js"
import type { CommandError } from "../actor/Actor.js"
import type { Agents } from "../actor/Agents.js"
import type { Command } from "../actor/Command.js"
import type { PolicyValues } from "../ports/Policy.js"
import { dueFold } from "./due.js"
import type { Job, Runner } from "./Runner.js"

interface Services {
  readonly agents: Agents
  readonly log: Context.Tag.Service<EventLog>
  readonly codec: Codec
  readonly views: Context.Tag.Service<Views>
  readonly policy: PolicyValues["schedules"]
  /** The digest of the policy in force, which runs name. */
  readonly digest: string
  readonly jobs: ReadonlyArray<Job>
}

export const make = ({ agents, codec, digest, jobs, log, policy, views }: Services): Runner => {
  const definitions = jobs.map(({ definition }) => definition)
  // Nobody looks after the engine's own jobs: what failed ten times may be done the next.
  const lasting = new Set(jobs.map(({ handler }) => handler))

  /** A hint without an event, on top of a version; whoever wrote meanwhile may have given a better one. */
  const remind = (stream: string, expected: number, due: number | null) =>
    Effect.gen(function* () {
      const now = yield* Clock.currentTimeMillis
      return yield* log.append({ stream, expected, now, commands: [], due }).pipe(
        Effect.as(true),
        Effect.catchTag("VersionConflict", () => Effect.succeed(false)),
        // Without commands there is none that could conflict.
        Effect.catchTag("CommandConflict", "AlreadyErased", Effect.die)
      )
    })

  /** Where nothing of an agent is due that was said to be, its timer is put right, or it would be looked at for ever. */
  const settle = (agent: string) =>
    agents.use(agent, ({ actor: { view } }) =>
      Effect.gen(function* () {
        const now = yield* Clock.currentTimeMillis
        const [due, { position }] = yield* views.read(view, (db) => [firstDue(db), ViewFile.checkpointOf(db)] as const)
        if (due === null || due > now) yield* remind(agent, position, due)
      })
    )

  /** A command of the runner's, loaded by programs that run one. */
  const carriedOut = <A, E>(
    agent: string,
    command: (commands: typeof import("./runCommands.js")) => Command<A, E>
  ): Effect.Effect<A, E | CommandError> =>
    Effect.flatMap(
      Effect.promise(() => import("./runCommands.js")),
      (commands) => agents.use(agent, ({ actor }) => actor.run(command(commands)))
    )

  /** As an agent's events say. */
  const retimed = (agent: string, version: number, known: number | undefined) =>
    Effect.gen(function* () {
      const fold = dueFold()
      yield* Stream.runForEach(readAll(log, agent, { to: version }), (row) =>
        row.type === "SCHEDULE" || row.type === "RUN" ? Effect.map(codec.decode(row), fold.apply) : Effect.void
      )
      const due = fold.due()
      return due !== (known ?? null) && (yield* remind(agent, version, due))
    })

  return {
    policy,
    jobs,
    ensure: Effect.fn("Runner.ensure")(function* (agent, first) {
      const { ensured, ensureJobs } = yield* Effect.promise(() => import("./ensure.js"))
      const before = yield* log.command(agent, ensured.commandId, ensured.request).pipe(
        Effect.map(Option.isSome),
        // Once there, and erased since.
        Effect.catchTag("AlreadyErased", () => Effect.succeed(true))
      )
      if (before) return false
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
      carriedOut(agent, ({ claimRuns }) => claimRuns(handlers, limit, { ...policy, digest, lasting })).pipe(
        Effect.tap(({ claimed }) => (claimed.length === 0 ? settle(agent) : Effect.void))
      )
    ),
    renew: (agent, run, lease) => carriedOut(agent, ({ renewRun }) => renewRun(run, lease, digest)),
    finish: Effect.fn("Runner.finish")((agent, run, outcome) =>
      carriedOut(agent, ({ finishRun }) => finishRun(run, outcome, { ...policy, digest, lasting }))
    ),
    release: (agent, run) => carriedOut(agent, ({ releaseRun }) => releaseRun(run, digest)),
    retime: Effect.gen(function* () {
      const heads = yield* log.streams
      const timers = yield* log.timers({ until: Number.MAX_SAFE_INTEGER, limit: heads.length })
      const known = new Map(timers.map(({ due, stream }) => [stream, due]))
      const mended: Array<string> = []
      for (const { stream, version } of heads) {
        if (yield* retimed(stream, version, known.get(stream))) mended.push(stream)
      }
      return { agents: heads.length, mended }
    })
  }
}
