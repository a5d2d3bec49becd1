import { afterImages, type DaybookEvent, type Payload } from "../../../events/catalogue.js"
import type { FieldName, Removal, RemovedParts } from "../../../events/erasure/remains.js"
import { embeddingText, type Memory } from "../../../events/Memory.js"
import { textDigest } from "../../../projections/vectors.js"
import { chunkNumbersPerTurn } from "../../../text/normalise/chunks.js"
import { type Subjects, sessionKeyOf } from "./subjectSets.js"

/** The input of `removalOf`. */
export interface RemovalInput {
  readonly subjects: Subjects
  readonly isRequestErased: (event: DaybookEvent) => boolean
  /** New after-images, without the text of erased sources, of the memories that stay; by version and row. */
  readonly remade: ReadonlyMap<number, ReadonlyMap<number, Memory>>
  /** Digests of texts that remaining memories lose. */
  readonly lostDigests: ReadonlySet<string>
}

/** The parts of an event that an erasure removes; undefined if the event does not change. */
export const removalOf = (event: DaybookEvent, removing: RemovalInput): Removal | undefined => {
  const { subjects } = removing
  switch (event.type) {
    case "ADD":
    case "UPDATE":
    case "DELETE":
    case "COMPRESS":
    case "ARCHIVE":
      return imagesRemoval(event, removing)
    case "TURN":
      return wholeIf(subjects.turns.has(event.version))
    case "FILE":
      return fileRemoval(event, subjects)
    case "FORGET":
      return forgetRemoval(event.payload, subjects)
    case "EXTRACT": {
      const { session, summary } = event.payload
      if (subjects.sessions.has(session) || subjects.mentions(session)) return "whole"
      const isQuoting = subjects.shortened.has(sessionKeyOf(event.payload)) || subjects.mentions(summary)
      return partsOf({ fields: summary !== undefined && isQuoting ? ["summary"] : [] })
    }
    case "SUMMARIZE":
    case "ROLL": {
      if (subjects.summaries.has(event.version)) return "whole"
      const { replaces = 0, was } = event.payload
      const isErased =
        subjects.summaries.has(replaces) ||
        subjects.mentions(was) ||
        was?.sources.some((version) => subjects.turns.has(version)) === true
      return partsOf({
        fields: [...(was !== undefined && isErased ? (["was"] as const) : []), ...reasons(event, removing)]
      })
    }
    case "SCRATCHPAD":
      return scratchpadRemoval(event.payload, subjects)
    case "EMBED":
      return vectorsRemoval(event.payload, removing)
    case "RECALL":
      return recallsRemoval(event.payload, subjects)
    case "IMPORT": {
      const files = indexesOf(
        event.payload.files,
        ({ path }) => subjects.sources.has(`file ${path}`) || subjects.mentions(path)
      )
      return partsOf({ lists: { files } })
    }
    case "SCHEDULE":
      return wholeIf(subjects.schedules.has(event.payload.schedule))
    case "RUN": {
      if (subjects.schedules.has(event.payload.name)) return "whole"
      const fields = (["summary", "output", "error"] as const).filter((field) =>
        subjects.mentions(event.payload[field])
      )
      return partsOf({ fields })
    }
    default:
      return undefined
  }
}

type Of<T extends DaybookEvent["type"]> = Extract<DaybookEvent, { readonly type: T }>

const imagesRemoval = (
  event: Of<"ADD" | "UPDATE" | "DELETE" | "COMPRESS" | "ARCHIVE">,
  removing: RemovalInput
): Removal | undefined => {
  const { isRequestErased, remade, subjects } = removing
  const images = afterImages(event)
  const rows = images.flatMap(({ born }) => (subjects.rows.has(born) ? [born] : []))
  if (rows.length === images.length) return "whole"
  const changed = remade.get(event.version)
  return partsOf({
    rows,
    images: images.flatMap(({ born }) => changed?.get(born) ?? []),
    fields: [...(isRequestErased(event) ? (["input"] as const) : []), ...reasons(event, removing)]
  })
}

/**
 * The texts of a decision that may quote an erased memory: a model's reason, and any text that contains the name of an
 * erased person.
 */
const reasons = (
  { payload: { decision } }: { readonly payload: { readonly decision: Payload<"ADD">["decision"] } },
  { subjects }: RemovalInput
): ReadonlyArray<FieldName> => {
  const isQuoting = decision.by.kind === "model" && decision.candidates.some(({ id }) => subjects.ids.has(id))
  return [
    ...(isQuoting || subjects.mentions(decision.reason) ? (["reason"] as const) : []),
    ...(decision.fallback !== undefined && (isQuoting || subjects.mentions(decision.fallback))
      ? (["fallback"] as const)
      : [])
  ]
}

