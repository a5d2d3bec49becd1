import type { FinalChecks, MonthReport, TimeSpent } from "./live.js"
import { missingReasons } from "./spoken.js"
import type { AttributeState } from "./truths.js"

/** Targets: the minimum share of truths in a profile, and the maximum duration of a year in milliseconds. */
export const targets = { held: 0.95, spoken: 0.8, took: 180_000 }

/** The head of the table. */
export const renderHead = (): string =>
  `${row(columns.map(([name]) => name))}\n${row(columns.map(([, width]) => "─".repeat(width)))}`

/** The table row of a month. */
export const renderMonth = ({ active, name, profile, told, took, truths }: MonthReport): string => {
  const currentCount = profile.held.filter(({ standing }) => standing === "held").length
  return row([
    name,
    String(told.memories),
    String(told.turns),
    String(active.memories),
    ...["core", "long", "mid", "daily"].map((tier) => String(active.byTier[tier] ?? 0)),
    String(active.fullest),
    String(Object.values(active.above).reduce((sum, times) => sum + times, 0)),
    `${currentCount}/${profile.held.length}`,
    String(profile.tokens),
    `${truths.told - truths.lost.length}/${truths.told}`,
    ...(["memories", "turns", "searches", "maintenance"] as const).map((what) => seconds(took[what]))
  ])
}

const columns: ReadonlyArray<readonly [name: string, width: number]> = [
  ["month", 7],
  ["memories", 8],
  ["turns", 5],
  ["active", 6],
  ["core", 4],
  ["long", 5],
  ["mid", 5],
  ["daily", 5],
  ["fullest", 7],
  ["above", 5],
  ["true", 6],
  ["tokens", 6],
  ["in log", 7],
  ["writes", 6],
  ["said", 6],
  ["reads", 6],
  ["nights", 6]
]

const row = (cells: ReadonlyArray<string>): string =>
  cells.map((cell, at) => (at === 0 ? cell.padEnd(columns[at]![1]) : cell.padStart(columns[at]![1]))).join("  ")

const seconds = (milliseconds: number): string => `${(milliseconds / 1_000).toFixed(1)} s`

/** The failures of a month, one line each. */
export const failuresOf = ({ active, name, profile, truths }: MonthReport): ReadonlyArray<string> => [
  ...Object.entries(active.above).map(([bound, times]) => `${name}: ${times} ${bound}`),
  ...(["contradicted", "outdated", "missing"] as const).flatMap((standing) => {
    const some = profile.held.filter((attribute) => attribute.standing === standing).map(({ name }) => name)
    return some.length === 0 ? [] : [`${name}: ${words[standing]}: ${some.join(", ")}`]
  }),
  ...missingReasons.flatMap((reason) => {
    const some = profile.rest.filter((entry) => entry.reason === reason).map(({ name }) => name)
    return some.length === 0 ? [] : [`${name}: ${reason}: ${some.join(", ")}`]
  }),
  ...(truths.lost.length === 0 ? [] : [`${name}: in no event: ${truths.lost.join(", ")}`])
]

const words: Readonly<Record<Exclude<AttributeState, "held">, string>> = {
  contradicted: "in the profile, and also an outdated value",
  outdated: "only an outdated value in the profile",
  missing: "not in the profile"
}

/** Compares the results with each target. */
export const judgeYear = (
  months: ReadonlyArray<MonthReport>,
  end: FinalChecks,
  took: number,
  isSpoken = false
): ReadonlyArray<Verdict> => {
  const share = isSpoken ? targets.spoken : targets.held
  const shares = months.map(({ profile }) => shareOf(profile.held.map(({ standing }) => standing)))
  const least = Math.min(...shares)
  const above = months.flatMap(({ active }) => Object.values(active.above)).reduce((sum, times) => sum + times, 0)
  const lost = months.at(-1)?.truths.lost.length ?? 0
  return [
    { what: "active memories over a policy limit, at any month's end", is: String(above), kept: above === 0 },
    {
      what: `truths in the profile, worst month (≥ ${100 * share} %)`,
      is: `${(100 * least).toFixed(1)} %`,
      kept: least >= share
    },
    { what: "truths that no event states", is: String(lost), kept: lost === 0 },
    { what: "a rebuild from the log yields the same view", is: end.same ? "yes" : "no", kept: end.same },
    { what: `the log of ${end.events} events is valid`, is: end.verified ? "yes" : "no", kept: end.verified },
    // A year that is replayed as turns has no target duration.
    ...(isSpoken
      ? []
      : [{ what: `total time (≤ ${targets.took / 1_000} s)`, is: seconds(took), kept: took <= targets.took }])
  ]
}

export interface Verdict {
  readonly what: string
  readonly is: string
  readonly kept: boolean
}

const shareOf = (standings: ReadonlyArray<AttributeState>): number =>
  standings.length === 0 ? 1 : standings.filter((standing) => standing === "held").length / standings.length

/** The verdicts and the time by kind of work, as lines; `cpu` is in milliseconds. */
export const renderEnding = (
  months: ReadonlyArray<MonthReport>,
  end: FinalChecks,
  cpu: number,
  results: ReadonlyArray<Verdict>
): string => {
  const sum = (what: keyof TimeSpent) => months.reduce((total, { took }) => total + took[what], 0)
  const parts = (["memories", "turns", "searches", "maintenance", "checks"] as const).map(
    (what) => `${what} ${seconds(sum(what))}`
  )
  const totals: Record<string, number> = {}
  for (const { done, outcomes } of months) {
    for (const [what, times] of [...Object.entries(outcomes), ...Object.entries(done)]) {
      totals[what] = (totals[what] ?? 0) + times
    }
  }
  const mean = shareOf(months.flatMap(({ profile }) => profile.held.map(({ standing }) => standing)))
  const rest = months.flatMap(({ profile }) => profile.rest)
  const why = missingReasons.flatMap((reason) => {
    const count = rest.filter((entry) => entry.reason === reason).length
    return count === 0 ? [] : [`${reason} ${count}`]
  })
  return [
    ...results.map(({ is, kept, what }) => `${kept ? "ok    " : "FAILED"}  ${what}: ${is}`),
    "",
    `truths in the profile, all months: ${(100 * mean).toFixed(1)} %`,
    ...(why.length === 0 ? [] : [`the rest, all months: ${why.join(", ")}`]),
    `totals: ${Object.entries(totals)
      .map(([what, times]) => `${what} ${times}`)
      .join(", ")}`,
    `time: ${parts.join(", ")}, replay ${seconds(end.took)}; ${seconds(cpu)} of CPU`
  ].join("\n")
}
