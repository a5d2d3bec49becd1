import { afterImages, type DaybookEvent } from "../../../events/catalogue.js"
import type { Removal } from "../../../events/erasure/remains.js"
import type { Memory } from "../../../events/Memory.js"
import { type ErasureSubjects, type HeldItem, heldItemsOf } from "./heldItems.js"
import { type ContentKind, contentKinds } from "./kinds.js"
import type { NamedEvent } from "./namedColumns.js"

export type { HeldItem } from "./heldItems.js"
export type { ContentKind } from "./kinds.js"

/** A memory in a plan. */
export interface NamedMemory {
  readonly id: string
  readonly title: string
}

/** The effects of an erasure on one agent. */
export interface AgentErasure {
  readonly agent: string
  /** Events that lose their payload or a name. */
  readonly events: number
  /** Number of these events of which a part remains. */
  readonly remains: number
  readonly counts: Readonly<Record<ContentKind, number>>
  /** The memories to erase, oldest first. */
  readonly memories: ReadonlyArray<NamedMemory>
  /** The memories that stay, but lose the text that an erased source had added. */
  readonly changed: ReadonlyArray<NamedMemory>
  /** The ids of memories that stay retired, although the memory that replaced or merged them is erased. */
  readonly retired: ReadonlyArray<string>
  /** The ids of retired memories that are active again (`revive`). */
  readonly revived: ReadonlyArray<string>
  /** The run of the events that revived them, for `undo`; absent if there are none. */
  readonly run?: string
  /** Turns and files that stay, although erased memories were made from them. They may contain the same information. */
  readonly sources: ReadonlyArray<{ readonly kind: "turn" | "file"; readonly id: string }>
  /** Every text to erase, in the order of the log. Empty if it is not a dry run. */
  readonly items: ReadonlyArray<HeldItem>
}

/**
 * Collects the report of one agent's erasure, event by event. It includes the erased texts if `hasItems` is true. It is
 * long, because each kind of content has its own case.
 */
export const makeReport = (agent: string, concerned: ErasureSubjects, hasItems: boolean) => {
  const { subjects } = concerned
  const items = new Map<string, HeldItem>()
  const counts = Object.fromEntries(contentKinds.map((kind) => [kind, 0])) as Record<ContentKind, number>
  const memories = new Map<number, Memory>()
  const changed = new Map<number, Memory>()
  const retired = new Set<string>()
  const sources = new Map<string, { readonly kind: "turn" | "file"; readonly id: string }>()
  let events = 0
  let remains = 0
  const addImage = (image: Memory) => {
    memories.set(image.born, image)
    for (const { kind, reason, to } of image.lineage ?? []) {
      if (kind === "turn" || kind === "file") {
        // The log does not have the files from which memories were imported.
        const isHeld = kind === "turn" || subjects.heldFiles.has(to)
        if (isHeld && !subjects.sources.has(`${kind} ${to}`)) sources.set(`${kind} ${to}`, { kind, id: to })
      } else if ((kind === "supersedes" || reason === "compressed") && !subjects.ids.has(to)) retired.add(to)
    }
  }
  const count = (event: DaybookEvent, removal: Removal) => {
    const parts = removal === "whole" ? {} : removal
    if (event.type === "RECALL") counts.queries += parts.lists?.recalls?.length ?? 0
    if (event.type === "SUMMARIZE" || event.type === "ROLL") counts.summaries++
    if (event.type === "SCRATCHPAD") counts.scratchpads++
    if (event.type === "RUN") counts.runs++
    if (parts.fields?.includes("input") === true) counts.requests++
  }
  return {
    /** Counts an event that loses its payload. */
    add: (event: DaybookEvent, removal: Removal, hasRemains: boolean) => {
      events++
      if (hasRemains) remains++
      count(event, removal)
      for (const item of hasItems ? heldItemsOf(event, removal, concerned) : []) {
        const { from, id, kind, session, text } = item
        const key = JSON.stringify([kind, id, session, from, text])
        // Each text is reported once, at its first place in the log.
        if (text !== "" && !items.has(key)) items.set(key, item)
      }
      for (const image of afterImages(event)) {
        if (subjects.rows.has(image.born)) addImage(image)
        else if (subjects.tainted.has(image.born)) changed.set(image.born, image)
      }
    },
    /**
     * Counts an event that loses names. `isCounted` is true if the event was counted already, because it loses its
     * payload too. `id` is the id of the content that the event wrote.
     */
    addNames: (
      { columns, texts, version }: NamedEvent,
      { id, isCounted }: { readonly id: string | undefined; readonly isCounted: boolean }
    ) => {
      counts.names++
      if (!isCounted) events++
      const why = concerned.selection.kind === "person" ? "mention" : "selected"
      for (const [index, from] of hasItems ? columns.entries() : []) {
        const text = texts[index]!
        items.set(JSON.stringify(["names", version, from]), {
          ...{ kind: "names", version, from, why, text },
          ...(id === undefined ? {} : { id })
        })
      }
    },
    finish: (): AgentErasure => ({
      ...{ agent, events, remains },
      counts: {
        ...counts,
        memories: memories.size,
        turns: subjects.turns.size,
        files: subjects.files.size,
        schedules: subjects.schedules.size
      },
      memories: [...memories.values()].map(named),
      changed: [...changed.values()].map(named),
      retired: [...retired],
      revived: [],
      sources: [...sources.values()],
      items: [...items.values()].sort((a, b) => a.version - b.version)
    })
  }
}

const named = ({ id, title }: Memory): NamedMemory => ({ id, title })
