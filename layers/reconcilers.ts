import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { InvalidPolicy } from "../src/model/errors.js"
import { defaults, type PolicyValues } from "../src/ports/Policy.js"
import {
  needsNoModel,
  noReconciler,
  Reconciler,
  ReconcilerError,
  type ReconcilerService
} from "../src/ports/Reconciler.js"
import { fastModelOf, LazyModel, layer as lazyModel } from "./lazyModel.js"

type Service = ReconcilerService

/**
 * The rules decide if they are sure; otherwise the model decides. The rules are sure of a contradiction if their
 * confidence is at least `certain` (0…1). If the model fails, the rules decide.
 */
export const hybrid = (
  rules: Service,
  model: Pick<Service, "name"> & Required<Pick<Service, "ask">>,
  { certain }: Pick<PolicyValues["reconcile"], "certain"> = defaults.reconcile
): Service => ({
  name: `${rules.name}+${model.name}`,
  judge: rules.judge,
  ask: (question) =>
    Effect.suspend(() => {
      const judgement = rules.judge(question)
      return needsNoModel(judgement, certain) ? Effect.succeed(judgement) : model.ask(question)
    })
})

/**
 * The policy's reconciler. The first decision loads the model. A missing package or key counts as a failure of the
 * model. `model` is the policy's fast model, shared with other callers.
 */
export const policyReconcilerLayer = (
  policy: Pick<PolicyValues, "reconcile" | "model">,
  model?: Layer.Layer<LazyModel>
): Layer.Layer<Reconciler, InvalidPolicy> => {
  const { reconciler } = policy.reconcile
  if (reconciler === "none") return Layer.succeed(Reconciler, noReconciler)
  if (reconciler === "rules") return Layer.effect(Reconciler, loadRules)
  if (policy.model === undefined) {
    return Layer.fail(
      new InvalidPolicy({ problems: [`model: is required, because \`reconcile.reconciler\` is \`${reconciler}\``] })
    )
  }
  return Layer.effect(
    Reconciler,
    reconciler === "model"
      ? Effect.map(modelReconciler, (model) => ({ ...model, judge: noReconciler.judge }))
      : Effect.zipWith(loadRules, modelReconciler, (rules, model) => hybrid(rules, model, policy.reconcile))
  ).pipe(Layer.provide(model ?? lazyModel(fastModelOf(policy.model))))
}

/** The rules, loaded on demand: loading their word lists takes as long as starting a complete command. */
export const loadRules: Effect.Effect<ReconcilerService> = Effect.map(
  Effect.promise(() => import("./RuleReconciler.js")),
  ({ ruleReconciler }) => ruleReconciler
)

const modelReconciler = Effect.map(LazyModel, ({ name, ports }) => {
  const ask: Required<Service>["ask"] = (question) =>
    ports.pipe(
      Effect.mapError(({ problem }) => new ReconcilerError({ name, reason: "failed", detail: problem })),
      Effect.flatMap(({ reconcile }) => reconcile(question))
    )
  return { name, ask }
})
