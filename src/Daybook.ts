import { statSync } from "node:fs"
import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Stream from "effect/Stream"
import { installationStream } from "../events/accepted.js"
import { type EventLog, type Problem, readAll } from "../events/EventLog.js"
import { runAllSteps, type Steps } from "../events/turns.js"
import { accept, acceptWithoutLedger, verify } from "../events/verify.js"
import type { Db } from "../projections/Projection.js"
import type { Views } from "../projections/view/Views.js"
import * as ViewChecks from "../projections/view/viewChecks.js"
import type { DaybookService, Digests, VerifyOptions } from "./DaybookService.js"
import * as makeEmbedding from "./embedding/admin/operations.js"
import { type Engine, makeEngine } from "./engine.js"
import { makeHandles, resolveAsOf } from "./handles.js"
import { checkHealth } from "./health.js"
import { makeJobs } from "./maintenance/jobs.js"
import { InvalidInput } from "./model/errors.js"
import { refuseUnknownOptions } from "./model/filters.js"
import type { Embedder } from "./ports/Embedder.js"
import type { Embedders } from "./ports/Embedders.js"
import type { Extractor } from "./ports/Extractor.js"
import type { Reconciler } from "./ports/Reconciler.js"
import type { Reranker } from "./ports/Reranker.js"
import type { Settler } from "./ports/Settler.js"
import type { StatementReader } from "./ports/StatementReader.js"
import type { Summarizer } from "./ports/Summarizer.js"
import * as makeRunner from "./schedules/makeRunner.js"
import { timerFold } from "./schedules/timerFold.js"
import { statsOf } from "./stats.js"

/**
 * The memory system of one data folder. `agent` gives access to an agent's
 * memory at a trust level. All other operations ignore trust levels and are
 * for operators.
 */
export class Daybook extends Context.Tag("daybook/Daybook")<Daybook, DaybookService>() {}

// Longer than 80 lines: a line or two for each operation of the contract.
export const make = Effect.gen(function* () {
  const engine = yield* makeEngine
  const { agents, codec, log, policy, recalls, views } = engine
  const handles = makeHandles(engine)
  /** Wraps an operation so that it finds its agent by a name in any Unicode form. */
  const named =
    <Rest extends ReadonlyArray<unknown>, A, E>(operation: (agent: string, ...rest: Rest) => Effect.Effect<A, E>) =>
    (name: string, ...rest: Rest) =>
      Effect.flatMap(engine.agentNamed(name), (agent) => operation(agent, ...rest))
  const agentNamedIfAny = (name: string) => Effect.orElseSucceed(engine.agentNamed(name), () => name)
  const embedders = makeEmbedding.make({
    use: agents.use,
    isEmpty: engine.isEmpty,
    activeEmbedders: engine.activeEmbedders,
    views,
    ranking: engine.readerServices.ranking,
    reader: (agent) => handles.live(agent, { trust: "full", record: false }),
    source: (agent) => (f) =>
      Effect.flatMap(Clock.currentTimeMillis, (now) =>
        agents.use(agent, ({ actor }) => views.read(actor.view, (db) => f({ db, now })))
      )
  })
  return Daybook.of({
    agent: handles.agent,
    agents: Effect.map(log.streams, (heads) =>
      heads
        .filter(({ stream }) => stream !== installationStream)
        .map(({ recordedAt, stream, version }) => ({ name: stream, version, recordedAt }))
    ),
    log: (name, after = 0, asOf) =>
      Stream.unwrap(
        Effect.gen(function* () {
          const agent = yield* agentNamedIfAny(name)
          const to = asOf && (yield* resolveAsOf(engine, agent, "full", asOf)).version
          return readAll(log, agent, to === undefined ? { after } : { after, to })
        })
      ).pipe(Stream.mapEffect((row) => codec.decode(row))),
    rebuild: named(rebuild(engine)),
    compareView: named(compareView(engine)),
    verify: (name, options = {}) =>
      Effect.zipRight(
        refuseUnknownOptions(options, ["expect", "views"]),
        Effect.flatMap(name === undefined ? Effect.succeed(null) : agentNamedIfAny(name), (agent) =>
          verifyWithViews(engine, agent, options)
        )
      ),
    erase: (selection, options) => eraseWith(engine, (eraser, { erase }) => erase(eraser, selection, options)),
    eraseByLedger: (file) => eraseWith(engine, (eraser, { eraseByLedger }) => eraseByLedger(eraser, file)),
    erasures: (name) =>
      Effect.flatMap(name === undefined ? Effect.succeed(undefined) : agentNamedIfAny(name), (agent) =>
        eraseWith(engine, (eraser, { erasures }) => erasures(eraser, agent))
      ),
    accept: (digest) => accept(log, codec, digest, { timers: timerFold }),
    acceptWithoutLedger: acceptWithoutLedger(log, codec, { timers: timerFold }),
    backfill: named((agent) => agents.use(agent, ({ embedding }) => embedding.backfill)),
    whatIf: named(whatIf(engine)),
    stats: named(stats(engine)),
    digests: named(digests(engine)),
    flush: named(recalls.flush),
    resume: named((agent) =>
      engine.capture.mode === "turn"
        ? Effect.void
        : Effect.asVoid(handles.live(agent, { trust: "full" }).sessions.extract(undefined, { due: true }))
    ),
    embedders: {
      status: named(embedders.status),
      switchTo: named(embedders.switchTo),
      back: named(embedders.back),
      drop: named(embedders.drop),
      compare: named(embedders.compare),
      calibrate: named(embedders.calibrate)
    },
    runner: makeRunner.make({
      agents,
      log,
      codec,
      views,
      policy: policy.schedules,
      digest: engine.policyDigest,
      jobs: makeJobs(policy.maintenance)
    }),
    awake: Effect.sync(agents.awake),
    health: checkHealth(engine)
  })
})

