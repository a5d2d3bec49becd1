import type { Reading } from "./reading.js"
import { thirdPerson } from "./titles.js"

// Changes of a state in two clauses: "I don't work as a tuner any more, I'm a nurse now".

const ended =
  /\bused to (?!(?:it|that|this|the|being|[a-z]+ing)\b)|\b(?:no longer|not .*\bany ?(?:more|longer)|[a-z]+n't .*\bany ?(?:more|longer))\b/iu
const begun = /\b(?:now|nowadays|these days|currently|instead|from now on)\b/iu

/** True if a piece states what is no longer true, and the next piece states what is true instead. */
export const isChange = (former: Reading | undefined, present: Reading): former is Reading =>
  former !== undefined &&
  former.act === "states" &&
  present.act === "states" &&
  present.piece.sentence - former.piece.sentence <= 1 &&
  ended.test(former.text) &&
  !ended.test(present.text) &&
  begun.test(present.text) &&
  (present.subject === "it" || isSame(former, present))

const first: ReadonlySet<Reading["subject"]> = new Set(["speaker", "omitted", "group"])
const isSame = (former: Reading, present: Reading): boolean =>
  (first.has(former.subject) && first.has(present.subject)) ||
  present.subject === "pronoun" ||
  present.subject === "thing" ||
  former.subject === present.subject

/** Moves "now" to the end of a statement: "now I live in Lyon" becomes "I live in Lyon now". */
export const moveNowToEnd = (text: string): string => {
  const [lead = "", word = ""] = /^(now|nowadays|these days|currently),?\s+/iu.exec(text) ?? []
  return lead === "" ? text : `${text.slice(lead.length)} ${word.toLowerCase()}`
}

const takingBack =
  /^(?:(?:no|nah|oh|ah|wait|hm+|ok|okay|actually|sorry|and)[\s,.!]+)*(?:scratch|strike|forget|ignore|drop)(?: about)? (?:(?:that|it)(?: one)?(?!\p{L})|(?:the |what i said about (?:the )?)([\p{L}\d-]{3,}))/iu

/**
 * Finds which statement a text takes back: the one before it ("no, scratch that"), or the one that contains `word`
 * ("forget the Redis idea"). Undefined if the text takes nothing back.
 */
export const findRetraction = (text: string): { readonly word: string | undefined } | undefined => {
  const match = takingBack.exec(text)
  return match === null ? undefined : { word: match[1]?.toLowerCase() }
}

const tail = "[,;]?\\s*\\bany ?(?:more|longer)\\b"
const patterns: ReadonlyArray<readonly [RegExp, (verb: string) => string]> = [
  [/\bused to (\p{L}+)/iu, (verb) => (verb === "be" ? "is" : thirdPerson(verb))],
  [/\bno longer (\p{L}+)/iu, (verb) => verb],
  [/\bdoesn't (\p{L}+)/iu, thirdPerson],
  [/\b(?:don't) (\p{L}+)/iu, (verb) => verb],
  [/\b(is|are)(?:n't| not)\b/iu, (verb) => verb]
]

/**
 * Turns the end of a state into a statement of that state: "Noor doesn't work as a tuner any more" becomes "Noor works
 * as a tuner".
 */
export const formerState = (title: string): string | undefined => {
  for (const [pattern, write] of patterns) {
    if (!pattern.test(title)) continue
    if (!/\b(?:used to|no longer|any ?more|any ?longer)\b/iu.test(title)) return undefined
    return title
      .replace(pattern, (_, verb: string) => write(verb))
      .replace(new RegExp(tail, "iu"), "")
      .trim()
  }
  return undefined
}
