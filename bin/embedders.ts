import type { ModelName } from "../projections/embedders.js"
import type { Calibrated } from "../src/embedding/admin/calibrate.js"
import type {
  Compared,
  EmbedderStatus,
  IndexStatus,
  Rate,
  Switched
} from "../src/embedding/admin/EmbedderOperations.js"
import { countText, quoteForShell } from "./format.js"
import type { Output } from "./output.js"
import { fieldsTable } from "./table.js"

const modelText = ({ dimensions, model }: ModelName) => `${model}, ${dimensions} dimensions`

const indexText = (index: IndexStatus): string =>
  `${modelText(index)}: ${index.embedded} embedded, ${index.lacking} missing`

/** Vectors per second, the time left, and the provider's usage. */
export const rateText = ({ perSecond, remaining, requests, tokens }: Rate): string =>
  [
    `${perSecond < 10 ? perSecond.toFixed(1) : Math.round(perSecond)}/s`,
    ...(remaining === null ? [] : [`${durationText(remaining)} left`]),
    ...(requests === 0 ? [] : [`${countText(requests, "request")}, ${countText(tokens, "token")}`])
  ].join(", ")

const durationText = (seconds: number): string => {
  const wholeSeconds = Math.ceil(seconds)
  if (wholeSeconds < 90) return `${wholeSeconds} s`
  return wholeSeconds < 5_400 ? `${Math.round(wholeSeconds / 60)} min` : `${(wholeSeconds / 3_600).toFixed(1)} h`
}

/** The command that activates an index, with the given ranking weight. */
const switchCall = ({ dimensions, model }: ModelName, weight?: number): string =>
  `daybook embed switch ${quoteForShell(model)} --dimensions ${dimensions}${weight === undefined ? "" : ` --weight ${weight}`}`

export const switchResultText = ({ state, unchanged, ...model }: Switched, weight?: number): string => {
  if (unchanged) return `${modelText(model)}: already active`
  switch (state) {
    case "inForce":
      return `${modelText(model)}: active; 'daybook embed back' returns to the previous one`
    case "prepared":
      return `${modelText(model)}: prepared. To try it: 'daybook embed compare'. To activate it:\n${switchCall(model, weight)}`
    case "preparing":
      return `${modelText(model)}: being prepared`
  }
}

export const statusText = (out: Output, status: EmbedderStatus): string => {
  const { apart, aside, configured, failure, inForce, kept, preparing, usage } = status
  const rate = preparing?.rate
  const isOtherConfigured = configured.model !== inForce.model || configured.dimensions !== inForce.dimensions
  return fieldsTable(out, [
    ["active", indexText(inForce)],
    ["weight", `${inForce.weight}`],
    ...(inForce.since === null ? [] : [["since", `version ${inForce.since}`] as const]),
    ...(inForce.problem === undefined ? [] : [["problem", inForce.problem] as const]),
    ...(isOtherConfigured ? [["configured", `${modelText(configured)}: for agents without vectors`] as const] : []),
    ...(apart === null
      ? []
      : [["withheld", `stores ${apart.stores.join(", ")}, embedded locally by ${indexText(apart)}`] as const]),
    ...(preparing === null
      ? []
      : [
          [
            "preparing",
            `${indexText(preparing)}${preparing.adopt ? "" : ", to be activated with 'daybook embed switch'"}`
          ] as const
        ]),
    ...(rate === undefined ? [] : [["rate", rateText(rate)] as const]),
    ...(preparing?.problem === undefined ? [] : [["problem", preparing.problem] as const]),
    ...kept.map((index): readonly [string, string] => ["kept", indexText(index)]),
    ...(usage === undefined
      ? []
      : [["usage", `${countText(usage.requests, "request")}, ${countText(usage.tokens, "token")}`] as const]),
    ...(aside === undefined ? [] : [["skipped", `${countText(aside, "text")} that cannot be embedded`] as const]),
    ...(failure === undefined ? [] : [["failure", failure] as const])
  ])
}

export const comparisonText = (out: Output, compared: Compared): string => {
  const { differing, inForce, other, overlap, quality, queries, sameFirst } = compared
  const share = (value: number | null) => (value === null ? "no recalls yet" : `${Math.round(100 * value)}%`)
  const figures = ({ mrr, ndcg, recall }: { readonly recall: number; readonly ndcg: number; readonly mrr: number }) =>
    `recall@10 ${recall.toFixed(3)}, NDCG@10 ${ndcg.toFixed(3)}, MRR ${mrr.toFixed(3)}`
  const head = fieldsTable(out, [
    ["active", modelText(inForce)],
    ["other", indexText(other)],
    ["queries", queries],
    ["top 10 shared", share(overlap)],
    ["same first hit", share(sameFirst)],
    ...(quality === null
      ? []
      : ([
          ["questions", quality.questions],
          ["active", figures(quality.inForce)],
          ["other", figures(quality.other)]
        ] as const))
  ])
  const rows = differing.map(({ overlap, text }): readonly [string, string] => [`${Math.round(100 * overlap)}%`, text])
  return rows.length === 0 ? head : `${head}\n\nleast similar answers\n${fieldsTable(out, rows)}`
}

/** Prints the calibrated ranking weight, every fourth weight tried, and the command that activates the weight. */
export const calibrationText = (
  out: Output,
  { by, curve, dimensions, from, model, used, weight }: Calibrated
): string => {
  const source = by === "labels" ? "labelled" : "from searches after which a memory was opened"
  const head = fieldsTable(out, [
    ["embedder", modelText({ model, dimensions })],
    ["questions", `${from}, ${source}`],
    ["weight", weight === used ? `${used}, unchanged` : `${weight} (active: ${used})`]
  ])
  if (from === 0) return head
  const shownPoints = curve.filter(
    (point, index) => index % 4 === 0 || point.weight === weight || point.weight === used
  )
  const rows = shownPoints.map(({ value, weight }): readonly [string, string] => [String(weight), value.toFixed(3)])
  const table = `${head}\n\nNDCG@10 by weight\n${fieldsTable(out, rows)}`
  return weight === used ? table : `${table}\n\nTo use it: ${switchCall({ model, dimensions }, weight)}`
}
