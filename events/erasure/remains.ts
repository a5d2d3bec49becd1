import { isDeepStrictEqual } from "node:util"
import { afterImages, type DaybookEvent, type Payload } from "../catalogue.js"
import type { Memory } from "../Memory.js"

/**
 * Lists in payloads from which an erasure can remove entries. Entries of `recalls` become blank instead, because
 * recalls are numbered by their position.
 */
export type ListName = "entries" | "chunks" | "recalls" | "files" | "items" | "wasItems"

/** Fields of payloads that can be removed separately. */
export type FieldName = "input" | "was" | "summary" | "output" | "error" | "reason" | "fallback" | "movedFrom"

/** The parts of a payload that an erasure removes. */
export interface RemovedParts {
  /** The row numbers of the memories whose after-images are removed. */
  readonly rows?: ReadonlyArray<number>
  readonly fields?: ReadonlyArray<FieldName>
  readonly lists?: Readonly<Partial<Record<ListName, ReadonlyArray<number>>>>
  /**
   * New after-images, which replace those with the same row numbers. The memories stay, without the text of erased
   * sources.
   */
  readonly images?: ReadonlyArray<Memory>
  /** The removed hits of recalls. Each is given by the index of the recall and the index of the hit. */
  readonly hits?: ReadonlyArray<readonly [recall: number, hit: number]>
}

/** The content that an erasure removes from one event: the whole payload, or parts of it. */
export type Removal = "whole" | RemovedParts

/**
 * The type and payload that remain of an event. The type differs if the erased part was the reason for the original
 * type.
 */
export type RemainingEvent = {
  readonly [T in DaybookEvent["type"]]: { readonly type: T; readonly payload: Payload<T> }
}[DaybookEvent["type"]]

/** Returns the type and payload of an event without the removed parts; null if nothing remains. */
export const applyRemoval = (event: DaybookEvent, removal: Removal): RemainingEvent | null => {
  if (removal === "whole") return null
  const blank = withoutFields(event, removal)
  switch (event.type) {
    case "ADD":
    case "UPDATE":
    case "DELETE":
    case "COMPRESS":
    case "ARCHIVE":
      return remainingImages(blank as typeof event, removal)
    case "EMBED":
      return remainingVectors(event, removal)
    case "RECALL":
      return {
        type: "RECALL",
        payload: { ...event.payload, recalls: remainingRecalls(event.payload.recalls, removal) }
      }
    case "IMPORT":
      return { type: "IMPORT", payload: { ...event.payload, files: keep(event.payload.files, removal.lists?.files) } }
    case "SCRATCHPAD":
      return { type: "SCRATCHPAD", payload: remainingScratchpad((blank as typeof event).payload, removal) }
    default:
      return { type: event.type, payload: blank.payload } as RemainingEvent
  }
}

const remainingImages = (
  event: Extract<DaybookEvent, { readonly type: "ADD" | "UPDATE" | "DELETE" | "COMPRESS" | "ARCHIVE" }>,
  { images = [], rows = [] }: RemovedParts
): RemainingEvent | null => {
  const gone = new Set(rows)
  const remade = new Map(images.map((image) => [image.born, image]))
  const rest = (memory: Memory): Memory | undefined =>
    gone.has(memory.born) ? undefined : (remade.get(memory.born) ?? memory)
  const left = afterImages(event).flatMap((memory) => rest(memory) ?? [])
  if (left.length === 0) return null
  const { payload } = event
  switch (event.type) {
    case "ADD":
    case "UPDATE":
      return {
        type: event.type,
        payload: { ...payload, ...remainingInput(event, left[0]!), memory: left[0]! }
      } as RemainingEvent
    case "ARCHIVE":
      return { type: "ARCHIVE", payload: { ...event.payload, memories: left } }
    case "DELETE": {
      const { decision, input, lowered, memory, replacement, ...others } = event.payload
      const [retired, successor] = [rest(memory), replacement && rest(replacement)]
      // The request belongs to the replacement.
      if (retired === undefined) {
        const asked = { ...(input === undefined ? {} : { input }), ...(lowered === undefined ? {} : { lowered }) }
        return { type: "ADD", payload: { memory: successor!, ...asked, decision } }
      }
      return successor === undefined
        ? { type: "DELETE", payload: { memory: retired, ...others, decision } }
        : { type: "DELETE", payload: { ...event.payload, memory: retired, replacement: successor } }
    }
    case "COMPRESS": {
      const merged = rest(event.payload.memory)
      // The after-images of the sources stay compressed, even without their summary.
      if (merged === undefined)
        return { type: "ARCHIVE", payload: { memories: left, decision: event.payload.decision } }
      return { type: "COMPRESS", payload: { ...event.payload, memory: merged, sources: left.slice(0, -1) } }
    }
  }
}

