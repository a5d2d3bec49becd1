import * as Clock from "effect/Clock"
import type * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import { genesis } from "../events/Chain.js"
import { CurrentCodec } from "../events/Codec.js"
import { EventLog } from "../events/EventLog.js"
import { traceEvent } from "../events/tracing.js"
import type { Db } from "../projections/Projection.js"
import type { ViewError } from "../projections/view/buildViewFile.js"
import { Views } from "../projections/view/Views.js"
import type { Agent as AwakeAgent } from "./actor/Agent.js"
import * as Agents from "./actor/Agents.js"
import * as ActiveEmbedders from "./actor/activeEmbedders.js"
import * as Background from "./actor/Background.js"
import { policyRecordOf as policyInForce } from "./actor/policyRecord.js"
import * as Capture from "./capture/Capture.js"
import { cacheTokenCounts } from "./context/fill.js"
import { PrefixCache } from "./context/stored.js"
import * as Embedding from "./embedding/Embedding.js"
import type { AllReaderServices } from "./Memory.js"
import { checkAgentName } from "./model/agentName.js"
import { Embedder } from "./ports/Embedder.js"
import { Embedders } from "./ports/Embedders.js"
import { Extractor } from "./ports/Extractor.js"
import { Lexicon } from "./ports/Lexicon.js"
import { Policy } from "./ports/Policy.js"
import { Reconciler } from "./ports/Reconciler.js"
import { Reranker } from "./ports/Reranker.js"
import { Settler } from "./ports/Settler.js"
import { StatementReader } from "./ports/StatementReader.js"
import { Summarizer } from "./ports/Summarizer.js"
import { TokenCounter } from "./ports/TokenCounter.js"
import * as Recalls from "./recalls/Recalls.js"
import { askModels } from "./remember/Reconciling.js"

/** The services and helpers that handles and operator calls share. */
export type Engine = Effect.Effect.Success<typeof makeEngine>

type Agent = AwakeAgent<Embedding.Embedding>

/** Starts the agents and the recording of recalls. Both stop when the scope closes. */
export const makeEngine = Effect.gen(function* () {
  yield* traceEvent("start.initializing")
  const views = yield* Views
  const log = yield* EventLog
  const codec = yield* CurrentCodec
  const policy = yield* Policy
  const embedder = yield* Embedder
  const reranker = (yield* Reranker) ?? undefined
  const { count: countTokens, isExact: countsExactly = false } = yield* TokenCounter
  const configuredReconciler = (yield* Reconciler) ?? undefined
  const reconciler = policy.reconcile.reconciler === "none" ? undefined : configuredReconciler
  const reconciling = reconciler && {
    reconciler,
    policy: policy.reconcile,
    commonShare: policy.search.commonShare
  }
  const [summarizer, reader] = [yield* Summarizer, yield* StatementReader]
  const summarizing =
    summarizer === null || reader === null ? undefined : { summarizer, reader, policy: policy.summarize }
  const { dimensions, local = false, model } = embedder
  yield* traceEvent("start.embedding_configured", { model, dimensions, local })
  const activeEmbedders = ActiveEmbedders.make(embedder, (yield* Embedders) ?? undefined)
  const agents = yield* Agents.make({
    embedding: Embedding.make(activeEmbedders, policy.embedding),
    askModels: reconciling && ((current, read) => askModels(reconciling, current, read)),
    redecideMillis: reconciling?.policy.timeout ?? 0
  })
  const recalls = yield* Recalls.make({ agents, log, codec, embedder, policy: policy.recall, search: policy.search })
  const background = yield* Background.make
  const capture = Capture.make((yield* Extractor) ?? undefined, policy.capture, background)
  const readerServices: AllReaderServices = {
    log,
    codec,
    ranking: { policy: policy.search, reranker, lexicon: yield* Lexicon },
    activeEmbedders,
    maintenance: policy,
    countTokens,
    countsExactly,
    judge: reconciler?.judge,
    settler: (yield* Settler) ?? undefined,
    context: { policy, prefixes: new PrefixCache(), countTokens: cacheTokenCounts(countTokens), countsExactly }
  }
  return {
    views,
    log,
    codec,
    policy,
    policyDigest: policyInForce(policy).digest,
    embedder,
    activeEmbedders,
    agents,
    recalls,
    background,
    capture,
    reconciler,
    reconciling,
    summarizing,
    statements: reader ?? undefined,
    countTokens,
    readerServices,
    ...accessTo({ agents, log, views })
  }
})

interface AccessServices {
  readonly agents: Agents.Agents<Embedding.Embedding>
  readonly log: Context.Tag.Service<EventLog>
  readonly views: Context.Tag.Service<Views>
}

/** Functions that access an agent; some of them do not wake it. */
const accessTo = ({ agents, log, views }: AccessServices) => {
  /**
   * Returns true if an agent has no events. Returns false if the agent is awake or if its newest version cannot be
   * read.
   */
  const isEmpty = (agent: string) =>
    Effect.suspend(() =>
      agents.isAwake(agent)
        ? Effect.succeed(false)
        : Effect.match(log.head(agent), { onFailure: () => false, onSuccess: ({ version }) => version === 0 })
    )

  return {
    isEmpty,

    /**
     * Finds the stored name of an agent. New names are stored in Unicode's composed form (NFC). An older log may
     * contain a name in another form; the agent keeps that name.
     */
    agentNamed: (name: string) =>
      Effect.flatMap(checkAgentName(name), (composed) =>
        composed === name ? Effect.succeed(name) : Effect.map(isEmpty(name), (empty) => (empty ? composed : name))
      ),

    /**
     * Reads an agent. For an agent without events it runs `ifEmpty` on an empty view, so that reading creates no view.
     */
    readAgent: <A>(
      name: string,
      f: (agent: Agent) => Effect.Effect<A, ViewError>,
      ifEmpty: (db: Db, hasVectors: boolean) => A
    ) => Effect.flatMap(isEmpty(name), (empty) => (empty ? views.readEmpty(ifEmpty) : agents.use(name, f))),

    /**
     * Returns a version, its event's hash and the newest erasure. The hash keeps cached views of this log separate from
     * those of another log.
     */
    pointAt: (agent: string, version: number) =>
      Effect.zipWith(log.at(agent, [version]), log.newestErasure(agent), ([event], erasure) => ({
        ...{ version, erasure },
        hash: event?.hash ?? genesis
      })),

    /**
     * Returns the time at which a version is read: its recording time. If that time is in the future because the clock
     * was wrong, returns the earliest later time in the log.
     */
    timeOf: Effect.fnUntraced(function* (agent: string, version: number) {
      const [now, [event]] = [yield* Clock.currentTimeMillis, yield* log.at(agent, [version])]
      const recordedAt = event?.recordedAt ?? 0
      return recordedAt <= now ? recordedAt : Math.min(now, yield* log.earliest(agent, version))
    })
  }
}
