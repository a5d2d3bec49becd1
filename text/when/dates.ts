const iso =
  /^(\d{4})-(\d{2})-(\d{2})(?:[T ](\d{2}):(\d{2})(?::(\d{2})(?:\.(\d{1,9}))?)?\s?(Z|[+-](?:[01]\d|2[0-3]):?[0-5]\d)?)?$/i

/** The range of the years 1 to 9999, in milliseconds since the epoch. */
export const earliestInstant = Date.parse("0001-01-01T00:00:00Z")
export const latestInstant = Date.parse("9999-12-31T23:59:59.999Z")

/**
 * Converts a number, a Date or an ISO 8601 date or time (UTC if it has no zone) to milliseconds since the epoch.
 * Undefined for anything else, including 30 February.
 */
export const toInstant = (value: unknown): number | undefined => {
  if (typeof value === "number") return ifInRange(value)
  if (value instanceof Date) return ifInRange(value.getTime())
  if (typeof value !== "string") return undefined
  const parts = iso.exec(value.trim())
  if (parts === null) return undefined
  const [year, month, day, hour, minute, second] = parts.slice(1, 7).map((part) => Number(part ?? 0)) as [
    number,
    number,
    number,
    number,
    number,
    number
  ]
  if (month < 1 || month > 12 || day < 1 || day > daysIn(year, month) || hour > 23 || minute > 59 || second > 59)
    return undefined
  const millis = Number((parts[7] ?? "").padEnd(3, "0").slice(0, 3))
  const date = new Date(0)
  date.setUTCFullYear(year, month - 1, day)
  date.setUTCHours(hour, minute, second, millis)
  return ifInRange(date.getTime() - offset(parts[8]))
}

/** Describes an ISO 8601 text whose day does not exist, such as 30 February; undefined for every other text. */
export const missingDayProblem = (value: string): string | undefined => {
  const [year, month, day] = (iso.exec(value.trim()) ?? []).slice(1, 4).map(Number)
  if (year === undefined || month === undefined || day === undefined || month < 1 || month > 12) return undefined
  const days = daysIn(year, month)
  return day > days ? `is a day that does not exist: its month has ${days} days` : undefined
}

/** The instant as ISO 8601 text in UTC. */
export const toIso = (instant: number): string => new Date(instant).toISOString()

/** The number of whole UTC days from one instant to a later one, never negative. */
export const daysBetween = (from: number, to: number): number => Math.max(0, dayOf(to) - dayOf(from))

const dayOf = (instant: number): number => Math.floor(instant / 86_400_000)

const ifInRange = (instant: number): number | undefined =>
  Number.isInteger(instant) && instant >= earliestInstant && instant <= latestInstant ? instant : undefined

const daysIn = (year: number, month: number): number => {
  const date = new Date(0)
  date.setUTCFullYear(year, month, 0)
  return date.getUTCDate()
}

const offset = (zone: string | undefined): number => {
  if (zone === undefined || zone.toUpperCase() === "Z") return 0
  const minutes = Number(zone.slice(1, 3)) * 60 + Number(zone.slice(-2))
  return (zone.startsWith("-") ? -1 : 1) * minutes * 60_000
}
