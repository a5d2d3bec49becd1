import type { ModelName } from "../projections/embedders.js"
import type { Calibrated } from "../src/embedding/admin/calibrate.js"
import type {
  Compared,
  EmbedderStatus,
  IndexStatus,
  Rate,
  Switched
} from "../src/embedding/admin/EmbedderOperations.js"
import { count } from "./format.js"
import type { Output } from "./output.js"
import { fields } from "./table.js"

const named = ({ dimensions, model }: ModelName) => `${model}, ${dimensions} dimensions`

const indexText = (index: IndexStatus): string =>
  `${named(index)}: ${index.embedded} embedded, ${index.lacking} lacking`

/** How fast vectors come, and how long the rest takes. */
export const rateText = ({ perSecond, remaining, requests, tokens }: Rate): string =>
  [
    `${perSecond < 10 ? perSecond.toFixed(1) : Math.round(perSecond)}/s`,
    ...(remaining === null ? [] : [`${lengthOf(remaining)} left`]),
    ...(requests === 0 ? [] : [`${count(requests, "request")}, ${count(tokens, "token")}`])
  ].join(", ")

const lengthOf = (seconds: number): string => {
  const whole = Math.ceil(seconds)
  if (whole < 90) return `${whole} s`
  return whole < 5_400 ? `${Math.round(whole / 60)} min` : `${(whole / 3_600).toFixed(1)} h`
}

/** The call that puts an index in force, with the weight that was asked for. */
const switchCall = ({ dimensions, model }: ModelName, weight?: number): string =>
  `daybook embed switch ${shellWord(model)} --dimensions ${dimensions}${weight === undefined ? "" : ` --weight ${weight}`}`

/** A folder may have blanks in its name. */
const shellWord = (word: string): string => (/^[\w./:@~#-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`)

export const switchedText = ({ state, unchanged, ...model }: Switched, weight?: number): string => {
  if (unchanged) return `${named(model)}: is in force already`
  switch (state) {
    case "inForce":
      return `${named(model)}: in force; 'daybook embed back' returns to the one before`
    case "prepared":
      return `${named(model)}: prepared; 'daybook embed compare' tries it, this puts it in force:\n${switchCall(model, weight)}`
    case "preparing":
      return `${named(model)}: being prepared`
  }
}

export const statusText = (out: Output, status: EmbedderStatus): string => {
  const { apart, aside, configured, failure, inForce, kept, preparing, usage } = status
  const rate = preparing?.rate
  const other = configured.model !== inForce.model || configured.dimensions !== inForce.dimensions
  return fields(out, [
    ["in force", indexText(inForce)],
    ["weight", `${inForce.weight}`],
    ...(inForce.since === null ? [] : [["since", `version ${inForce.since}`] as const]),
    ...(inForce.problem === undefined ? [] : [["problem", inForce.problem] as const]),
    ...(other ? [["configured", `${named(configured)}: for agents without vectors`] as const] : []),
    ...(apart === null ? [] : [["apart", `${indexText(apart)}, for ${apart.stores.join(", ")}`] as const]),
    ...(preparing === null
      ? []
      : [["preparing", `${indexText(preparing)}${preparing.adopt ? "" : ", to be compared first"}`] as const]),
    ...(rate === undefined ? [] : [["rate", rateText(rate)] as const]),
    ...(preparing?.problem === undefined ? [] : [["problem", preparing.problem] as const]),
    ...kept.map((index): readonly [string, string] => ["kept", indexText(index)]),
    ...(usage === undefined
      ? []
      : [["asked", `${count(usage.requests, "request")}, ${count(usage.tokens, "token")}`] as const]),
    ...(aside === undefined ? [] : [["left out", `${count(aside, "text")} that it fails for`] as const]),
    ...(failure === undefined ? [] : [["failure", failure] as const])
  ])
}

export const comparedText = (out: Output, compared: Compared): string => {
  const { differing, inForce, other, overlap, quality, queries, sameFirst } = compared
  const share = (value: number | null) => (value === null ? "nothing was recalled yet" : `${Math.round(100 * value)}%`)
  const figures = ({ mrr, ndcg, recall }: { readonly recall: number; readonly ndcg: number; readonly mrr: number }) =>
    `recall@10 ${recall.toFixed(3)}, NDCG@10 ${ndcg.toFixed(3)}, MRR ${mrr.toFixed(3)}`
  const head = fields(out, [
    ["in force", named(inForce)],
    ["other", indexText(other)],
    ["queries", queries],
    ["top 10 shared", share(overlap)],
    ["same first hit", share(sameFirst)],
    ...(quality === null
      ? []
      : ([
          ["questions", quality.questions],
          ["in force", figures(quality.inForce)],
          ["other", figures(quality.other)]
        ] as const))
  ])
  const rows = differing.map(({ overlap, text }): readonly [string, string] => [`${Math.round(100 * overlap)}%`, text])
  return rows.length === 0 ? head : `${head}\n\nleast alike\n${fields(out, rows)}`
}

/** How far vectors are to be trusted, with every fourth weight that was tried, and how to put it in force. */
export const calibratedText = (
  out: Output,
  { by, curve, dimensions, from, model, used, weight }: Calibrated
): string => {
  const source = by === "labels" ? "labelled" : "searches after which a memory was opened"
  const head = fields(out, [
    ["embedder", named({ model, dimensions })],
    ["questions", `${from}, ${source}`],
    ["weight", weight === used ? `${used}, as it is` : `${weight} (in use: ${used})`]
  ])
  if (from === 0) return head
  const shown = curve.filter((one, at) => at % 4 === 0 || one.weight === weight || one.weight === used)
  const rows = shown.map(({ value, weight }): readonly [string, string] => [String(weight), value.toFixed(3)])
  const table = `${head}\n\nNDCG@10 by weight\n${fields(out, rows)}`
  return weight === used ? table : `${table}\n\nto use it: ${switchCall({ model, dimensions }, weight)}`
}
