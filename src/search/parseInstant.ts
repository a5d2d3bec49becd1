import { earliestInstant, toInstant } from "../../text/when/dates.js"
import { parseTimeRange, type TimeReference } from "./fields.js"

/**
 * Returns the instant that a text names, in milliseconds since the epoch; undefined if it names none. The text is an
 * ISO 8601 date or time, or a range in words ("last week", "3 days ago", "May 2025"). For a range, returns its
 * beginning, or its end if it has no beginning ("before May").
 */
export const parseInstant = (text: string, timeReference: TimeReference): number | undefined => {
  const instant = toInstant(text)
  if (instant !== undefined) return instant
  const range = parseTimeRange(text, timeReference)
  if (range === undefined) return undefined
  return range.from === earliestInstant ? range.to : range.from
}