const fileRemoval = ({ payload, version }: Of<"FILE">, subjects: Subjects): Removal | undefined => {
  if (subjects.files.has(version)) return "whole"
  const { movedFrom } = payload
  const isErased = typeof movedFrom === "string" && (subjects.sessions.has(movedFrom) || subjects.mentions(movedFrom))
  return partsOf({ fields: isErased ? ["movedFrom"] : [] })
}

const forgetRemoval = (
  { files, path, scratchpads = [], session, turns }: Payload<"FORGET">,
  subjects: Subjects
): Removal | undefined => {
  if (session !== undefined) return wholeIf(subjects.sessions.has(session) || subjects.mentions(session))
  const isEmpty = turns.length + scratchpads.length === 0 && files.every((version) => subjects.files.has(version))
  return wholeIf(isEmpty && (files.length > 0 || subjects.sources.has(`file ${path}`)))
}

const scratchpadRemoval = (
  { scratchpad, session, was }: Payload<"SCRATCHPAD">,
  subjects: Subjects
): Removal | undefined => {
  if (subjects.sessions.has(session)) return "whole"
  return partsOf({
    lists: {
      items: indexesOf(scratchpad?.items ?? [], subjects.mentions),
      wasItems: indexesOf(was?.items ?? [], subjects.mentions)
    }
  })
}

const vectorsRemoval = ({ chunks = [], entries }: Payload<"EMBED">, removing: RemovalInput): Removal | undefined => {
  const { lostDigests, subjects } = removing
  const lostEntries = indexesOf(
    entries,
    ({ born, digest }) => subjects.rows.has(born) || (subjects.tainted.has(born) && lostDigests.has(digest))
  )
  const lostChunks = indexesOf(chunks, ({ born, turn }) => {
    const version = Math.floor(born / chunkNumbersPerTurn)
    return (
      subjects.ids.has(turn) ||
      [subjects.turns, subjects.files, subjects.scratchpads, subjects.followers].some((versions) =>
        versions.has(version)
      )
    )
  })
  if (lostEntries.length + lostChunks.length === entries.length + chunks.length) return "whole"
  return partsOf({ lists: { entries: lostEntries, chunks: lostChunks } })
}

/** A query that found an erased memory, turn or file may contain its text. */
const recallsRemoval = ({ recalls: all }: Payload<"RECALL">, subjects: Subjects): Removal | undefined => {
  const recalls = indexesOf(
    all,
    ({ filters, hits, session, text }) =>
      (session !== undefined && subjects.sessions.has(session)) ||
      hits.some(({ id }) => subjects.ids.has(id)) ||
      subjects.mentions([text, filters, session])
  )
  const hits = recalls.flatMap((recall) =>
    indexesOf(all[recall]!.hits, ({ id }) => subjects.ids.has(id)).map((hit) => [recall, hit] as const)
  )
  return partsOf({ lists: { recalls }, hits })
}

/** The cache keys of the vectors that an event names. */
export const digestsIn = (event: DaybookEvent): ReadonlyArray<string> => {
  switch (event.type) {
    case "EMBED":
      return [...event.payload.entries, ...(event.payload.chunks ?? [])].map(({ digest }) => digest)
    case "RECALL":
      return event.payload.recalls.flatMap(({ apart, vector }) => [
        ...(vector === null ? [] : [vector]),
        ...(apart === undefined ? [] : [apart.vector])
      ])
    default:
      return afterImages(event).map((memory) => textDigest(embeddingText(memory)))
  }
}

const wholeIf = (condition: boolean): Removal | undefined => (condition ? "whole" : undefined)

/** The parts, without empty lists; undefined if all lists are empty. */
const partsOf = ({ fields = [], hits = [], images = [], lists = {}, rows = [] }: RemovedParts): Removal | undefined => {
  const named = Object.fromEntries(Object.entries(lists).filter(([, indexes]) => indexes.length > 0))
  const parts: RemovedParts = {
    ...(rows.length === 0 ? {} : { rows }),
    ...(fields.length === 0 ? {} : { fields }),
    ...(images.length === 0 ? {} : { images }),
    ...(Object.keys(named).length === 0 ? {} : { lists: named }),
    ...(hits.length === 0 ? {} : { hits })
  }
  return Object.keys(parts).length === 0 ? undefined : parts
}

const indexesOf = <A>(list: ReadonlyArray<A>, isErased: (entry: A) => boolean): ReadonlyArray<number> =>
  list.flatMap((entry, index) => (isErased(entry) ? [index] : []))