/** The services that the engine needs. An optional port has a `layerNone`. */
export type Requirements =
  | EventLog
  | Views
  | Embedder
  | Embedders
  | Reranker
  | Reconciler
  | Settler
  | StatementReader
  | Summarizer
  | Extractor

/** The engine on top of a log, views and the ports. */
export const layer: Layer.Layer<Daybook, never, Requirements> = Layer.scoped(Daybook, make)

const rebuild =
  ({ agents, views }: Engine): DaybookService["rebuild"] =>
  (agent, projections, onProgress) =>
    Effect.zipRight(
      checkProjections(views.names, projections),
      agents.use(agent, ({ actor }) => views.rebuild(actor.view, projections ?? null, onProgress))
    )

const compareView =
  ({ agents, views }: Engine): DaybookService["compareView"] =>
  (agent, projections, onProgress) =>
    Effect.zipRight(
      checkProjections(views.names, projections),
      agents.use(agent, ({ actor }) => views.compare(actor.view, projections ?? null, onProgress))
    )

const checkProjections = (known: ReadonlySet<string>, names: ReadonlyArray<string> = []) =>
  names.every((name) => known.has(name))
    ? Effect.void
    : new InvalidInput({ field: "projection", problem: `must be one of ${[...known].join(", ")}` })

const verifyWithViews = Effect.fnUntraced(function* (
  engine: Engine,
  agent: string | null,
  { expect, views = false }: VerifyOptions
) {
  const { codec, log } = engine
  const verification = yield* verify(log, codec, agent, { expect, timers: timerFold })
  if (!views) return verification
  // The problems already include streams that cannot be listed.
  const streams = yield* Effect.orElseSucceed(log.streams, () => [])
  const compared = yield* Effect.forEach(
    streams.filter(({ stream }) => stream !== installationStream && (agent ?? stream) === stream),
    ({ stream }) => viewProblems(engine, stream)
  )
  const problems = [...verification.problems, ...compared.flat()]
  return { ...verification, ok: problems.length === 0, problems }
})

/** Returns the problem of an agent's view; empty if the view matches the log. */
const viewProblems = (engine: Engine, agent: string): Effect.Effect<ReadonlyArray<Problem>> =>
  Effect.match(compareView(engine)(agent), {
    onFailure: ({ message }) => [{ stream: agent, version: null, what: message }],
    onSuccess: ({ differences }) =>
      differences.length === 0
        ? []
        : [
            {
              stream: agent,
              version: null,
              what: `the view differs from the log in ${differences.join(", ")}: run 'daybook rebuild' for this agent`
            }
          ]
  })

type ErasureModule = typeof import("./erasure/erase.js")

/** Loads the erasure module on first use. */
const eraseWith = <A, E>(
  { agents, codec, countTokens, log, readAgent, recalls, views }: Engine,
  f: (eraser: Parameters<ErasureModule["erase"]>[0], module: ErasureModule) => Effect.Effect<A, E>
): Effect.Effect<A, E> =>
  Effect.flatMap(
    Effect.promise(() => import("./erasure/erase.js")),
    (module) =>
      f(
        {
          ...{
            codec,
            countTokens,
            log,
            flushRecalls: recalls.flush,
            awaitRebuild: views.awaitRebuild,
            clean: views.clean
          },
          read: (agent, read) => readAgent(agent, ({ actor }) => views.read(actor.view, read), read),
          run: (agent, command) => agents.use(agent, ({ actor }) => actor.run(command))
        },
        module
      )
  )

const whatIf =
  ({ activeEmbedders, codec, countTokens, log, policy, reconciler, views }: Engine): DaybookService["whatIf"] =>
  (agent, options) =>
    Effect.flatMap(
      Effect.promise(() => import("./whatIf/run.js")),
      ({ runWhatIf }) =>
        runWhatIf(
          { log, codec, config: views.config, activeEmbedders, policy, reconciler, countTokens },
          agent,
          options
        )
    )

const stats =
  ({ embedder, readAgent, recalls, views }: Engine): DaybookService["stats"] =>
  (agent) => {
    return readAgent(
      agent,
      ({ actor: { view }, embedding }) =>
        Effect.flatMap(embedding.activeEmbedder(view), (active) =>
          views.read(view, (db) =>
            statsOf(db, agent, active, {
              configured: embedder,
              hasVectors: view.hasVectors,
              failure: embedding.failure(),
              recalls: recalls.counts(agent),
              bytes: statSync(view.file).size
            })
          )
        ),
      (db, hasVectors) =>
        statsOf(db, agent, embedder, {
          configured: embedder,
          hasVectors,
          failure: undefined,
          recalls: recalls.counts(agent),
          bytes: 0
        })
    )
  }

const digests =
  ({ readAgent, views }: Engine): DaybookService["digests"] =>
  (agent) => {
    const digestsIn = function* (db: Db): Steps<Digests> {
      const all = yield* ViewChecks.computeDigests(db, views.config.projections, "digest")
      const state = yield* ViewChecks.computeDigests(db, views.config.projections, "stateDigest")
      return { digest: all.whole, stateDigest: state.whole, projections: all.each }
    }
    return readAgent(
      agent,
      ({ actor }) => views.readInTurns(actor.view, digestsIn),
      (db) => runAllSteps(digestsIn(db))
    )
  }
