import { earliest, toInstant } from "../../text/when/dates.js"
import { type Asking, stretchOf } from "./fields.js"

/**
 * The instant that a text names, in milliseconds since the epoch: an ISO 8601
 * date or time, or the beginning of the stretch that its words say ("last week",
 * "3 days ago", "May 2025"; where that has none, its end), as `after:` and
 * `before:` in a query take them. Undefined where it names none.
 */
export const momentOf = (said: string, asking: Asking): number | undefined => {
  const at = toInstant(said)
  if (at !== undefined) return at
  const stretch = stretchOf(said, asking)
  if (stretch === undefined) return undefined
  return stretch.from === earliest ? stretch.to : stretch.from
}
