import { clockOf } from "../../text/when/clock.js"
import type { LifePolicy } from "../ports/policy/life.js"

// Days and weeks of the engine's own jobs, in the zone of the policy (`maintenance.zone`).

type Zone = Pick<LifePolicy["maintenance"], "zone">

/** The first instant of the day that an instant lies in, milliseconds since the epoch. */
export const startOfDay = (instant: number, { zone }: Zone): number => dayBehind(instant, zone, 0)

/** The first instant of the policy's weekday, that day or the last one before it. */
export const startOfWeek = (instant: number, { weekday, zone }: Zone & Pick<LifePolicy["maintenance"], "weekday">) => {
  const shown = new Date(clockOf(instant, zone).local(instant)).getUTCDay()
  return dayBehind(instant, zone, (shown - weekdays.indexOf(weekday) + 7) % 7)
}

/** The day that an instant lies in, as 2026-03-14. */
export const dayOf = (instant: number, { zone }: Zone): string =>
  new Date(clockOf(instant, zone).local(instant)).toISOString().slice(0, 10)

/** Weekdays as `Date` counts them. */
export const weekdays = ["sunday", "monday", "tuesday", "wednesday", "thursday", "friday", "saturday"] as const

const dayBehind = (instant: number, zone: string, days: number): number => {
  const clock = clockOf(instant, zone)
  return clock.at(clock.year, clock.month, clock.day - days)
}
