import type * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { InvalidPolicy } from "../src/model/errors.js"
import type { PolicyValues } from "../src/ports/Policy.js"
import { none, Reconciler, ReconcilerError } from "../src/ports/Reconciler.js"
import { LazyModel, layer as lazyModel } from "./lazyModel.js"

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
 * The reconciler that a policy names. A model is loaded with the first question; where its packages or its key are
 * missing, that is a failure like any other of a model. `model` is the one that others ask as well.
 */
export const reconcilerOf = (
  policy: Pick<PolicyValues, "reconcile" | "model">,
  environment: NodeJS.ProcessEnv = process.env,
  model?: Layer.Layer<LazyModel>
): Layer.Layer<Reconciler, InvalidPolicy> => {
  const { reconciler } = policy.reconcile
  if (reconciler === "none") return Layer.succeed(Reconciler, none)
  if (reconciler === "rules") return Layer.effect(Reconciler, loadRules)
  if (policy.model === undefined) {
    return Layer.fail(
      new InvalidPolicy({ problems: [`model: is missing, though reconcile.reconciler is ${reconciler}`] })
    )
  }
  return Layer.effect(
    Reconciler,
    reconciler === "model"
      ? Effect.map(asked, (model) => ({ ...model, judge: none.judge }))
      : Effect.zipWith(loadRules, asked, hybrid)
  ).pipe(Layer.provide(model ?? lazyModel(policy.model, environment)))
}

/** What nobody asked for is not read: the rules' words take as long as a command's own start. */
const loadRules = Effect.map(
  Effect.promise(() => import("./RuleReconciler.js")),
  ({ rules }) => rules
)

const asked = Effect.map(LazyModel, ({ name, ports }) => {
  const ask: Required<Service>["ask"] = (question) =>
    ports.pipe(
      Effect.mapError(({ problem }) => new ReconcilerError({ name, reason: "failed", detail: problem })),
      Effect.flatMap(({ reconcile }) => reconcile(question))
    )
  return { name, ask }
})
