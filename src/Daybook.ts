import { statSync } from "node:fs"
import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import * as Stream from "effect/Stream"
import { genesis } from "../events/Chain.js"
import { CurrentCodec } from "../events/Codec.js"
import { EventLog, readAll } from "../events/EventLog.js"
import { TrustLevel } from "../events/Trust.js"
import { verify } from "../events/verify.js"
import type { Db } from "../projections/Projection.js"
import type { ViewError } from "../projections/view/build.js"
import * as ViewFile from "../projections/view/ViewFile.js"
import { Views } from "../projections/view/Views.js"
import { toInstant } from "../text/when/dates.js"
import * as Agents from "./actor/Agents.js"
import * as AsOf from "./actor/AsOf.js"
import * as InUse from "./actor/activeEmbedders.js"
import { inForce as policyInForce } from "./actor/policyInForce.js"
import type { ReaderServices, ReaderSource } from "./actor/ReaderSource.js"
import type { AgentOptions, AsOfInput, DaybookService, Digests } from "./DaybookService.js"
import * as makeEmbedding from "./embedding/admin/operations.js"
import * as Embedding from "./embedding/Embedding.js"
import type { Memory } from "./Memory.js"
import { jobsOf } from "./maintenance/jobs.js"
import { checkName } from "./model/agentName.js"
import { InvalidInput, TrustRequired, VersionNotFound } from "./model/errors.js"
import { integerOf, noOthers } from "./model/filters.js"
import { limits } from "./model/limits.js"
import { Embedder } from "./ports/Embedder.js"
import { Embedders } from "./ports/Embedders.js"
import { Policy } from "./ports/Policy.js"
import { Reconciler } from "./ports/Reconciler.js"
import { Reranker } from "./ports/Reranker.js"
import { Summarizer } from "./ports/Summarizer.js"
import { TokenCounter } from "./ports/TokenCounter.js"
import * as reader from "./reader.js"
import * as Recalls from "./recalls/Recalls.js"
import { consult } from "./remember/Reconciling.js"
import * as makeRunner from "./schedules/makeRunner.js"
import { statsOf } from "./stats.js"
import * as writer from "./writer.js"

/**
 * The memory system of one data folder. Hands out an agent's memory at a trust
 * level; everything else here looks behind all levels and is for operators.
 */
export class Daybook extends Context.Tag("daybook/Daybook")<Daybook, DaybookService>() {}

