import { makeClock } from "../../text/when/clock.js"
import type { MaintenancePolicy } from "../ports/policy/maintenance.js"

// Days and weeks of the engine's own jobs, in the policy's time zone (`maintenance.zone`).

type Zone = Pick<MaintenancePolicy["maintenance"], "zone">

/** The first instant of the day that contains an instant. Milliseconds since the epoch. */
export const startOfDay = (instant: number, { zone }: Zone): number => startOfDayBefore(instant, zone, 0)

/**
 * The start of the week that contains an instant. Weeks begin on the policy's weekday. Milliseconds since the epoch.
 */
export const startOfWeek = (
  instant: number,
  { weekday, zone }: Zone & Pick<MaintenancePolicy["maintenance"], "weekday">
) => {
  const current = new Date(makeClock(instant, zone).local(instant)).getUTCDay()
  return startOfDayBefore(instant, zone, (current - weekdays.indexOf(weekday) + 7) % 7)
}

/** The day that contains an instant, such as 2026-03-14. */
export const dayOf = (instant: number, { zone }: Zone): string =>
  new Date(makeClock(instant, zone).local(instant)).toISOString().slice(0, 10)

/** Weekdays in the order of `Date.getUTCDay`. */
export const weekdays = ["sunday", "monday", "tuesday", "wednesday", "thursday", "friday", "saturday"] as const

const startOfDayBefore = (instant: number, zone: string, days: number): number => {
  const clock = makeClock(instant, zone)
  return clock.instantAt(clock.year, clock.month, clock.day - days)
}