/**
 * Returns the recorded request, with lists from the new after-image where the request repeats the lists of the memory.
 */
const remainingInput = ({ payload }: Extract<DaybookEvent, { readonly type: "ADD" | "UPDATE" }>, image: Memory) => {
  if (payload.input === undefined || image === payload.memory) return {}
  const input = Object.entries(payload.input).map(([field, value]) => {
    const isList = Array.isArray(value) && isDeepStrictEqual(value, payload.memory[field as keyof Memory])
    return [field, isList ? image[field as keyof Memory] : value]
  })
  return { input: Object.fromEntries(input) }
}

const remainingVectors = (
  { payload }: Extract<DaybookEvent, { readonly type: "EMBED" }>,
  { lists = {} }: RemovedParts
): RemainingEvent | null => {
  const entries = keep(payload.entries, lists.entries)
  const chunks = keep(payload.chunks ?? [], lists.chunks)
  if (entries.length + chunks.length === 0) return null
  return { type: "EMBED", payload: { ...payload, entries, ...(payload.chunks === undefined ? {} : { chunks }) } }
}

type Recalls = Payload<"RECALL">["recalls"]

/** A blank recall keeps its position, its time, its reader and the remaining hits. */
const remainingRecalls = (recalls: Recalls, { hits = [], lists = {} }: RemovedParts): Recalls => {
  const [blank, removedHits] = [new Set(lists.recalls), new Set(hits.map(([recall, hit]) => `${recall} ${hit}`))]
  return recalls.map((recall, index) => {
    const left = recall.hits.filter((_, hit) => !removedHits.has(`${index} ${hit}`))
    if (!blank.has(index)) return left.length === recall.hits.length ? recall : { ...recall, hits: left }
    const { askedAt, gated, kind, level, mode, position, reranker } = recall
    return {
      ...{ kind, level, text: "", filters: {}, mode, gated, reranker, askedAt, position },
      ...{ vector: null, hits: left, erased: true }
    }
  })
}

const remainingScratchpad = (payload: Payload<"SCRATCHPAD">, { lists = {} }: RemovedParts): Payload<"SCRATCHPAD"> => {
  const { scratchpad, was } = payload
  const items = keep(scratchpad?.items ?? [], lists.items)
  const former = keep(was?.items ?? [], lists.wasItems)
  return {
    ...payload,
    scratchpad: scratchpad === null || items.length === 0 ? null : { ...scratchpad, items },
    ...(was === undefined ? {} : { was: { ...was, items: former } })
  }
}

/**
 * The event without the removed fields. A decision's reason and fallback become a fixed word, because readers expect
 * these fields.
 */
const withoutFields = (event: DaybookEvent, { fields = [] }: RemovedParts): DaybookEvent => {
  if (fields.length === 0) return event
  const payload: Record<string, unknown> = { ...event.payload }
  for (const field of fields) {
    if (field === "reason" || field === "fallback") {
      payload.decision = { ...(payload.decision as object), [field]: erasedReason }
    } else delete payload[field]
  }
  return { ...event, payload } as unknown as DaybookEvent
}

/** Replaces a reason that quoted an erased text. */
export const erasedReason = "erased"

const keep = <A>(list: ReadonlyArray<A>, removed: ReadonlyArray<number> = []): ReadonlyArray<A> => {
  if (removed.length === 0) return list
  const gone = new Set(removed)
  return list.filter((_, index) => !gone.has(index))
}
