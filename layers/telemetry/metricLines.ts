import * as Effect from "effect/Effect"
import * as Metric from "effect/Metric"
import * as MetricState from "effect/MetricState"
import { toIso } from "../../text/when/dates.js"

/** A metric as a line of the trace file. Times are in the metric's own unit. */
export interface MetricLine {
  readonly time: string
  readonly type: "metric"
  readonly name: string
  readonly tags?: Readonly<Record<string, string>>
  /** The number of events or calls so far. A histogram also has their sum, minimum and maximum. */
  readonly count?: number
  readonly sum?: number
  readonly min?: number
  readonly max?: number
  /** The present value of a gauge. */
  readonly value?: number
}

/** The metrics of Daybook at a time, in milliseconds since the epoch. Metrics of other libraries are left out. */
export const metricLines = (at: number): Effect.Effect<ReadonlyArray<MetricLine>> =>
  Effect.map(Metric.snapshot, (pairs) =>
    [...pairs].flatMap(({ metricKey: { name, tags }, metricState }): ReadonlyArray<MetricLine> => {
      const figures = figuresOf(metricState)
      if (!name.startsWith("daybook_") || figures === undefined) return []
      const pairsOfTags = [...tags].map(({ key, value }) => [key, value] as const)
      const named = pairsOfTags.length === 0 ? {} : { tags: Object.fromEntries(pairsOfTags) }
      return [{ time: toIso(at), type: "metric", name, ...named, ...figures }]
    })
  )

const figuresOf = (state: MetricState.MetricState.Untyped) => {
  if (MetricState.isCounterState(state)) return { count: Number(state.count) }
  if (MetricState.isGaugeState(state)) return { value: Number(state.value) }
  if (MetricState.isHistogramState(state)) {
    const { count, max, min, sum } = state
    return { count, sum: rounded(sum), min: rounded(min), max: rounded(max) }
  }
  return undefined
}

const rounded = (value: number): number => Math.round(value * 1_000) / 1_000
