import { readFileSync } from "node:fs"
import type { Observation } from "../../src/model/input.js"

/** A memory to store. Times are ISO 8601. */
export interface WorldMemory {
  readonly id: string
  readonly title: string
  readonly narrative?: string | null
  readonly type: string
  readonly people?: ReadonlyArray<string>
  readonly tags?: ReadonlyArray<string>
  readonly createdAt: string
  readonly occurredAt?: string | null
  readonly expiresAt?: string | null
  readonly dueAt?: string | null
}

/** A question, the ids of the memories that answer it, and the best of them if one is better than the others. */
export interface WorldQuestion {
  readonly id: string
  readonly kind: string
  readonly text: string
  /** The asking time, ISO 8601. */
  readonly at: string
  readonly answers: ReadonlyArray<string>
  readonly best?: string | null
}

/** Memories of one agent, and questions about them. */
export interface World {
  readonly world: string
  readonly memories: ReadonlyArray<WorldMemory>
  readonly questions: ReadonlyArray<WorldQuestion>
}

/** Reads a world from a JSON file. The memories are sorted by creation time, the questions by asking time. */
export const readWorld = (file: string): World => {
  const { memories, questions, world } = JSON.parse(readFileSync(file, "utf8")) as World
  return {
    world,
    memories: memories.toSorted((a, b) => Date.parse(a.createdAt) - Date.parse(b.createdAt)),
    questions: questions.toSorted((a, b) => Date.parse(a.at) - Date.parse(b.at))
  }
}

/** The input of `remember`. A memory without `occurredAt` gets its due time as `occurredAt`. */
export const observationOf = (memory: WorldMemory): Observation => {
  const { dueAt, expiresAt, narrative, people = [], tags = [], title, type } = memory
  const occurredAt = memory.occurredAt ?? dueAt
  return {
    ...{ title, type, people, tags },
    ...(narrative == null ? {} : { narrative }),
    ...(occurredAt == null ? {} : { occurredAt }),
    ...(expiresAt == null ? {} : { expiresAt })
  }
}
