import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type { EventLog } from "../events/EventLog.js"
import * as EventLogSqlite from "../events/EventLogSqlite.js"
import type { StorageError } from "../events/errors.js"
import { sharingWarning } from "../events/folder.js"
import * as Views from "../projections/view/Views.js"
import * as Daybook from "../src/Daybook.js"
import type { InvalidInput, InvalidPolicy } from "../src/model/errors.js"
import { checkPath, refuseUnknownOptions } from "../src/model/filters.js"
import type { Embedder } from "../src/ports/Embedder.js"
import type { Embedders } from "../src/ports/Embedders.js"
import { Extractor } from "../src/ports/Extractor.js"
import { Policy, type PolicyValues } from "../src/ports/Policy.js"
import { Reconciler } from "../src/ports/Reconciler.js"
import { Reranker } from "../src/ports/Reranker.js"
import { Settler } from "../src/ports/Settler.js"
import { StatementReader } from "../src/ports/StatementReader.js"
import { Summarizer } from "../src/ports/Summarizer.js"
import { timerFold } from "../src/schedules/timerFold.js"
import * as AutoImport from "./autoImport.js"
import { defaultFolder, ledgerCopyPath, policyFolder, readPolicy } from "./config.js"
import { policyEmbedderLayer, policyEmbeddersLayer } from "./embedders.js"
import { policyExtractorLayer } from "./extractors.js"
import { fastModelOf, layer as lazyModel } from "./lazyModel.js"
import { policyReconcilerLayer } from "./reconcilers.js"
import { policyRerankerLayer } from "./rerankers.js"
import { policySummarizerLayer } from "./summarizers.js"
import { policyTokenCounterLayer } from "./tokenCounters.js"
import * as WordLexicon from "./WordLexicon.js"

export interface DefaultOptions {
  /** The data folder; created if it is missing. Default: `$DAYBOOK_DATA` or `~/.local/share/daybook`. */
  readonly folder?: string
  /** Replaces the policy's embedder (default: word vectors). Applies to agents that have no vectors yet. */
  readonly embedder?: Layer.Layer<Embedder>
  /** Replaces the package's embedders. An agent can switch to any of them by name. */
  readonly embedders?: Layer.Layer<Embedders>
  /** Replaces the policy's reranker (default: lexical); null for none. */
  readonly reranker?: Layer.Layer<Reranker> | null
  /** Replaces the policy's reconciler; null for none: statements are stored without a comparison. */
  readonly reconciler?: Layer.Layer<Reconciler> | null
  /** Replaces the English settler; null for none. Without a reconciler, nothing is settled. */
  readonly settler?: Layer.Layer<Settler> | null
  /** Replaces the English statement reader; null for none, which disables summarizers. */
  readonly statementReader?: Layer.Layer<StatementReader> | null
  /** Replaces the policy's summarizer; null for none. Every summary is checked against its sources. */
  readonly summarizer?: Layer.Layer<Summarizer> | null
  /** Replaces the policy's extractor; null for none, which captures nothing. */
  readonly extractor?: Layer.Layer<Extractor> | null
  /** Replaces the event log in `log.db`. */
  readonly log?: Layer.Layer<EventLog, StorageError>
  /** Path of the sqlite-vec extension; null disables vectors. Default: the extension in the package. */
  readonly vectorExtension?: string | null
  /** The policy; default: read from the data folder. */
  readonly policy?: PolicyValues
}

/** The names of all options. */
export const optionNames: ReadonlyArray<string> = Object.keys({
  folder: true,
  embedder: true,
  embedders: true,
  reranker: true,
  reconciler: true,
  settler: true,
  statementReader: true,
  summarizer: true,
  extractor: true,
  log: true,
  vectorExtension: true,
  policy: true
} satisfies Record<keyof DefaultOptions, true>)

/** Errors from opening a data folder. `InvalidInput`: an option has an unknown name, or `folder` is not a path. */
export type OpenError = StorageError | InvalidPolicy | InvalidInput

/** The complete memory system on a data folder; each part can be replaced. */
export const layer = (options: DefaultOptions = {}): Layer.Layer<Daybook.Daybook, OpenError> =>
  Layer.unwrapEffect(
    Effect.gen(function* () {
      yield* refuseUnknownOptions(options, optionNames)
      return layerOn(yield* checkPath("folder", options.folder ?? (yield* defaultFolder)), options)
    })
  )

/** Loads the module of a layer only when the layer is built, because word lists take long to load. */
const loaded = <A>(load: () => Promise<{ readonly layer: Layer.Layer<A> }>): Layer.Layer<A> =>
  Layer.unwrapEffect(Effect.map(Effect.promise(load), ({ layer }) => layer))

const layerOn = (
  folder: string,
  options: DefaultOptions
): Layer.Layer<Daybook.Daybook, StorageError | InvalidPolicy> => {
  const log =
    options.log ??
    Layer.unwrapEffect(
      Effect.map(Policy, (values) =>
        EventLogSqlite.layer(folder, { ledgerCopy: ledgerCopyPath(folder, values), timers: timerFold })
      )
    )
  const views = Views.layer({
    folder,
    ...(options.vectorExtension === undefined ? {} : { vectorExtension: options.vectorExtension })
  })
  const policy =
    options.policy === undefined ? Layer.effect(Policy, readPolicy(folder)) : Layer.succeed(Policy, options.policy)
  const retrieval = Layer.unwrapEffect(
    Effect.map(Policy, (values) =>
      Layer.mergeAll(
        options.embedder ?? policyEmbedderLayer(values),
        options.embedders ?? policyEmbeddersLayer(values),
        options.reranker === undefined ? policyRerankerLayer(values) : (options.reranker ?? Reranker.layerNone),
        policyTokenCounterLayer(values)
      )
    )
  )
  const decisions = Layer.unwrapEffect(
    Effect.map(Policy, (values) => {
      const model = values.model === undefined ? undefined : lazyModel(values.model)
      const fast = values.model?.fast === undefined ? model : lazyModel(fastModelOf(values.model))
      return Layer.mergeAll(
        options.extractor === undefined
          ? policyExtractorLayer(values, fast)
          : (options.extractor ?? Extractor.layerNone),
        options.reconciler === undefined
          ? policyReconcilerLayer(values, fast)
          : (options.reconciler ?? Reconciler.layerNone),
        options.summarizer === undefined
          ? policySummarizerLayer(values, model)
          : (options.summarizer ?? Summarizer.layerNone)
      )
    })
  )
  const reading = Layer.merge(
    options.settler === undefined ? loaded(() => import("./RuleSettler.js")) : (options.settler ?? Settler.layerNone),
    options.statementReader === undefined
      ? loaded(() => import("./RuleStatementReader.js"))
      : (options.statementReader ?? StatementReader.layerNone)
  )
  const importBase = options.policy === undefined ? policyFolder(folder) : Effect.succeed(folder)
  return AutoImport.layer(importBase).pipe(
    Layer.provide(Daybook.layer),
    Layer.provide(retrieval),
    Layer.provide(decisions),
    Layer.provide(reading),
    Layer.provide(WordLexicon.layer),
    Layer.provide(views),
    Layer.provide(log),
    Layer.provide(policy),
    Layer.tap(() =>
      Effect.suspend(() => {
        const warning = sharingWarning(folder)
        return warning === undefined ? Effect.void : Effect.logWarning(warning)
      })
    )
  )
}
