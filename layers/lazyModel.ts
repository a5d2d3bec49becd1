import * as Context from "effect/Context"
import * as Data from "effect/Data"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Scope from "effect/Scope"
import type { ExtractorService } from "../src/ports/Extractor.js"
import type { ModelSettings } from "../src/ports/Policy.js"
import type { ReconcilerService } from "../src/ports/Reconciler.js"
import type { SummarizerService } from "../src/ports/Summarizer.js"
import { missingPackage } from "./models/packages.js"

/** The model cannot be used: its packages or its key are missing. `problem` is one line. */
export class ModelNotLoaded extends Data.TaggedError("NotLoaded")<{ readonly problem: string }> {}

/** The functions that call the model. `timeout_s` limits extractions and decisions. */
export interface ModelPorts {
  readonly extract: NonNullable<ExtractorService["ask"]>
  readonly reconcile: NonNullable<ReconcilerService["ask"]>
  readonly summarizer: SummarizerService
}

/**
 * The policy's language model. All callers share the model and its limits. The first call loads its packages and reads
 * its key, so programs that never call the model need neither. If either is missing, one warning is logged.
 */
export class LazyModel extends Context.Tag("daybook/LazyModel")<
  LazyModel,
  { readonly name: string; readonly ports: Effect.Effect<ModelPorts, ModelNotLoaded> }
>() {}

/**
 * The settings of the model that extracts and decides: `fast` overrides the other settings. The connection is inherited
 * only if `fast` sets neither its own provider nor its own URL.
 */
export const fastModelOf = (settings: ModelSettings): ModelSettings => {
  if (settings.fast === undefined) return settings
  const { fast, ...first } = settings
  const { api: _, baseUrl: __, keyVariable: ___, ...withoutConnection } = first
  return { ...(fast.provider === undefined && fast.baseUrl === undefined ? first : withoutConnection), ...fast }
}

export const layer = (settings: ModelSettings): Layer.Layer<LazyModel> => Layer.scoped(LazyModel, make(settings))

const make = Effect.fnUntraced(function* (
  settings: ModelSettings
): Effect.fn.Return<Context.Tag.Service<LazyModel>, never, Scope.Scope> {
  const scope = yield* Effect.scope
  // The fiber of the first call may have other settings than the fiber that created this layer.
  const settingsProvider = yield* Effect.configProviderWith(Effect.succeed)
  const name = `${settings.provider}/${settings.model}`
  const load = Effect.gen(function* () {
    const { LanguageModels, MaxRequestMillis, ModelExtractor, ModelReconciler, ModelSummarizer } =
      yield* Effect.tryPromise({
        try: () => import("./models/index.js"),
        catch: (error) =>
          new ModelNotLoaded({
            problem: missingPackage(error) ?? "the packages for this model cannot be loaded: install the packages again"
          })
      })
    const model = yield* Effect.mapError(
      LanguageModels.make(settings),
      ({ problem }) => new ModelNotLoaded({ problem })
    )
    const [extract, reconcile] = [ModelExtractor.ask(model, name), ModelReconciler.ask(model, name)]
    const inTime = Effect.provideService(MaxRequestMillis, settings.timeout_s * 1_000)
    const ports: ModelPorts = {
      extract: (request) => inTime(extract(request)),
      reconcile: (question) => inTime(reconcile(question)),
      summarizer: ModelSummarizer.make(model, name)
    }
    return ports
  })
  // Uninterruptible: if the first caller is interrupted, the cached result must not be an interruption for the others.
  const ports = yield* load.pipe(
    Effect.withConfigProvider(settingsProvider),
    Scope.extend(scope),
    Effect.tapError(({ problem }) => Effect.logWarning(`model ${name}: ${problem}`)),
    Effect.uninterruptible,
    Effect.cached
  )
  return { name, ports }
})
