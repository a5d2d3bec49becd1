import * as Cron from "effect/Cron"
import * as Either from "effect/Either"
import type { Cadence } from "../../events/Schedule.js"
import { type Clock, clockOf, hour } from "../../text/when/clock.js"

/**
 * The first instant after another at which something is due; null where there is none.
 *
 * A cron expression is matched against what the clocks of its zone show. Where they are put forward, what falls into
 * the hour that is left out is done as much later as is left out. Where they are put back, what is to be done in every
 * hour is done in both of the hours that look alike, anything else in the first of them alone.
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

/** What is wrong with a cron expression; undefined where nothing is. */
export const problemOfCron = (expression: string): string | undefined => {
  const fields = fieldsOf(expression)
  if (fields.length !== 5 && fields.length !== 6) {
    return "must be five or six fields: [second] minute hour day month weekday, such as 30 9 * * mon-fri"
  }
  const cron = parsed(expression)
  if (cron === undefined) {
    const first = ranges.length - fields.length
    const [name, range] = ranges.find((_, at) => at >= first && !isField(fields[at - first]!, at)) ?? ["", ""]
    return `${name} must be ${range}, *, or a list, range or step of these, such as 1,3, 1-3 or */2`
  }
  return nextShown(cron, 0) === null ? "names no day that there is" : undefined
}

/** The fields of an expression and what each may be. */
const ranges = [
  ["second", "0 to 59"],
  ["minute", "0 to 59"],
  ["hour", "0 to 23"],
  ["day", "1 to 31"],
  ["month", "1 to 12 or jan to dec"],
  ["weekday", "0 to 7 or sun to sat"]
] as const

/** An expression without blanks that say nothing, cut into its fields. */
export const fieldsOf = (expression: string): ReadonlyArray<string> =>
  expression.split(/\s+/).filter((field) => field !== "")

/** Whether a field can stand at its place, of six. */
const isField = (field: string, place: number): boolean =>
  Either.isRight(Cron.parse(ranges.map((_, at) => (at === place ? field : "*")).join(" ")))

/** The least time between two of the next occurrences. */
export const leastGap = (cadence: Cadence, after: number): number => {
  if (cadence.kind === "once") return Number.POSITIVE_INFINITY
  if (cadence.kind === "interval") return cadence.every
  let least = Number.POSITIVE_INFINITY
  let last = nextAfter(cadence, after)
  for (let looked = 0; looked < lookedAt && last !== null; looked++) {
    const next = nextAfter(cadence, last)
    if (next !== null) least = Math.min(least, next - last)
    last = next
  }
  return least
}

/** Occurrences that are looked at to tell how often something is due: more than an hour has minutes. */
const lookedAt = 100

const parsed = (expression: string): Cron.Cron | undefined => {
  const known = expressions.get(expression)
  if (known !== undefined) return known
  // UTC: what the clocks of other zones show is written as the instant at which UTC's show it.
  const cron = Either.getOrUndefined(Cron.parse(expression, "UTC"))
  if (cron === undefined) return undefined
  if (expressions.size >= 1_000) expressions.clear()
  expressions.set(expression, cron)
  return cron
}

/** Reading an expression costs more than using it. */
const expressions = new Map<string, Cron.Cron>()

/** The next time that clocks show and that an expression matches. */
const nextShown = (cron: Cron.Cron, shown: number): number | null => {
  try {
    return Cron.next(cron, new Date(shown)).getTime()
  } catch {
    // It gives up after ten thousand steps.
    return null
  }
}

const nextOfCron = (expression: string, zone: string, after: number): number | null => {
  const cron = parsed(expression)
  if (cron === undefined) return null
  if (zone === "UTC") return nextShown(cron, after)
  const clock = clockOf(after, zone)
  const everyHour = cron.hours.size === 0 || cron.hours.size === 24
  return everyHour ? nextAsTimePasses(cron, clock, after) : nextAsShown(cron, clock, after)
}

/** Of what is due in every hour: time passes evenly, whatever the clocks show. */
const nextAsTimePasses = (cron: Cron.Cron, { local }: Clock, after: number): number | null => {
  let from = after
  for (let changes = 0; changes < 100; changes++) {
    const offset = local(from) - from
    const shown = nextShown(cron, from + offset)
    if (shown === null) return null
    const change = changeBetween(local, from, shown - offset)
    if (change === undefined) return shown - offset
    // What the clocks show is another thing from there on; the very instant of the change counts.
    const first = nextShown(cron, local(change) - second)
    if (first !== null && first === local(change)) return change
    from = change
  }
  return null
}

/** Of what is due at certain hours: each time that clocks show is one instant. */
const nextAsShown = (cron: Cron.Cron, { at, local }: Clock, after: number): number | null => {
  const instantOf = (shown: number): number => {
    const day = new Date(shown)
    return at(day.getUTCFullYear(), day.getUTCMonth() + 1, day.getUTCDate(), shown % (24 * hour))
  }
  // What was left out less than so long ago may still be due.
  let shown = nextShown(cron, Math.min(local(after), local(after - longestGap) + longestGap) - second)
  let found: number | null = null
  for (let looked = 0; shown !== null && looked < 10_000; looked++) {
    const instant = instantOf(shown)
    if (Number.isNaN(instant)) return found
    if (instant > after && (found === null || instant < found)) found = instant
    // What comes next in the zone is never earlier, unless this one was put off because the clocks leave it out.
    if (found !== null && local(instant) === shown) return found
    shown = nextShown(cron, shown)
  }
  return found
}

/** The first instant in (from, to] at which the clocks differ from UTC by another length than at `from`. */
const changeBetween = (local: Clock["local"], from: number, to: number): number | undefined => {
  const offset = local(from) - from
  const differs = (instant: number) => local(instant) - instant !== offset
  // Day by day: a change that is taken back within a longer stretch would not be seen.
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
/** No zone puts its clocks forward by more, but where it changes sides of the date line. */
const longestGap = 3 * hour
const longestStep = 14 * 24 * hour
