import type { Memory } from "../../events/Memory.js"
import type { DecidedEvent } from "../actor/Command.js"
import { limits } from "../model/limits.js"
import type { LifePolicy } from "../ports/policy/life.js"
import type { Row } from "./facts.js"
import { changed, decided } from "./Stage.js"
import { type Summary, summaryOf } from "./summary.js"

// A note holds what a day or a week brought of one kind.

/** Of which kind a note is: everything in it has these. */
export interface Kind extends Pick<Memory, "store" | "type"> {
  readonly project: string | undefined
  readonly topic: string | undefined
}

/**
 * Types whose memories each stand for themselves: a later statement may take the place of one, and must not take those
 * beside it along.
 */
export const standing: ReadonlySet<string> = new Set(["identity", "preference", "decision", "config", "credential"])

/** Types that pass by themselves. */
export const passing: ReadonlySet<string> = new Set(["temp", "debug"])

/** Whether a memory may become part of a note. What is stale stays to be seen as such. */
export const isNotable = ({ stale, type }: Memory): boolean => !standing.has(type) && stale === undefined

export const kindOf = ({ project, store, topic, type }: Memory): Kind => ({ store, type, project, topic })

/** What a note is called: its type, its time, what it is about. */
export const headingOf = ({ project, topic, type }: Kind, time: string): string => {
  const about = [project, topic].filter((one) => one !== undefined).join(", ")
  const name = `${type.slice(0, 1).toUpperCase()}${type.slice(1)} notes of ${time}`
  return (about === "" ? name : `${name} on ${about}`).slice(0, limits.title)
}

/** Memories that a note is made of at the most. */
const mostSources = 50

/** A note, and what it is made of. */
export interface Note {
  readonly sources: ReadonlyArray<Row>
  readonly summary: Summary
}

/** Rows, the oldest first, as few notes as they fit into; those that fit into none, alone, in `others`. */
export const notesOf = (
  rows: ReadonlyArray<Row>,
  heading: string,
  countTokens: (text: string) => number
): { readonly notes: ReadonlyArray<Note>; readonly others: ReadonlyArray<Row> } => {
  const notes: Array<Note> = []
  /** What fits into no note of these. */
  const fold = (some: ReadonlyArray<Row>): ReadonlyArray<Row> => {
    if (some.length < 2) return some
    const memories = some.map(({ memory }) => memory)
    const summary = some.length > mostSources ? null : summaryOf(memories, countTokens, heading)
    if (summary === null) {
      const half = Math.ceil(some.length / 2)
      return [...fold(some.slice(0, half)), ...fold(some.slice(half))]
    }
    notes.push({ sources: some, summary })
    return []
  }
  let others = rows
  // What is left of one half may fit with what is left of the other: again, until another run would find nothing either.
  for (let before = -1; notes.length > before; ) {
    before = notes.length
    others = fold(others)
  }
  return { notes, others }
}

/** The event that puts a note in the place of what it is made of. It is mid, and is kept as long as it is of use. */
export const noted = (
  { sources, summary }: Note,
  name: "daily" | "weekly",
  reason: string,
  id: string,
  policy: LifePolicy,
  now: number
): Extract<DecidedEvent, { type: "COMPRESS" }> => {
  const { store, type } = sources[0]!.memory
  const captured = sources.every(({ memory }) => memory.source.kind.startsWith("auto"))
  return {
    type: "COMPRESS",
    payload: {
      memory: {
        id,
        born: 0,
        revision: 1,
        status: "active",
        type,
        source: { kind: captured ? "auto" : "agent", name },
        store,
        tier: "mid",
        ...summary,
        // What was written now is left alone from now on, however old what it tells of is.
        updatedAt: now
      },
      sources: sources.map(({ memory }) => changed(memory, { status: "compressed" })),
      decision: decided("COMPRESS", name, reason, sources, policy, now)
    }
  }
}
