import * as Effect from "effect/Effect"
import type { Tiers } from "../../src/maintenance/tiers.js"
import { decayOf, remainingRecency } from "../../src/search/score.js"
import { type AsOfOptions, asOfOption, flag, option, wholeNumberParser } from "../options.js"
import type { Output } from "../output.js"
import { type Column, table } from "../table.js"
import type { Command } from "./Command.js"

interface TiersCall extends AsOfOptions {
  readonly limit?: number
  readonly plot?: boolean
}

export const tiers: Command<TiersCall> = {
  usage: "tiers",
  summary: "count the memories in each tier and show their scores",
  operator: true,
  options: [
    option("--limit <n>", "list the n memories with the highest scores (default: 10)", wholeNumberParser(0, 1_000)),
    flag("--plot", "plot how recency decays with age, one curve per type"),
    asOfOption
  ],
  examples: ["tiers", "tiers --plot"],
  run: ({ out, reader }, { asOf, limit, plot }) =>
    Effect.gen(function* () {
      const memory = yield* reader(asOf)
      const result = yield* memory.maintenance.tiers({ limit })
      yield* out.show(result, async () =>
        [
          await table(out, Object.entries(result.byTier), groupColumns("tier")),
          "",
          await table(out, Object.entries(result.byType), groupColumns("type")),
          ...(result.best.length === 0 ? [] : ["", await table<Tiers["best"][number]>(out, result.best, bestColumns)]),
          ...(plot === true ? ["", plotOf(result, out)] : [])
        ].join("\n")
      )
    })
}

type ScoreGroup = Tiers["all"]

const groupColumns = (name: string): ReadonlyArray<Column<readonly [string, ScoreGroup]>> => [
  { name, cell: ([tier]) => tier },
  { name: "memories", cell: ([, { memories }]) => memories, alignRight: true },
  { name: "mean score", cell: ([, { memories, score }]) => (memories === 0 ? "" : score.toFixed(3)), alignRight: true },
  {
    name: "mean days since seen",
    cell: ([, { days, memories }]) => (memories === 0 ? "" : days.toFixed(1)),
    alignRight: true
  }
]

const bestColumns: ReadonlyArray<Column<Tiers["best"][number]>> = [
  { name: "id", cell: ({ id }) => id, colour: "cyan" },
  { name: "score", cell: ({ score }) => score.toFixed(3), alignRight: true },
  { name: "type", cell: ({ type }) => type },
  { name: "title", cell: ({ title }) => title, elastic: true }
]

/** Width of the plot in days, with one column per day. */
const plotDays = 60
const bars = "▁▂▃▄▅▆▇█"

/** One line per curve: the remaining recency day by day, the decay rate and the half-life in days. */
const plotOf = ({ decay, decays }: Tiers, { colours }: Output): string => {
  const types = [...Object.keys(decays).sort((a, b) => decays[a]! - decays[b]! || (a < b ? -1 : 1)), "all others"]
  const width = Math.max(...types.map(({ length }) => length))
  const line = (type: string): string => {
    const rate = decayOf(type, { decay, decays } as Parameters<typeof decayOf>[1])
    const curve = Array.from({ length: plotDays }, (_, day) => heightOf(remainingRecency(rate, day))).join("")
    const half = rate === 0 ? "never" : `${(Math.LN2 / rate).toFixed(1)} days`
    return `${type.padEnd(width)}  ${colours.cyan(curve)}  ${String(rate).padStart(5)}  half after ${half}`
  }
  const axis = Array.from({ length: plotDays / 10 }, (_, index) => String(index * 10).padEnd(10)).join("")
  return [
    colours.dim(`${"recency".padEnd(width)}  ${"by days since it was seen".padEnd(plotDays)}  decay`),
    ...types.map(line),
    colours.dim(`${"".padEnd(width)}  ${axis}`.trimEnd())
  ].join("\n")
}

const heightOf = (share: number): string =>
  share < 0.02 ? " " : bars[Math.min(bars.length - 1, Math.floor(share * bars.length))]!