export const make = Effect.gen(function* () {
  const views = yield* Views
  const log = yield* EventLog
  const codec = yield* CurrentCodec
  const policy = yield* Policy
  const embedder = yield* Embedder
  const reranker = Option.getOrUndefined(yield* Effect.serviceOption(Reranker))
  const tokens = yield* TokenCounter
  const { recall, reconcile, search } = policy
  const reconciler = reconcile.reconciler === "none" ? Option.none() : yield* Effect.serviceOption(Reconciler)
  const reconciling = Option.getOrUndefined(
    Option.map(reconciler, (reconciler) => ({ reconciler, policy: reconcile, commonShare: search.commonShare }))
  )
  const summarizing = Option.getOrUndefined(
    Option.map(yield* Effect.serviceOption(Summarizer), (summarizer) => ({ summarizer, policy: policy.summarize }))
  )
  const inUse = InUse.make(embedder, Option.getOrUndefined(yield* Effect.serviceOption(Embedders)))
  const agents = yield* Agents.make({
    embedding: Embedding.make(inUse, policy.embedding),
    consult: reconciling && ((current, read) => consult(reconciling, current, read)),
    patience: reconciling?.policy.timeout ?? 0
  })
  const recalls = yield* Recalls.make({ agents, log, codec, embedder, policy: recall, search })
  const { digest } = policyInForce(policy)
  const services: ReaderServices = {
    log,
    codec,
    ranking: { policy: search, reranker },
    inUse,
    life: policy,
    countTokens: tokens.count,
    judge: Option.getOrUndefined(reconciler)?.judge
  }
  const { config } = views
  const inForce = Option.getOrUndefined(reconciler)
  const origin = { log, codec, config, inUse, policy, reconciler: inForce, countTokens: tokens.count }
  const names = views.config.projections.map(({ name }) => name)

  /** What operators ask names an agent as well, and may misspell it. */
  const operate = <A, E>(name: string, f: (agent: Agents.Agent<Embedding.Embedding>) => Effect.Effect<A, E>) =>
    Effect.flatMap(checkName(name), () => agents.use(name, f))

  /** Whoever has no events has no view either, and merely to be asked for does not give it one. */
  const isEmpty = (agent: string) =>
    agents.isAwake(agent)
      ? Effect.succeed(false)
      : Effect.match(log.head(agent), { onFailure: () => false, onSuccess: ({ version }) => version === 0 })

  /** Only looks: `nothing` is what there is to see of an agent without events. */
  const look = <A>(
    name: string,
    f: (agent: Agents.Agent<Embedding.Embedding>) => Effect.Effect<A, ViewError>,
    nothing: (db: Db, hasVectors: boolean) => A
  ) => Effect.flatMap(isEmpty(name), (empty) => (empty ? views.readEmpty(nothing) : agents.use(name, f)))

  const readAt =
    (agent: string): ReaderSource["readAt"] =>
    (version, now, f) =>
      Effect.flatMap(pointOf(agent, version), (point) =>
        agents.use(agent, ({ actor }) =>
          AsOf.read(views, actor.view, point, "full", { at: now, kept: policy.asOf.kept }, f)
        )
      )

  /** A version of a stream, by which cached views of it are told from those of another log. */
  const pointOf = (agent: string, version: number) =>
    Effect.map(log.at(agent, [version]), ([event]) => ({ version, hash: event?.hash ?? genesis }))

  const live = (agent: string, options: AgentOptions): Memory => {
    const recorded = options.record ?? recall.log
    const source: ReaderSource = {
      agent,
      level: options.trust,
      read: (f) =>
        Effect.flatMap(Clock.currentTimeMillis, (now) =>
          look(
            agent,
            ({ actor }) =>
              views.read(actor.view, (db) => {
                const snapshot = { db, now }
                return f(recorded ? { ...snapshot, observe: () => recalls.observe(agent, snapshot) } : snapshot)
              }),
            (db) => f({ db, now })
          )
        ),
      readAt: readAt(agent)
    }
    return writer.make(
      reader.make(source, services),
      (f) => agents.use(agent, f),
      {
        level: options.trust,
        actor: options.actor ?? "program",
        countTokens: tokens.count,
        marks: policy.marks,
        schedules: policy.schedules,
        reconciling
      },
      Effect.map(log.head(agent), ({ version }) => version === 0),
      { agent, log, codec, read: source.read, policy, digest, summarizing, judge: services.judge }
    )
  }

  const past = (agent: string, { trust }: AgentOptions, asOf: AsOfInput) =>
    Effect.gen(function* () {
      const { version } = yield* log.head(agent)
      const at = "at" in asOf ? toInstant(asOf.at) : null
      if (at === undefined) return yield* new InvalidInput({ field: "asOf.at", problem: "is not a date" })
      if ("version" in asOf) {
        if (!AsOf.mayNameVersions(trust)) return yield* new TrustRequired({ what: "reading as of a version" })
        yield* integerOf("asOf.version", asOf.version, 0, Number.MAX_SAFE_INTEGER)
        if (asOf.version > version) return yield* new VersionNotFound({ version: asOf.version, newest: version })
      }
      const chosen = "version" in asOf ? asOf.version : yield* log.versionAt(agent, at!)
      const point = yield* pointOf(agent, chosen)
      return reader.make(
        {
          agent,
          level: trust,
          read: (f) =>
            chosen === 0
              ? views.readEmpty((db) => f({ db, now: at ?? 0 }))
              : agents.use(agent, ({ actor }) =>
                  AsOf.read(views, actor.view, point, trust, { at, kept: policy.asOf.kept }, f)
                ),
          readAt: readAt(agent)
        },
        { ...services, inUse: inUse.past }
      )
    })

  return Daybook.of({
    agent: ((name: string, options: AgentOptions & { readonly asOf?: AsOfInput }) =>
      Effect.gen(function* () {
        yield* checkName(name)
        const { asOf, ...asked } = Object(options) as Partial<typeof options>
        yield* noOthers(asked, ["trust", "actor", "record"])
        if (asOf !== undefined) yield* noOthers(Object(asOf), ["version", "at"])
        if (asOf !== undefined && Object.keys(Object(asOf)).length !== 1) {
          return yield* new InvalidInput({ field: "asOf", problem: "must be { version } or { at }" })
        }
        if (!Schema.is(TrustLevel)(asked.trust)) {
          return yield* new InvalidInput({ field: "trust", problem: "must be one of full, inner, familiar, public" })
        }
        if (options.actor !== undefined && (options.actor === "" || options.actor.length > limits.key)) {
          return yield* new InvalidInput({ field: "actor", problem: `must have 1 to ${limits.key} characters` })
        }
        return options.asOf === undefined ? live(name, options) : yield* past(name, options, options.asOf)
      })) as Context.Tag.Service<Daybook>["agent"],
    agents: Effect.map(log.streams, (heads) =>
      heads.map(({ recordedAt, stream, version }) => ({ name: stream, version, recordedAt }))
    ),
    log: (agent, after = 0) => Stream.mapEffect(readAll(log, agent, { after }), (row) => codec.decode(row)),
    rebuild: (agent, which, onProgress) =>
      Effect.gen(function* () {
        const unknown = which?.find((name) => !names.includes(name))
        if (unknown !== undefined) {
          return yield* new InvalidInput({ field: "projection", problem: `must be one of ${names.join(", ")}` })
        }
        yield* operate(agent, ({ actor }) => views.rebuild(actor.view, which ?? null, onProgress))
      }),
    verify: (agent) => verify(log, codec, agent ?? null),
    reanchor: log.reanchor,
    backfill: (agent) => operate(agent, ({ embedding }) => embedding.backfill),
    whatIf: (agent, options) =>
      checkName(agent).pipe(
        Effect.zipRight(Effect.promise(() => import("./whatIf/run.js"))),
        Effect.flatMap(({ run }) => run(origin, agent, options))
      ),
    stats: (agent) =>
      Effect.zipRight(
        checkName(agent),
        look(
          agent,
          ({ actor: { view }, embedding }) =>
            Effect.flatMap(embedding.current(view), (now) =>
              views.read(view, (db) =>
                statsOf(db, agent, now, {
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
      ),
    digests: (agent) => {
      const digestsOf = (db: Db): Digests => {
        const all = ViewFile.digests(db, views.config.projections, "digest")
        const state = ViewFile.digests(db, views.config.projections, "stateDigest")
        return { digest: all.whole, stateDigest: state.whole, projections: all.each }
      }
      const read = look(agent, ({ actor }) => views.read(actor.view, digestsOf), digestsOf)
      return Effect.zipRight(checkName(agent), read)
    },
    flush: (agent) => Effect.flatMap(checkName(agent), () => recalls.flush(agent)),
    embedders: makeEmbedding.make({
      use: operate,
      isEmpty,
      inUse,
      views,
      ranking: services.ranking,
      reader: (agent) => live(agent, { trust: "full", record: false }),
      source: (agent) => (f) =>
        Effect.flatMap(Clock.currentTimeMillis, (now) =>
          agents.use(agent, ({ actor }) => views.read(actor.view, (db) => f({ db, now })))
        )
    }),
    runner: makeRunner.make({
      agents,
      log,
      codec,
      views,
      policy: policy.schedules,
      digest,
      jobs: jobsOf(policy.maintenance)
    }),
    awake: Effect.sync(agents.awake)
  })
})

/** The engine on top of a log, views and an embedder. */
export const layer: Layer.Layer<Daybook, never, EventLog | Views | Embedder> = Layer.scoped(Daybook, make)
