import type { ReplayedEvent } from "../../../events/Chain.js"
import type { Needles } from "./subjectSets.js"

/** Tests an undecoded event. False only if decoding it could not change a plan. */
export type MayConcern = (row: ReplayedEvent) => boolean

/** The part of such a test that looks at content only. */
export type MayConcernContent = (row: Pick<ReplayedEvent, "type" | "payload">) => boolean

/** A test that lets every event pass, so that nothing is skipped. */
export const everyEvent: MayConcernContent = () => true

/**
 * The types with one event or more for each memory, turn or search. Events of other types are few or small, and some
 * name a subject by its version only, so they always pass.
 */
const numerous: ReadonlySet<string> = new Set([
  ...["ADD", "UPDATE", "DELETE", "COMPRESS", "ARCHIVE"],
  ...["TURN", "EMBED", "RECALL"]
])

/** Escapes stand for line ends, quotes and the like, which are no part of a word. Their letters must not seem to be one. */
const escapes = /\\./g

/** More texts than this are looked up in the parts of the payload, instead of one by one in the whole. */
const maxSearches = 16

/**
 * Finds the events that may name a subject in the text of their payload, which costs a tenth of decoding it. Every event
 * that names a subject has its id, path or session as a JSON string. JSON has several spellings of one string only with
 * `\u` or `\/`, so a payload with either always passes.
 */
export const candidatesOf = ({ hasPlaces, mentionsIn, texts }: Needles): MayConcernContent => {
  const strings = [...texts].map((text) => JSON.stringify(text).slice(1, -1))
  const isSplittable = strings.every((text) => !text.includes('"'))
  const [quoted, parts] = [strings.map((text) => `"${text}"`), new Set(strings)]
  const hasText =
    strings.length > maxSearches && isSplittable
      ? (payload: string) => payload.split('"').some((part) => parts.has(part))
      : (payload: string) => quoted.some((text) => payload.includes(text))
  return ({ payload, type }) => {
    if (payload === null || !numerous.has(type)) return true
    // Chunks of a text name it by the version of its event.
    if (type === "EMBED" && hasPlaces && payload.includes('"chunks"')) return true
    if (payload.includes("\\u") || payload.includes("\\/")) return true
    return hasText(payload) || mentionsIn?.(payload.replace(escapes, '"')) === true
  }
}
