import * as Metric from "effect/Metric"
import * as MetricLabel from "effect/MetricLabel"

/**
 * Questions to language models, by task and outcome (`ok`, or why there is no answer). A question counts once, however
 * often it is retried.
 */
export const modelCalls = Metric.counter("daybook_model_calls", { incremental: true })

export const countModelCall = (task: string, outcome: string): void =>
  modelCalls.unsafeUpdate(1, [MetricLabel.make("task", task), MetricLabel.make("outcome", outcome)])
