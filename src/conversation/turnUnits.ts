import type { Turn } from "../../events/Turn.js"

/**
 * Groups turns that only make sense together: the results of tools (role `tool`) belong to the turn that called them.
 * `turnOf` finds the turn of an entry.
 */
export const groupToolResults = <A>(
  entries: ReadonlyArray<A>,
  turnOf: (entry: A) => Pick<Turn, "role">
): ReadonlyArray<ReadonlyArray<A>> => {
  const units: Array<Array<A>> = []
  for (const entry of entries) {
    const last = units.at(-1)
    if (last !== undefined && turnOf(entry).role === "tool") last.push(entry)
    else units.push([entry])
  }
  return units
}
