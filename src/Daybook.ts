import { statSync } from "node:fs"
import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import * as Stream from "effect/Stream"
import { genesis } from "../events/Chain.js"
import { CurrentCodec } from "../events/Codec.js"
import type { DaybookEvent, ErasedEvent } from "../events/catalogue.js"
import { EventLog, readAll } from "../events/EventLog.js"
import type { StorageError } from "../events/errors.js"
import { TrustLevel } from "../events/Trust.js"
import { type Verified, verify } from "../events/verify.js"
import type { Progress, ViewError } from "../projections/build.js"
import { chunkVectorIndex } from "../projections/chunkVectors.js"
import { countMemories } from "../projections/reads.js"
import { countRecalls } from "../projections/recalls.js"
import { countConversation } from "../projections/sessionReads.js"
import * as ViewFile from "../projections/ViewFile.js"
import { Views } from "../projections/Views.js"
import { memoryVectors } from "../projections/vectors.js"
import type { CommandError } from "./Actor.js"
import * as Agents from "./Agents.js"
import * as AsOf from "./AsOf.js"
import { toInstant } from "./dates.js"
import { Embedder } from "./Embedder.js"
import type { Backfilled } from "./Embedding.js"
import { InvalidInput, TrustRequired } from "./errors.js"
import type { InstantInput } from "./input.js"
import { limits } from "./limits.js"
import type { Memory, MemoryReader } from "./Memory.js"
import { Policy } from "./Policy.js"
import type { ReaderServices, ReaderSource } from "./ReaderSource.js"
import * as Recalls from "./Recalls.js"
import { Reconciler } from "./Reconciler.js"
import { Reranker } from "./Reranker.js"
import * as reader from "./reader.js"
import { TokenCounter } from "./TokenCounter.js"
import * as WhatIf from "./whatIf/run.js"
import type { WhatIf as Difference, WhatIfOptions } from "./whatIf/WhatIf.js"
import * as writer from "./writer.js"

/** Who asks. */
export interface AgentOptions {
  readonly trust: TrustLevel
  /** Who writes, as history names it; `program` where absent. */
  readonly actor?: string | undefined
  /** Whether what searches and `get` show is recorded; as the policy says where absent. Reads of the past never are. */
  readonly record?: boolean | undefined
}

/** A past moment of one agent: after a version of its stream (full trust only), or at an instant. */
export type AsOfInput = { readonly version: number } | { readonly at: InstantInput }

/** An agent that has events. */
export interface AgentInfo {
  readonly name: string
  /** The version of its newest event, which is also how many it has. */
  readonly version: number
  /** When that was recorded, milliseconds since the epoch. */
  readonly recordedAt: number
}

/** What one agent's memory holds and what state its view is in. */
export interface AgentStats {
  readonly agent: string
  readonly version: number
  readonly memories: ReturnType<typeof countMemories>
  /** What was said; `embedded` counts the chunks that have a vector. */
  readonly conversation: ReturnType<typeof countConversation> & { readonly embedded: number }
  readonly vectors: {
    /** Whether sqlite-vec could be loaded; full text answers alone where it could not. */
    readonly available: boolean
    readonly model: string
    readonly dimensions: number
    readonly embedded: number
    /** Why the newest batch failed; absent while all is well. */
    readonly failure?: string
  }
  /** Reads on record, those that wait for it in this process, and those that were lost because too many waited. */
  readonly recalls: { readonly recorded: number; readonly waiting: number; readonly dropped: number }
  readonly view: { readonly bytes: number; readonly parked: ReadonlyArray<ViewFile.Parked> }
}

/** The digests of a view, whole and by projection. */
export interface Digests {
  /** Over every row, vector and posting. */
  readonly digest: string
  /** Over active memories, their indexes and lineage, without history, versions and times. */
  readonly stateDigest: string
  readonly projections: Readonly<Record<string, string>>
}

/**
 * The memory system of one data folder. Hands out an agent's memory at a trust
 * level; everything else here looks behind all levels and is for operators.
 */
export class Daybook extends Context.Tag("daybook/Daybook")<
  Daybook,
  {
    /** An agent's memory as a reader (and writer) at one trust level. Agents need no creating. */
    readonly agent: {
      (name: string, options: AgentOptions): Effect.Effect<Memory, InvalidInput>
      (
        name: string,
        options: AgentOptions & { readonly asOf: AsOfInput }
      ): Effect.Effect<MemoryReader, InvalidInput | TrustRequired | StorageError>
    }
    /** Every agent that has events, by name. */
    readonly agents: Effect.Effect<ReadonlyArray<AgentInfo>, StorageError>
    /** The decoded events of an agent after a version, oldest first. */
    readonly log: (agent: string, after?: number) => Stream.Stream<DaybookEvent | ErasedEvent, ViewError>
    /** Replays the log into a new view, all projections or the named ones, while reads and writes go on. */
    readonly rebuild: (
      agent: string,
      which?: ReadonlyArray<string>,
      onProgress?: (progress: Progress) => void
    ) => Effect.Effect<void, ViewError | InvalidInput>
    /** Checks the log of an agent, or all of it. Damage is in the answer, not in the error channel. */
    readonly verify: (agent?: string) => Effect.Effect<Verified>
    /** Embeds what has no vector yet, in the order in which it was stored. */
    readonly backfill: (agent: string) => Effect.Effect<Backfilled, CommandError | InvalidInput>
    /** Decides a stretch of history again under another policy, in a branch that is gone afterwards. Changes nothing. */
    readonly whatIf: (agent: string, options?: WhatIfOptions) => Effect.Effect<Difference, ViewError | InvalidInput>
    readonly stats: (agent: string) => Effect.Effect<AgentStats, ViewError | InvalidInput>
    readonly digests: (agent: string) => Effect.Effect<Digests, ViewError | InvalidInput>
    /** Records what was shown until now, which happens by itself a minute later; answers how many recalls. */
    readonly flush: (agent: string) => Effect.Effect<number, CommandError | InvalidInput>
    /** How many agents are awake in this process. */
    readonly awake: Effect.Effect<number>
  }
