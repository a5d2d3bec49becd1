import * as Context from "effect/Context"
import * as Data from "effect/Data"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Scope from "effect/Scope"
import type { ModelSettings } from "../src/ports/Policy.js"
import type { Reconciler } from "../src/ports/Reconciler.js"
import type { Summarizer } from "../src/ports/Summarizer.js"
import { missingPackage } from "./models/packages.js"

/** Why a model cannot be asked from here, in one line: its packages or its key are missing. */
export class NotLoaded extends Data.TaggedError("NotLoaded")<{ readonly problem: string }> {}

/** What asks a model. */
export interface ModelPorts {
  readonly reconcile: NonNullable<Context.Tag.Service<Reconciler>["ask"]>
  readonly summarizer: Context.Tag.Service<Summarizer>
}

/**
 * The model of a policy, for all that ask it: its bounds count for them together. Its packages are loaded and its key is
 * looked up with the first question: what never asks pays nothing, and where either is missing, that is one warning.
 */
export class LazyModel extends Context.Tag("daybook/LazyModel")<
  LazyModel,
  { readonly name: string; readonly ports: Effect.Effect<ModelPorts, NotLoaded> }
>() {}

export const layer = (settings: ModelSettings, environment: NodeJS.ProcessEnv = process.env): Layer.Layer<LazyModel> =>
  Layer.scoped(LazyModel, make(settings, environment))

const make = (
  settings: ModelSettings,
  environment: NodeJS.ProcessEnv
): Effect.Effect<Context.Tag.Service<LazyModel>, never, Scope.Scope> =>
  Effect.gen(function* () {
    const scope = yield* Effect.scope
    const name = `${settings.provider}/${settings.model}`
    const load = Effect.gen(function* () {
      const { LanguageModels, ModelReconciler, ModelSummarizer } = yield* Effect.tryPromise({
        try: () => import("./models/index.js"),
        catch: (error) => new NotLoaded({ problem: missingPackage(error) ?? "cannot be loaded" })
      })
      const model = yield* Effect.mapError(
        LanguageModels.make(settings, environment),
        ({ problem }) => new NotLoaded({ problem })
      )
      return { reconcile: ModelReconciler.ask(model, name), summarizer: ModelSummarizer.make(model, name) }
    })
    // Whoever asks first may be interrupted; the others are not to inherit that.
    const ports = yield* load.pipe(
      Scope.extend(scope),
      Effect.tapError(({ problem }) => Effect.logWarning(`model ${name}: ${problem}`)),
      Effect.uninterruptible,
      Effect.cached
    )
    return { name, ports }
  })
