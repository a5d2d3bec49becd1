import { isDeepStrictEqual } from "node:util"
import type { Memory } from "../../events/Memory.js"
import { toInstant } from "../../text/when/dates.js"
import { normaliseTags, type Observation } from "../model/input.js"

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
 * Returns the fields of the observation that differ from the after-image, so that the event can store them. A field
 * that the observation did not have is null. Without differences, there is no `input`.
 */
export const differingInput = (
  observation: Observation,
  memory: Memory
): { readonly input?: Record<string, unknown> } => {
  const input: Record<string, unknown> = {}
  for (const field of fields) {
    const [requested, stored] = [withoutDates(observation[field]), (memory as Partial<Observation>)[field]]
    if (requested === stored) continue
    if (requested === undefined || !isDeepStrictEqual(requested, stored)) input[field] = requested ?? null
  }
  return Object.keys(input).length === 0 ? {} : { input }
}

/** Restores the observation from an event's after-image and its input. */
export const observationFrom = (memory: Memory, input: Readonly<Record<string, unknown>> | undefined): Observation => {
  const observation: Record<string, unknown> = {}
  for (const field of fields) {
    const value = input !== undefined && field in input ? input[field] : (memory as Partial<Observation>)[field]
    if (value !== null && value !== undefined) observation[field] = value
  }
  return observation as unknown as Observation
}

/**
 * The fields in which an event's input differs from the memory or adds to it. An additional list entry counts. A
 * missing entry or another line of the source does not count.
 */
export const ignoredFields = (
  memory: Memory,
  input: Readonly<Record<string, unknown>> | undefined
): ReadonlyArray<keyof Observation> =>
  input === undefined
    ? []
    : fields.filter((field) => input[field] != null && !hasRequestedValue(memory, field, input[field]))

const hasRequestedValue = (memory: Memory, field: keyof Observation, requested: unknown): boolean => {
  if (field === "occurredAt" || field === "expiresAt") return toInstant(requested) === memory[field]
  if (field === "source") {
    const { kind, name } = requested as Memory["source"]
    return kind === memory.source.kind && (name === undefined || name === memory.source.name)
  }
  if (field === "from") {
    const links = memory.lineage ?? []
    return (requested as NonNullable<Observation["from"]>).every(({ id }) => links.some(({ to }) => to === id))
  }
  const stored: unknown = memory[field]
  if (!Array.isArray(requested) || !Array.isArray(stored)) return isDeepStrictEqual(requested, stored)
  const entries: ReadonlyArray<unknown> = field === "tags" ? normaliseTags(requested) : requested
  return entries.every((entry) => stored.includes(entry))
}

const withoutDates = (value: unknown): unknown => (value instanceof Date ? value.toISOString() : value)
