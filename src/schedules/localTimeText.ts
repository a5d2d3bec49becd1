import type { Cadence } from "../../events/Schedule.js"
import { makeClock } from "../../text/when/clock.js"
import { toIso } from "../../text/when/dates.js"

/** Formats an instant in the local time of a schedule's zone, to the second: `2026-03-29 03:30:00 Europe/Berlin`. */
export const localTimeText = (instant: number, cadence: Cadence): string => {
  const zone = cadence.kind === "cron" ? cadence.zone : "UTC"
  const local = toIso(makeClock(instant, zone).local(instant)).slice(0, 19).replace("T", " ")
  return zone === "UTC" ? `${local}Z` : `${local} ${zone}`
}
