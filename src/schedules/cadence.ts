import * as Cron from "effect/Cron"
import * as Either from "effect/Either"
import type { Cadence } from "../../events/Schedule.js"
import { type Clock, hour, makeClock } from "../../text/when/clock.js"

/**
 * Returns the first occurrence after an instant; null if there is none.
 *
 * A cron expression matches the local time of its zone. When clocks go forward, an occurrence in the skipped hour runs
 * later by the skipped time. When clocks go back, an hourly schedule runs in both repeated hours; any other schedule
 * runs in the first only.
 */
export const nextAfter = (cadence: Cadence, after: number): number | null => {
  switch (cadence.kind) {
    case "once":
      return cadence.at > after ? cadence.at : null
    case "interval": {
      const { every, from } = cadence
      return after < from ? from : from + (Math.floor((after - from) / every) + 1) * every
    }
    case "cron":
      return nextOfCron(cadence.expression, cadence.zone, after)
  }
}

/** Returns the problem of a cron expression; undefined for a valid one. */
export const findCronProblem = (expression: string): string | undefined => {
  const fields = fieldsOf(expression)
  if (fields.length !== 5 && fields.length !== 6) {
    return "must have five or six fields: [second] minute hour day month weekday, such as 30 9 * * mon-fri"
  }
  const cron = parsed(expression)
  if (cron === undefined) {
    const first = ranges.length - fields.length
    const [name, range] = ranges.find((_, index) => index >= first && !isField(fields[index - first]!, index)) ?? [
      "",
      ""
    ]
    return `has an invalid ${name}, which must be ${range}, *, or a list, range or step of these values, such as "1,3", "1-3" or "*/2"`
  }
  return nextShown(cron, 0) === null ? "contains a day that never occurs" : undefined
}

/** The fields of a cron expression and their allowed values. */
const ranges = [
  ["second", "0 to 59"],
  ["minute", "0 to 59"],
  ["hour", "0 to 23"],
  ["day", "1 to 31"],
  ["month", "1 to 12 or jan to dec"],
  ["weekday", "0 to 7 or sun to sat"]
] as const

/** The fields of an expression, without extra blanks. */
export const fieldsOf = (expression: string): ReadonlyArray<string> =>
  expression.split(/\s+/).filter((field) => field !== "")

/** Returns true if a field is valid at its index among the six fields. */
const isField = (field: string, index: number): boolean =>
  Either.isRight(Cron.parse(ranges.map((_, position) => (position === index ? field : "*")).join(" ")))

/**
 * Returns the shortest time between consecutive occurrences, in milliseconds. Checks the next `maxOccurrences`
 * occurrences.
 */
export const shortestGapMillis = (cadence: Cadence, after: number): number => {
  if (cadence.kind === "once") return Number.POSITIVE_INFINITY
  if (cadence.kind === "interval") return cadence.every
  let minGap = Number.POSITIVE_INFINITY
  let last = nextAfter(cadence, after)
  for (let checkedCount = 0; checkedCount < maxOccurrences && last !== null; checkedCount++) {
    const next = nextAfter(cadence, last)
    if (next !== null) minGap = Math.min(minGap, next - last)
    last = next
  }
  return minGap
}

/** Maximum occurrences to compare: more than an hour of a schedule that runs every minute. */
const maxOccurrences = 100

const parsed = (expression: string): Cron.Cron | undefined => {
  const cached = expressions.get(expression)
  if (cached !== undefined) return cached
  // The parser uses UTC. Callers pass a local time as the instant that has this time in UTC.
  const cron = Either.getOrUndefined(Cron.parse(expression, "UTC"))
  if (cron === undefined) return undefined
  if (expressions.size >= 1_000) expressions.clear()
  expressions.set(expression, cron)
  return cron
}

/** A cache, because parsing an expression costs more than using it. */
const expressions = new Map<string, Cron.Cron>()

/** The next local time that an expression matches, as the instant that has this time in UTC. */
const nextShown = (cron: Cron.Cron, localTime: number): number | null => {
  try {
    return Cron.next(cron, new Date(localTime)).getTime()
  } catch {
    // Cron.next throws after ten thousand steps.
    return null
  }
}

const nextOfCron = (expression: string, zone: string, after: number): number | null => {
  const cron = parsed(expression)
  if (cron === undefined) return null
  if (zone === "UTC") return nextShown(cron, after)
  const clock = makeClock(after, zone)
  const everyHour = cron.hours.size === 0 || cron.hours.size === 24
  return everyHour ? nextByElapsedTime(cron, clock, after) : nextByLocalTime(cron, clock, after)
}

/** The next occurrence of an hourly schedule. Follows elapsed time across clock changes. */
const nextByElapsedTime = (cron: Cron.Cron, { local }: Clock, after: number): number | null => {
  let from = after
  for (let changes = 0; changes < 100; changes++) {
    const offset = local(from) - from
    const localTime = nextShown(cron, from + offset)
    if (localTime === null) return null
    const change = changeBetween(local, from, localTime - offset)
    if (change === undefined) return localTime - offset
    // After the clock change, local times differ. The instant of the change itself may match.
    const first = nextShown(cron, local(change) - second)
    if (first !== null && first === local(change)) return change
    from = change
  }
  return null
}

/** The next occurrence of a schedule at certain hours. Each local time happens once. */
const nextByLocalTime = (cron: Cron.Cron, { instantAt, local }: Clock, after: number): number | null => {
  const instantOf = (localTime: number): number => {
    const day = new Date(localTime)
    return instantAt(day.getUTCFullYear(), day.getUTCMonth() + 1, day.getUTCDate(), localTime % (24 * hour))
  }
  // An occurrence in a skipped hour may still be due, so start before that hour.
  let localTime = nextShown(cron, Math.min(local(after), local(after - longestGap) + longestGap) - second)
  let earliest: number | null = null
  for (let checkedCount = 0; localTime !== null && checkedCount < 10_000; checkedCount++) {
    const instant = instantOf(localTime)
    if (Number.isNaN(instant)) return earliest
    if (instant > after && (earliest === null || instant < earliest)) earliest = instant
    // Later local times give later instants, except for a time that was moved out of a skipped hour.
    if (earliest !== null && local(instant) === localTime) return earliest
    localTime = nextShown(cron, localTime)
  }
  return earliest
}

/** The first instant in (from, to] whose UTC offset differs from that of `from`. */
const changeBetween = (local: Clock["local"], from: number, to: number): number | undefined => {
  const offset = local(from) - from
  const differs = (instant: number) => local(instant) - instant !== offset
  // Searches in steps, because a single large step would miss a change and its reversal.
  for (let before = from; before < to; before += longestStep) {
    let [low, high] = [before, Math.min(before + longestStep, to)]
    if (!differs(high)) continue
    while (high - low > 1) {
      const middle = Math.floor((low + high) / 2)
      if (differs(middle)) high = middle
      else low = middle
    }
    return high
  }
  return undefined
}

const second = 1_000
/** The most milliseconds that a zone skips at a clock change, unless it crosses the date line. */
const longestGap = 3 * hour
const longestStep = 14 * 24 * hour
