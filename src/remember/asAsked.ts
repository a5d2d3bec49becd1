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

/**
 * The fields by which what was asked says something that the memory does not
 * hold, by the input that an event keeps beside it. One entry more in a list
 * counts, one less does not; nor does the line in which something was seen.
 */
export const notTaken = (
  memory: Memory,
  input: Readonly<Record<string, unknown>> | undefined
): ReadonlyArray<keyof Observation> =>
  input === undefined ? [] : fields.filter((field) => input[field] != null && !holds(memory, field, input[field]))

const holds = (memory: Memory, field: keyof Observation, asked: unknown): boolean => {
  if (field === "occurredAt" || field === "expiresAt") return toInstant(asked) === memory[field]
  if (field === "source") {
    const { kind, name } = asked as Memory["source"]
    return kind === memory.source.kind && (name === undefined || name === memory.source.name)
  }
  if (field === "from") {
    const links = memory.lineage ?? []
    return (asked as NonNullable<Observation["from"]>).every(({ id }) => links.some(({ to }) => to === id))
  }
  const held: unknown = memory[field]
  if (!Array.isArray(asked) || !Array.isArray(held)) return isDeepStrictEqual(asked, held)
  const entries: ReadonlyArray<unknown> = field === "tags" ? normaliseTags(asked) : asked
  return entries.every((entry) => held.includes(entry))
}

const plain = (value: unknown): unknown => (value instanceof Date ? value.toISOString() : value)
