import * as Effect from "effect/Effect"
import type { Tiers } from "../../src/maintenance/tiers.js"
import { decayOf, retention } from "../../src/search/score.js"
import { type AsOfOptions, asOfOption, flag, option, wholeNumber } from "../options.js"
import type { Output } from "../output.js"
import { type Column, table } from "../table.js"
import type { Command } from "./Command.js"

interface TiersCall extends AsOfOptions {
  readonly limit?: number
  readonly plot?: boolean
}

export const tiers: Command<TiersCall> = {
  usage: "tiers",
  summary: "show how many memories each tier holds, with scores",
  operator: true,
  options: [
    option("--limit <n>", "list the n best memories (default: 10)", wholeNumber(0, 1_000)),
    flag("--plot", "plot how recency decays with age, one curve per type"),
    asOfOption
  ],
  examples: ["tiers", "tiers --plot"],
  run: ({ out, reader }, { asOf, limit, plot }) =>
    Effect.gen(function* () {
      const memory = yield* reader(asOf)
      const found = yield* memory.maintenance.tiers({ limit })
      yield* out.show(found, async () =>
        [
          await table(out, Object.entries(found.byTier), standingColumns("tier")),
          "",
          await table(out, Object.entries(found.byType), standingColumns("type")),
          ...(found.best.length === 0 ? [] : ["", await table<Tiers["best"][number]>(out, found.best, bestColumns)]),
          ...(plot === true ? ["", plotOf(found, out)] : [])
        ].join("\n")
      )
    })
}

type Standing = Tiers["all"]

const standingColumns = (name: string): ReadonlyArray<Column<readonly [string, Standing]>> => [
  { name, of: ([tier]) => tier },
  { name: "memories", of: ([, { memories }]) => memories, right: true },
  { name: "mean score", of: ([, { memories, score }]) => (memories === 0 ? "" : score.toFixed(3)), right: true },
  { name: "mean days since seen", of: ([, { days, memories }]) => (memories === 0 ? "" : days.toFixed(1)), right: true }
]

const bestColumns: ReadonlyArray<Column<Tiers["best"][number]>> = [
  { name: "id", of: ({ id }) => id, colour: "cyan" },
  { name: "score", of: ({ score }) => score.toFixed(3), right: true },
  { name: "type", of: ({ type }) => type },
  { name: "title", of: ({ title }) => title, elastic: true }
]

/** Width of the plot in days, one column each. */
const plotDays = 60
const bars = "▁▂▃▄▅▆▇█"

/** One line per curve: the remaining share day by day, the decay rate and the half-life in days. */
const plotOf = ({ decay, decays }: Tiers, { colours }: Output): string => {
  const types = [...Object.keys(decays).sort((a, b) => decays[a]! - decays[b]! || (a < b ? -1 : 1)), "all others"]
  const width = Math.max(...types.map(({ length }) => length))
  const line = (type: string): string => {
    const rate = decayOf(type, { decay, decays } as Parameters<typeof decayOf>[1])
    const curve = Array.from({ length: plotDays }, (_, day) => heightOf(retention(rate, day))).join("")
    const half = rate === 0 ? "never" : `${(Math.LN2 / rate).toFixed(1)} days`
    return `${type.padEnd(width)}  ${colours.cyan(curve)}  ${String(rate).padStart(5)}  half after ${half}`
  }
  const axis = Array.from({ length: plotDays / 10 }, (_, at) => String(at * 10).padEnd(10)).join("")
  return [
    colours.dim(`${"recency".padEnd(width)}  ${"by days since it was seen".padEnd(plotDays)}  decay`),
    ...types.map(line),
    colours.dim(`${"".padEnd(width)}  ${axis}`.trimEnd())
  ].join("\n")
}

const heightOf = (share: number): string =>
  share < 0.02 ? " " : bars[Math.min(bars.length - 1, Math.floor(share * bars.length))]!
