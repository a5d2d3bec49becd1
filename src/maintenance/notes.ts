import type { Memory } from "../../events/Memory.js"
import { levelOf, type TrustLevel } from "../../events/Trust.js"
import type { DecidedEvent } from "../actor/Command.js"
import { limits } from "../model/limits.js"
import { nextRevision } from "../model/nextRevision.js"
import type { MaintenancePolicy } from "../ports/policy/maintenance.js"
import { type MergedContent, mergeContents } from "./mergeContents.js"
import { ruleDecision, type StageTools } from "./Stage.js"
import type { Row } from "./stageRow.js"

// A note merges the memories of one kind from one day or week.

/**
 * The kind of a note: the fields that all of its memories share. The level is one of them, so that text of one level
 * never lowers the level of other text.
 */
export interface NoteKind extends Pick<Memory, "store" | "type"> {
  readonly level: TrustLevel
  readonly project: string | undefined
  readonly topic: string | undefined
}

/**
 * Types that are never merged into notes. A later statement may supersede a memory of such a type, but must not
 * supersede other memories that were merged with it.
 */
export const standaloneTypes: ReadonlySet<string> = new Set([
  "identity",
  "preference",
  "decision",
  "config",
  "credential"
])

/** Types of short-lived memories. */
export const temporaryTypes: ReadonlySet<string> = new Set(["temp", "debug"])

/**
 * Returns true if a memory may become part of a note. Stale and disputed memories may not, because they must stay
 * visible as stale or disputed.
 */
export const canJoinNote = ({ id, stale, type }: Memory, { sides }: Pick<StageTools, "sides">): boolean =>
  !standaloneTypes.has(type) && stale === undefined && sides?.has(id) !== true

export const noteKindOf = (memory: Memory): NoteKind => {
  const { project, store, topic, type } = memory
  return { store, level: levelOf(memory), type, project, topic }
}

/** The title of a note: type, time, project and topic. */
export const headingOf = (
  { project, topic, type }: Pick<NoteKind, "project" | "topic" | "type">,
  time: string
): string => {
  const subject = [project, topic].filter((name) => name !== undefined).join(", ")
  const title = `${type.slice(0, 1).toUpperCase()}${type.slice(1)} notes of ${time}`
  return (subject === "" ? title : `${title} on ${subject}`).slice(0, limits.title)
}

/** Maximum memories in a note. */
const maxSources = 50

/** A note and its sources. */
export interface Note {
  readonly sources: ReadonlyArray<Row>
  readonly summary: MergedContent
}

/**
 * Merges rows, oldest first, into as few notes as the field limits allow. `others` are the rows that fit into no note.
 */
export const mergeIntoNotes = (
  rows: ReadonlyArray<Row>,
  heading: string,
  countTokens: (text: string) => number
): { readonly notes: ReadonlyArray<Note>; readonly others: ReadonlyArray<Row> } => {
  const notes: Array<Note> = []
  /** Adds notes of these rows, halving them until they fit; returns the rows that fit into no note. */
  const fold = (candidates: ReadonlyArray<Row>): ReadonlyArray<Row> => {
    if (candidates.length < 2) return candidates
    const memories = candidates.map(({ memory }) => memory)
    const summary = candidates.length > maxSources ? null : mergeContents(memories, countTokens, heading)
    if (summary === null) {
      const half = Math.ceil(candidates.length / 2)
      return [...fold(candidates.slice(0, half)), ...fold(candidates.slice(half))]
    }
    notes.push({ sources: candidates, summary })
    return []
  }
  let others = rows
  // Leftovers of different halves may fit together, so repeat until a pass adds no note.
  for (let before = -1; notes.length > before; ) {
    before = notes.length
    others = fold(others)
  }
  return { notes, others }
}

/** Makes the event that replaces the sources with one note in tier `mid`. */
export const noteEvent = (
  { sources, summary }: Note,
  name: "daily" | "weekly",
  reason: string,
  id: string,
  policy: MaintenancePolicy,
  now: number
): Extract<DecidedEvent, { type: "COMPRESS" }> => {
  const { store, type } = sources[0]!.memory
  const isCaptured = sources.every(({ memory }) => memory.source.kind.startsWith("auto"))
  return {
    type: "COMPRESS",
    payload: {
      memory: {
        id,
        born: 0,
        revision: 1,
        status: "active",
        type,
        source: { kind: isCaptured ? "auto" : "agent", name },
        store,
        tier: "mid",
        ...summary,
        // The time until an unused note ages out starts now, even if its sources are older.
        updatedAt: now
      },
      sources: sources.map(({ memory }) => nextRevision(memory, { status: "compressed" })),
      decision: ruleDecision("COMPRESS", name, reason, sources, policy, now)
    }
  }
}
