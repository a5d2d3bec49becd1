import type { ReplayedEvent } from "../../events/Chain.js"
import { type Mentions, mentionsOfAny } from "./mentions.js"
import type { Selection } from "./selection.js"

/** Events with a name in a column that the hash chain covers, so that an erasure cannot empty it. */
export interface Leftover {
  readonly agent: string
  /** `agent`: the agent's own name, in all its events. */
  readonly column: "agent" | "actor" | "cause" | "command id"
  readonly events: number
}

/** Distinct values whose result is kept. Most columns repeat a few values. */
const maxKnown = 10_000

/** Counts the events that keep the name of a selected person or session. Other selections have no name to look for. */
export const makeLeftovers = (agent: string, selection: Selection) => {
  const mentions = namesOf(selection)
  const counts: Record<Leftover["column"], number> = { agent: 0, actor: 0, cause: 0, "command id": 0 }
  const known = new Map<string, boolean>()
  const isNamed = (value: string | null): boolean => {
    if (mentions === undefined || value === null) return false
    if (known.size > maxKnown) known.clear()
    const result = known.get(value) ?? mentions(value)
    known.set(value, result)
    return result
  }
  return {
    add: ({ actor, cause, commandId }: ReplayedEvent) => {
      if (isNamed(agent)) counts.agent++
      if (isNamed(actor)) counts.actor++
      if (isNamed(cause)) counts.cause++
      if (isNamed(commandId)) counts["command id"]++
    },
    finish: (): ReadonlyArray<Leftover> =>
      (Object.keys(counts) as ReadonlyArray<Leftover["column"]>).flatMap((column) =>
        counts[column] === 0 ? [] : [{ agent, column, events: counts[column] }]
      )
  }
}

const namesOf = (selection: Selection): Mentions | undefined => {
  if (selection.kind === "person") return mentionsOfAny(selection.persons)
  return selection.kind === "session" && /[\p{L}\p{N}]/u.test(selection.session)
    ? mentionsOfAny([selection.session])
    : undefined
}
