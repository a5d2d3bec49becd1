import { isDeepStrictEqual } from "node:util"
import type { Memory } from "../../events/Memory.js"
import type { Observation } from "../input.js"

const fields: ReadonlyArray<keyof Observation> = [
  "title",
  "type",
  "narrative",
  "facts",
  "tags",
  "people",
  "files",
  "source",
  "session",
  "channel",
  "sender",
  "project",
  "topic",
  "from",
  "store",
  "tier",
  "importance",
  "occurredAt",
  "expiresAt"
]

/**
 * What was asked for, as an event keeps it beside the after-image: only the
 * fields that differ, null where one was not given; nothing at all where the
 * after-image says the same.
 */
export const inputBeside = (observation: Observation, memory: Memory): { readonly input?: Record<string, unknown> } => {
  const input: Record<string, unknown> = {}
  for (const field of fields) {
    const [asked, said] = [plain(observation[field]), (memory as Partial<Observation>)[field]]
    if (asked === said) continue
    if (asked === undefined || !isDeepStrictEqual(asked, said)) input[field] = asked ?? null
  }
  return Object.keys(input).length === 0 ? {} : { input }
}

/** The observation as it was asked for, from an event's after-image and the input kept beside it. */
export const asAsked = (memory: Memory, input: Readonly<Record<string, unknown>> | undefined): Observation => {
  const observation: Record<string, unknown> = {}
  for (const field of fields) {
    const value = input !== undefined && field in input ? input[field] : (memory as Partial<Observation>)[field]
    if (value !== null && value !== undefined) observation[field] = value
  }
  return observation as unknown as Observation
}

const plain = (value: unknown): unknown => (value instanceof Date ? value.toISOString() : value)
