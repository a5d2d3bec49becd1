import type { ReplayedEvent } from "../../../events/Chain.js"
import type { Needles } from "./subjectSets.js"

/** Tests an undecoded event. False only if decoding it could not change a plan. */
export type ConcernTest = (row: ReplayedEvent) => boolean

/** The part of a `ConcernTest` that reads only the content. */
export type ContentConcernTest = (row: Pick<ReplayedEvent, "type" | "payload">) => boolean

/** A test that lets every event pass, so that nothing is skipped. */
export const everyEvent: ContentConcernTest = () => true

/**
 * The types with one event or more for each memory, turn or search. Events of other types are few or small, and some
 * name a subject by its version only, so they always pass.
 */
const numerous: ReadonlySet<string> = new Set([
  ...["ADD", "UPDATE", "DELETE", "COMPRESS", "ARCHIVE"],
  ...["TURN", "EMBED", "RECALL"]
])

/**
 * Escapes represent line breaks, quotes and the like, which are not part of a word. Their letters must not look like
 * part of a word.
 */
const escapes = /\\./g

/**
 * Maximum texts that are searched one by one in the whole payload. More texts are looked up in the parts of the
 * payload.
 */
const maxSearches = 16

/**
 * Makes the test that finds events that may name a subject. It searches the text of the payload, which costs a tenth of
 * decoding it. Every event that names a subject contains the subject's id, path or session as a JSON string. Only with
 * `\u` or `\/` can JSON spell one string in several ways, so a payload with either always passes.
 */
export const makeCandidateTest = ({ hasPlaces, mentionsIn, texts }: Needles): ContentConcernTest => {
  const strings = [...texts].map((text) => JSON.stringify(text).slice(1, -1))
  const isSplittable = strings.every((text) => !text.includes('"'))
  const [quoted, parts] = [strings.map((text) => `"${text}"`), new Set(strings)]
  const hasText =
    strings.length > maxSearches && isSplittable
      ? (payload: string) => payload.split('"').some((part) => parts.has(part))
      : (payload: string) => quoted.some((text) => payload.includes(text))
  return ({ payload, type }) => {
    if (payload === null || !numerous.has(type)) return true
    // A chunk names its text by the version of the text's event.
    if (type === "EMBED" && hasPlaces && payload.includes('"chunks"')) return true
    if (payload.includes("\\u") || payload.includes("\\/")) return true
    return hasText(payload) || mentionsIn?.(payload.replace(escapes, '"')) === true
  }
}
