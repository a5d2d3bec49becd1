import type * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Scope from "effect/Scope"
import { InvalidPolicy } from "../src/errors.js"
import type { ModelSettings, PolicyValues } from "../src/Policy.js"
import { none, Reconciler, ReconcilerError } from "../src/Reconciler.js"
import { missingPackage } from "./models/packages.js"

type Service = Context.Tag.Service<Reconciler>

/** The rules decide where they are sure and where the model cannot; the model is asked about the rest. */
export const hybrid = (rules: Service, model: Pick<Service, "name"> & Required<Pick<Service, "ask">>): Service => ({
  name: `${rules.name}+${model.name}`,
  judge: rules.judge,
  ask: (question) =>
    Effect.suspend(() => {
      const judgement = rules.judge(question)
      return judgement.sure ? Effect.succeed(judgement) : model.ask(question)
    })
})

/**
 * The reconciler that a policy names. A model's packages are loaded and its key
 * is looked up with the first question: what never asks pays nothing, and where
 * either is missing, that is one warning and a failure like any other of a model.
 */
export const reconcilerOf = (
  policy: Pick<PolicyValues, "reconcile" | "model">,
  environment: NodeJS.ProcessEnv = process.env
): Layer.Layer<Reconciler, InvalidPolicy> => {
  const { reconciler } = policy.reconcile
  if (reconciler === "none") return Layer.succeed(Reconciler, none)
  if (reconciler === "rules") return Layer.effect(Reconciler, loadRules)
  if (policy.model === undefined) {
    return Layer.fail(
      new InvalidPolicy({ problems: [`model: is missing, though reconcile.reconciler is ${reconciler}`] })
    )
  }
  const asked = lazily(policy.model, environment)
  return Layer.scoped(
    Reconciler,
    reconciler === "model"
      ? Effect.map(asked, (model) => ({ ...model, judge: none.judge }))
      : Effect.zipWith(loadRules, asked, hybrid)
  )
}

/** What nobody asked for is not read: the rules' words take as long as a command's own start. */
const loadRules = Effect.map(
  Effect.promise(() => import("./RuleReconciler.js")),
  ({ rules }) => rules
)

const lazily = (
  settings: ModelSettings,
  environment: NodeJS.ProcessEnv
): Effect.Effect<Pick<Service, "name"> & Required<Pick<Service, "ask">>, never, Scope.Scope> =>
  Effect.gen(function* () {
    const scope = yield* Effect.scope
    const name = `${settings.provider}/${settings.model}`
    const failed = (detail: string) => new ReconcilerError({ name, reason: "failed", detail })
    const load = Effect.gen(function* () {
      const { LanguageModels, ModelReconciler } = yield* Effect.tryPromise({
        try: () => import("./models/index.js"),
        catch: (error) => failed(missingPackage(error) ?? "cannot be loaded")
      })
      const model = yield* Effect.mapError(LanguageModels.make(settings, environment), ({ problem }) => failed(problem))
      return ModelReconciler.ask(model, name)
    })
    // Whoever asks first may be interrupted; the others are not to inherit that.
    const ask = yield* load.pipe(
      Scope.extend(scope),
      Effect.tapError((error) => Effect.logWarning(error.message)),
      Effect.uninterruptible,
      Effect.cached
    )
    return { name, ask: (question) => Effect.flatMap(ask, (ask) => ask(question)) }
  })
