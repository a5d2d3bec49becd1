import type { DayRange, Value } from "./Value.js"

/**
 * The relation of a second value to a first one: equal, more exact ("finer"), less exact ("coarser"), another value of
 * the same attribute ("differs"), or not comparable ("apart").
 */
export type ValueRelation = "equal" | "finer" | "coarser" | "differs" | "apart"

/** True if a relative date means another day in the second text: "tomorrow", said again a month later. */
export const meansOtherDays = (a: ReadonlyArray<Value>, b: ReadonlyArray<Value>): boolean =>
  a.some((x, index) => {
    const y = b[index]
    return x.isRelative === true && y?.isRelative === true && dayRelation(x, y) === "differs"
  })

const ranks: ReadonlyArray<ValueRelation> = ["equal", "finer", "coarser", "differs", "apart"]

/** The relation of `b` to `a`. If they have several readings, the closest relation of any two readings. */
export const compareValues = (a: Value, b: Value): ValueRelation => {
  let best = relationOfReadings(a, b)
  if (a.others === undefined && b.others === undefined) return best
  for (const x of [a, ...(a.others ?? [])])
    for (const y of [b, ...(b.others ?? [])]) {
      const relation = relationOfReadings(x, y)
      if (ranks.indexOf(relation) < ranks.indexOf(best)) best = relation
    }
  return best
}

const relationOfReadings = (a: Value, b: Value): ValueRelation => {
  if (a.kind === "day" && b.kind === "day") return dayRelation(a, b)
  if (a.kind === "clock" && b.kind === "clock") return a.amount === b.amount ? "equal" : "differs"
  if (a.kind === "version" || b.kind === "version")
    return /^(?:version|quantity)$/.test(a.kind) && /^(?:version|quantity)$/.test(b.kind)
      ? versionRelation(a.parts ?? [], b.parts ?? [])
      : "apart"
  if (a.kind !== "quantity" || b.kind !== "quantity") return "apart"
  return quantityRelation(a, b)
}

const quantityRelation = (a: Value, b: Value): ValueRelation => {
  if (a.unit !== b.unit && a.unit !== "" && b.unit !== "")
    return a.unit!.startsWith("money") && b.unit!.startsWith("money") ? "differs" : "apart"
  if (a.upTo !== undefined || b.upTo !== undefined) return rangeRelation(a, b)
  const [x, y] = [a.amount!, b.amount!]
  if (isClose(x, y, 1e-9)) return "equal"
  // A converted amount is rounded in one of the units.
  const [stepA, stepB] = [a.step ?? 0, b.step ?? 0]
  if (a.unit !== "" && b.unit !== "" && !isSameScale(stepA, stepB)) {
    if (Math.abs(x - y) <= Math.min(stepA, stepB) / 2 + 1e-9 * Math.abs(x) && isClose(x, y, maxRounding)) return "equal"
    if (Math.abs(x - y) <= Math.max(stepA, stepB) / 2 && isClose(x, y, maxRounding)) return "equal"
  }
  if ((a.isApproximate === true || b.isApproximate === true) && isClose(x, y, tolerance))
    return a.isApproximate === b.isApproximate ? "equal" : a.isApproximate === true ? "finer" : "coarser"
  if (a.bound !== b.bound && (satisfies(a, b) || satisfies(b, a))) return b.bound === undefined ? "finer" : "coarser"
  // Numbers after the same name may be versions: Node 20, Node 20.11.
  if (a.parts !== undefined && b.parts !== undefined && a.head !== undefined && a.head === b.head)
    return versionRelation(a.parts, b.parts)
  return "differs"
}

/** True if the steps of two amounts differ by a power of ten, as in one unit or in metric units. */
const isSameScale = (a: number, b: number): boolean => {
  const power = Math.log10(a / b)
  return Math.abs(power - Math.round(power)) < 1e-9
}
/** Maximum difference between equal amounts in two units, as a fraction. */
const maxRounding = 0.02

const rangeRelation = (a: Value, b: Value): ValueRelation => {
  const [x, y] = [
    [a.amount!, a.upTo ?? a.amount!],
    [b.amount!, b.upTo ?? b.amount!]
  ] as const
  if (isClose(x[0], y[0], maxRounding) && isClose(x[1], y[1], maxRounding)) return "equal"
  if (y[0] >= x[0] && y[1] <= x[1]) return "finer"
  return x[0] >= y[0] && x[1] <= y[1] ? "coarser" : "differs"
}

/** True if an exact amount satisfies a bound and is close to it: "over 300" and 318. */
const satisfies = ({ amount: limit, bound }: Value, { amount, bound: ownBound }: Value): boolean =>
  ownBound === undefined &&
  ((bound === "least" && amount! >= limit! && amount! <= limit! * maxRatio) ||
    (bound === "most" && amount! <= limit! && amount! >= limit! / maxRatio))
const maxRatio = 1.5

/** The tolerance of "about", as a fraction of the amount. */
const tolerance = 0.1
const isClose = (a: number, b: number, share: number) => Math.abs(a - b) <= share * Math.max(Math.abs(a), Math.abs(b))

const versionRelation = (a: ReadonlyArray<string>, b: ReadonlyArray<string>): ValueRelation => {
  const shared = Math.min(a.length, b.length)
  if (shared === 0) return "apart"
  for (let index = 0; index < shared; index++) if (a[index] !== b[index]) return "differs"
  return a.length === b.length ? "equal" : a.length < b.length ? "finer" : "coarser"
}

const fields = ["year", "quarter", "month", "day", "week", "weekday"] as const

/**
 * If one of the dates depends on the time of its statement, compares the days that both mean. Otherwise, compares the
 * fields that both name.
 */
const dayRelation = (a: Value, b: Value): ValueRelation => {
  if (a.days !== undefined && b.days !== undefined) {
    if (a.isRelative === true || b.isRelative === true) return daysRelation(a.days, b.days)
    // A year or a weekday that one side leaves out changes nothing if both mean the same day.
    if (a.day !== undefined && b.day !== undefined && a.days[0] === b.days[0]) return "equal"
  }
  let shared = 0
  let finer = 0
  let coarser = 0
  for (const field of fields) {
    const [x, y] = [a[field], b[field]]
    if (x !== undefined && y !== undefined) {
      if (x !== y) return "differs"
      shared++
    } else if (y !== undefined) finer++
    else if (x !== undefined) coarser++
  }
  if (shared === 0) return a.days !== undefined && b.days !== undefined ? daysRelation(a.days, b.days) : "apart"
  return finer > 0 && coarser === 0 ? "finer" : coarser > 0 && finer === 0 ? "coarser" : "equal"
}

const daysRelation = ([from, until]: DayRange, [otherFrom, otherUntil]: DayRange): ValueRelation => {
  if (from === otherFrom && until === otherUntil) return "equal"
  if (otherFrom >= from && otherUntil <= until) return "finer"
  return from >= otherFrom && until <= otherUntil ? "coarser" : "differs"
}
