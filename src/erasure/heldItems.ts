import { type DaybookEvent, imagesOf } from "../../events/catalogue.js"
import type { Removal } from "../../events/erasure/remains.js"
import { embeddingText } from "../../events/Memory.js"
import type { Kind } from "./kinds.js"
import type { Subjects } from "./subjectSets.js"

/** A text that the log holds and that an erasure removes, in a dry run. */
export interface HeldItem {
  readonly kind: Kind
  /** The version of the event that has the text. */
  readonly version: number
  /** The id of the memory, turn, file or schedule. */
  readonly id?: string
  /** The session of a turn, file, summary or scratchpad, or of the search. */
  readonly session?: string
  /** The speaker of a turn, the path of a file, or the name of a run. */
  readonly from?: string
  readonly text: string
}

/**
 * The texts that go from one event. A memory whose text changed has one item for each text; the caller leaves out
 * repeats.
 */
export const heldItemsOf = (event: DaybookEvent, removal: Removal, subjects: Subjects): ReadonlyArray<HeldItem> => {
  const { version } = event
  const parts = removal === "whole" ? undefined : removal
  const isNamed = (list: "items" | "recalls", index: number) =>
    parts === undefined || parts.lists?.[list]?.includes(index) === true
  switch (event.type) {
    case "ADD":
    case "UPDATE":
    case "DELETE":
    case "COMPRESS":
    case "ARCHIVE": {
      const memories = imagesOf(event).flatMap(
        (image): ReadonlyArray<HeldItem> =>
          subjects.rows.has(image.born) ? [{ kind: "memories", version, id: image.id, text: embeddingText(image) }] : []
      )
      const input = "input" in event.payload && parts?.fields?.includes("input") ? event.payload.input : undefined
      return input === undefined
        ? memories
        : [...memories, { kind: "requests", version, id: imagesOf(event)[0]!.id, text: textsOf(input).join("\n") }]
    }
    case "TURN": {
      const { id, role, session, speaker = role, text, toolCalls = [] } = event.payload.turn
      return [{ kind: "turns", version, id, session, from: speaker, text: [text, ...textsOf(toolCalls)].join("\n") }]
    }
    case "FILE": {
      const { id, path, session, text } = event.payload.file
      return [{ kind: "files", version, id, ...(session === undefined ? {} : { session }), from: path, text }]
    }
    case "SUMMARIZE": {
      const { session, summary, was } = event.payload
      const { decisions = [], open = [], outcome, request } = (parts === undefined ? summary : was) ?? {}
      return [{ kind: "summaries", version, session, text: textsOf([request, outcome, decisions, open]).join("\n") }]
    }
    case "ROLL": {
      const { session, state, was } = event.payload
      return [{ kind: "summaries", version, session, text: (parts === undefined ? state : was)?.text ?? "" }]
    }
    case "SCRATCHPAD": {
      const { scratchpad, session } = event.payload
      const items = (scratchpad?.items ?? []).filter((_, index) => isNamed("items", index))
      return [{ kind: "scratchpads", version, session, text: items.join("\n") }]
    }
    case "RECALL":
      return event.payload.recalls.flatMap(
        ({ session, text }, index): ReadonlyArray<HeldItem> =>
          isNamed("recalls", index)
            ? [{ kind: "queries", version, ...(session === undefined ? {} : { session }), text }]
            : []
      )
    case "SCHEDULE": {
      const { definition, schedule } = event.payload
      const { channel, context, goal, name } = definition ?? {}
      return [{ kind: "schedules", version, id: schedule, text: textsOf([name, goal, context, channel]).join("\n") }]
    }
    case "RUN": {
      const { error, name, output, summary } = event.payload
      return [{ kind: "runs", version, from: name, text: textsOf([summary, output, error]).join("\n") }]
    }
    default:
      return []
  }
}

/** All strings in a value, at any depth. */
const textsOf = (value: unknown): ReadonlyArray<string> => {
  if (typeof value === "string") return [value]
  if (typeof value !== "object" || value === null) return []
  return Object.values(value).flatMap(textsOf)
}
