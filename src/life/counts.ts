import { imagesOf } from "../../events/catalogue.js"
import type { DecidedEvent } from "../commands/Command.js"
import type { Stage } from "./Stage.js"

/** What these events of a stage do, in the words in which the stage counts them: of a part of what was planned. */
export const countsOf = (
  stage: Stage["name"],
  events: ReadonlyArray<DecidedEvent>
): Readonly<Record<string, number>> => {
  const counts: Record<string, number> = {}
  const count = (what: string, number = 1): void => {
    counts[what] = (counts[what] ?? 0) + number
  }
  for (const event of events) {
    if (event.type === "ARCHIVE") count("archived", event.payload.memories.length)
    else if (event.type === "SUMMARIZE") count("summarized")
    else if (event.type === "COMPRESS") {
      count("compressed", event.payload.sources.length)
      count("made")
    } else if (event.type === "UPDATE") {
      const { memory, reason } = event.payload
      if (reason === "promoted") count(raised[stage] ?? reason)
      else if (reason === "aged") count(memory.narrative === undefined ? "dropped" : "shortened")
      else count(reason)
    } else count("changed", imagesOf(event as never).length)
  }
  return counts
}

/** What stages call it that a memory gets a higher tier. */
const raised: Partial<Record<Stage["name"], string>> = { daily: "kept", weekly: "core" }
