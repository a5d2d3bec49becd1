import { afterImages, type DaybookEvent } from "../../../events/catalogue.js"
import type { Removal } from "../../../events/erasure/remains.js"
import { embeddingText, type Memory } from "../../../events/Memory.js"
import type { ContentKind } from "./kinds.js"
import { fileKinds, isSourceSelected, type Selection } from "./selection.js"
import type { Subjects } from "./subjectSets.js"

/** A text in the log that an erasure would remove. Only dry runs report these texts. */
export interface HeldItem {
  readonly kind: ContentKind
  /** The version of the event that has the text. */
  readonly version: number
  /** The id of the memory, turn, file or schedule. */
  readonly id?: string
  /** The session of a turn, file, summary or scratchpad, or of the search. */
  readonly session?: string
  /**
   * The speaker of a turn, the path of a file, or the name of a run. For kind `names`, the column: `actor`, `cause` or
   * `commandId`.
   */
  readonly from?: string
  /** The fields of a memory that name the person, in the first version that has this text. */
  readonly fields?: ReadonlyArray<string>
  /**
   * Why the text is erased. `selected`: its id, session, source or agent was selected. `mention`: it names the person.
   * `derived`: it was made from erased content, quotes it, or has the same text.
   */
  readonly why: "selected" | "mention" | "derived"
  readonly text: string
}

/** The selection of an erasure, and the subjects that it concerns. */
export interface ErasureSubjects {
  readonly selection: Selection
  readonly subjects: Subjects
}

/**
 * The texts that an erasure removes from one event. A memory whose text changed has one item for each text; the caller
 * removes repeats.
 */
export const heldItemsOf = (
  event: DaybookEvent,
  removal: Removal,
  concerned: ErasureSubjects
): ReadonlyArray<HeldItem> => {
  const { version } = event
  const { subjects } = concerned
  /** `content` contains all parts of the item in which a name may occur. */
  const held = (item: Omit<HeldItem, "version" | "why">, content: unknown, source?: Source): HeldItem => ({
    ...{ ...item, version },
    why: whyOf(concerned, { ...item, content, source })
  })
  const parts = removal === "whole" ? undefined : removal
  const isNamed = (list: "items" | "recalls", index: number) =>
    parts === undefined || parts.lists?.[list]?.includes(index) === true
  switch (event.type) {
    case "ADD":
    case "UPDATE":
    case "DELETE":
    case "COMPRESS":
    case "ARCHIVE": {
      const memories = afterImages(event).flatMap(
        (image): ReadonlyArray<HeldItem> =>
          subjects.rows.has(image.born) ? [held(memoryItem(image, subjects), image, image.source)] : []
      )
      const input = "input" in event.payload && parts?.fields?.includes("input") ? event.payload.input : undefined
      return input === undefined
        ? memories
        : [
            ...memories,
            held({ kind: "requests", id: afterImages(event)[0]!.id, text: textsOf(input).join("\n") }, input)
          ]
    }
    case "TURN": {
      const { turn } = event.payload
      const { id, role, session, speaker = role, text, toolCalls = [] } = turn
      const whole = [text, ...textsOf(toolCalls)].join("\n")
      return [held({ kind: "turns", id, session, from: speaker, text: whole }, turn, { kind: "turn", name: id })]
    }
    case "FILE": {
      const { file } = event.payload
      const { id, path, session, text } = file
      const item = { kind: "files", id, ...(session === undefined ? {} : { session }), from: path, text } as const
      return [held(item, file, { kind: "file", name: path })]
    }
    case "SUMMARIZE": {
      const { session, summary, was } = event.payload
      const { decisions = [], open = [], outcome, request } = (parts === undefined ? summary : was) ?? {}
      const text = textsOf([request, outcome, decisions, open]).join("\n")
      return [held({ kind: "summaries", session, text }, [session, text])]
    }
    case "ROLL": {
      const { session, state, was } = event.payload
      const text = (parts === undefined ? state : was)?.text ?? ""
      return [held({ kind: "summaries", session, text }, [session, text])]
    }
    case "SCRATCHPAD": {
      const { scratchpad, session } = event.payload
      const items = (scratchpad?.items ?? []).filter((_, index) => isNamed("items", index))
      return [held({ kind: "scratchpads", session, text: items.join("\n") }, [session, items])]
    }
    case "RECALL":
      return event.payload.recalls.flatMap(
        ({ session, text }, index): ReadonlyArray<HeldItem> =>
          isNamed("recalls", index)
            ? [held({ kind: "queries", ...(session === undefined ? {} : { session }), text }, [session, text])]
            : []
      )
    case "SCHEDULE": {
      const { definition, schedule } = event.payload
      const { channel, context, goal, name } = definition ?? {}
      const text = textsOf([name, goal, context, channel]).join("\n")
      return [held({ kind: "schedules", id: schedule, text }, text)]
    }
    case "RUN": {
      const { error, name, output, summary } = event.payload
      const text = textsOf([summary, output, error]).join("\n")
      return [held({ kind: "runs", from: name, text }, [name, text])]
    }
    default:
      return []
  }
}

const memoryItem = (image: Memory, subjects: Subjects) => {
  const fields = Object.entries(image).flatMap(([field, value]) => (subjects.mentions(value) ? [field] : []))
  const item = { kind: "memories", id: image.id, text: embeddingText(image) } as const
  return fields.length === 0 ? item : { ...item, fields }
}

interface Source {
  readonly kind: string
  readonly name?: string | undefined
}

const whyOf = (
  { selection, subjects }: ErasureSubjects,
  {
    content,
    id = "",
    session,
    source
  }: Pick<HeldItem, "id" | "session"> & { readonly content: unknown; readonly source: Source | undefined }
): HeldItem["why"] => {
  switch (selection.kind) {
    case "agent":
      return "selected"
    case "person":
      return subjects.mentions(content) ? "mention" : "derived"
    case "memory":
      return selection.ids.has(id) ? "selected" : "derived"
    case "session":
      return session === selection.session ? "selected" : "derived"
    case "source":
      return source !== undefined && isNamed(selection, source) ? "selected" : "derived"
  }
}

/** A source `import:PATH` names the file of that path too. */
const isNamed = (selection: Extract<Selection, { readonly kind: "source" }>, source: Source): boolean =>
  isSourceSelected(selection, source) ||
  (source.kind === "file" && fileKinds.has(selection.source) && selection.key === source.name)

/** All strings in a value, at any depth. */
const textsOf = (value: unknown): ReadonlyArray<string> => {
  if (typeof value === "string") return [value]
  if (typeof value !== "object" || value === null) return []
  return Object.values(value).flatMap(textsOf)
}
