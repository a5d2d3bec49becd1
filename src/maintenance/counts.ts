import type { DecidedEvent } from "../actor/Command.js"
import type { Stage } from "./Stage.js"

/** How many memories were promoted, archived …, by what was done, as it is told of what a stage wrote. */
export const countsOf = (
  stage: Stage["name"],
  events: ReadonlyArray<Pick<DecidedEvent, "type" | "payload">>
): Readonly<Record<string, number>> => {
  const found = new Map<string, number>()
  const add = (what: string, number = 1) => found.set(what, (found.get(what) ?? 0) + number)
  for (const event of events as ReadonlyArray<DecidedEvent>) {
    if (event.type === "COMPRESS") {
      add("compressed", event.payload.sources.length)
      add("made")
    } else if (event.type === "ARCHIVE") add("archived", event.payload.memories.length)
    else if (event.type === "SUMMARIZE") add("summarized")
    else if (event.type === "DELETE") add("superseded")
    // What takes the place of something is only linked to it.
    else if (stage === "settle") continue
    else if (event.type === "UPDATE") {
      const { memory, reason } = event.payload
      if (reason === "promoted") add(promoted[stage] ?? reason)
      else if (reason === "aged") add(memory.narrative === undefined ? "dropped" : "shortened")
      else add(reason)
    }
  }
  return Object.fromEntries(order.flatMap((what) => (found.has(what) ? [[what, found.get(what)!]] : [])))
}

/** What a promotion is called where it is another one than from mid to long. */
const promoted: Partial<Record<Stage["name"], string>> = { daily: "kept", weekly: "core" }

const order = [
  "superseded",
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