>() {}

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
  const agents = yield* Agents.make(reconciling)
  const recalls = yield* Recalls.make({ agents, log, codec, embedder, policy: recall, search })
  const services: ReaderServices = { log, codec, ranking: { policy: search, embedder, reranker } }
  const { config } = views
  const inForce = Option.getOrUndefined(reconciler)
  const origin = { log, codec, config, embedder, policy, reconciler: inForce, countTokens: tokens.count }
  const names = views.config.projections.map(({ name }) => name)

  /** What operators ask names an agent as well, and may misspell it. */
  const operate = <A, E>(name: string, f: (agent: Agents.Agent) => Effect.Effect<A, E>) =>
    Effect.flatMap(checkName(name), () => agents.use(name, f))

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
          agents.use(agent, ({ actor }) =>
            views.read(actor.view, (db) => {
              const snapshot = { db, now }
              return f(recorded ? { ...snapshot, observe: () => recalls.observe(agent, snapshot) } : snapshot)
            })
          )
        ),
      readAt: readAt(agent)
    }
    return writer.make(
      reader.make(source, services),
      (f) => agents.use(agent, f),
      { level: options.trust, actor: options.actor ?? "program", countTokens: tokens.count, reconciling },
      Effect.map(log.head(agent), ({ version }) => version === 0)
    )
  }

  const past = (agent: string, { trust }: AgentOptions, asOf: AsOfInput) =>
    Effect.gen(function* () {
      const { version } = yield* log.head(agent)
      const at = "at" in asOf ? toInstant(asOf.at) : null
      if (at === undefined) return yield* new InvalidInput({ field: "asOf.at", problem: "is not a date" })
      if ("version" in asOf) {
        if (!AsOf.mayNameVersions(trust)) return yield* new TrustRequired({ what: "reading as of a version" })
        if (!Number.isInteger(asOf.version) || asOf.version < 0 || asOf.version > version) {
          return yield* new InvalidInput({
            field: "asOf.version",
            problem: `must be a whole number from 0 to ${version}`
          })
        }
      }
      const chosen = "version" in asOf ? asOf.version : yield* log.versionAt(agent, at!)
      const point = yield* pointOf(agent, chosen)
      return reader.make(
        {
          agent,
          level: trust,
          read: (f) =>
            agents.use(agent, ({ actor }) =>
              AsOf.read(views, actor.view, point, trust, { at, kept: policy.asOf.kept }, f)
            ),
          readAt: readAt(agent)
        },
        services
      )
    })

  return Daybook.of({
    agent: ((name: string, options: AgentOptions & { readonly asOf?: AsOfInput }) =>
      Effect.gen(function* () {
        yield* checkName(name)
        if (!Schema.is(TrustLevel)(options.trust)) {
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
    backfill: (agent) => operate(agent, ({ embedding }) => embedding.backfill),
    whatIf: (agent, options) => Effect.flatMap(checkName(agent), () => WhatIf.run(origin, agent, options)),
    stats: (agent) =>
      operate(agent, ({ actor, embedding }) =>
        views.read(actor.view, (db): AgentStats => {
          const failure = embedding.failure()
          const { dimensions, model } = embedder
          return {
            agent,
            version: ViewFile.checkpointOf(db).position,
            memories: countMemories(db),
            conversation: { ...countConversation(db), embedded: chunkVectorIndex.count(db, model, dimensions) },
            vectors: {
              available: actor.view.hasVectors,
              model,
              dimensions,
              embedded: memoryVectors.count(db, model, dimensions),
              ...(failure === undefined ? {} : { failure: failure.message })
            },
            recalls: { recorded: countRecalls(db), ...recalls.counts(agent) },
            view: { bytes: statSync(actor.view.file).size, parked: ViewFile.parkedOf(db) }
          }
        })
      ),
    digests: (agent) =>
      operate(agent, ({ actor }) =>
        views.read(actor.view, (db) => {
          const all = ViewFile.digests(db, views.config.projections, "digest")
          const state = ViewFile.digests(db, views.config.projections, "stateDigest")
          return { digest: all.whole, stateDigest: state.whole, projections: all.each }
        })
      ),
    flush: (agent) => Effect.flatMap(checkName(agent), () => recalls.flush(agent)),
    awake: Effect.sync(agents.awake)
  })
})

/** The engine on top of a log, views and an embedder. */
export const layer: Layer.Layer<Daybook, never, EventLog | Views | Embedder> = Layer.scoped(Daybook, make)

/** Agent names are 1 to 64 visible characters: they name a stream and, escaped, a folder. */
const checkName = (name: string): Either.Either<string, InvalidInput> =>
  /^[^\p{C}\p{Z}]{1,64}$/u.test(name)
    ? Either.right(name)
    : Either.left(
        new InvalidInput({ field: "agent", problem: `must have 1 to ${limits.agent} visible characters and no spaces` })
      )
