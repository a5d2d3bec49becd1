import type { DecidedEvent } from "../actor/Command.js"
import type { Stage } from "./Stage.js"

/** Counts the memories that a stage's events change, by action: promoted, archived … */
export const countActions = (
  stage: Stage["name"],
  events: ReadonlyArray<Pick<DecidedEvent, "type" | "payload">>
): Readonly<Record<string, number>> => {
  const counts = new Map<string, number>()
  const add = (action: string, count = 1) => counts.set(action, (counts.get(action) ?? 0) + count)
  for (const event of events as ReadonlyArray<DecidedEvent>) {
    if (event.type === "COMPRESS") {
      add("compressed", event.payload.sources.length)
      add("made")
    } else if (event.type === "ARCHIVE") add("archived", event.payload.memories.length)
    else if (event.type === "SUMMARIZE") add("summarized")
    else if (event.type === "DELETE") add("superseded")
    // Stage `settle` updates the successor of a superseded memory only to link the two. This update is not counted.
    else if (stage === "settle" && !(event.type === "UPDATE" && event.payload.reason === "disputed")) continue
    else if (event.type === "UPDATE") {
      const { memory, reason } = event.payload
      if (reason === "promoted") add(promotionNames[stage] ?? reason)
      else if (reason === "aged") add(memory.narrative === undefined ? "dropped" : "shortened")
      else add(reason)
    }
  }
  return Object.fromEntries(order.flatMap((action) => (counts.has(action) ? [[action, counts.get(action)!]] : [])))
}

/** Action names for promotions by these stages. Promotions by other stages are counted as `promoted`. */
const promotionNames: Partial<Record<Stage["name"], string>> = { daily: "kept", weekly: "core" }

const order = [
  "superseded",
  "disputed",
  "promoted",
  "core",
  "compressed",
  "made",
  "kept",
  "archived",
  "expired",
  "demoted",
  "shortened",
  "dropped",
  "summarized"
]
