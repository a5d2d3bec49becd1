import { topicWords } from "./domains.js"
import type { Reading } from "./reading.js"
import { relativesByPronoun } from "./words.js"

// The topic, the project and the tags of a statement, if its text names them.

const topicOfPhrase: ReadonlyMap<string, string> = new Map(
  Object.entries(topicWords).flatMap(([topic, list]) => list.split(/\s+/u).map((phrase) => [phrase, topic] as const))
)
const pets = new Set<string>(relativesByPronoun.pets.split(/\s+/u))
const relatives = new Set<string>(
  [relativesByPronoun.she, relativesByPronoun.he, relativesByPronoun.they].join(" ").split(/\s+/u)
)
const dishes = /^(?:vegan|vegetarian|pescatarian|kosher|halal|lactose|gluten|eats?|drinks?|cooks?|bakes?|recipes?)$/u

/** The topic of a statement: of the first word that has a topic; undefined if no word has one. */
export const topicOf = ({
  hitList,
  piece,
  words
}: Pick<Reading, "hitList" | "piece" | "words">): string | undefined => {
  if (piece.heading !== undefined) return piece.heading.trim().toLowerCase().slice(0, maxTopic)
  if (words.some((word) => dishes.test(word))) return "food"
  for (const { index, length, wordClass } of hitList) {
    if (wordClass === "health") return "health"
    const topic =
      wordClass === "mattering" ? topicOfPhrase.get(words.slice(index, index + length).join("_")) : undefined
    if (topic !== undefined) return topic
  }
  if (words.some((word) => pets.has(word))) return "pets"
  return words.some((word) => relatives.has(word.replace(/'s$/u, ""))) ? "family" : undefined
}

/** Maximum characters of a topic that is a heading. */
const maxTopic = 40

const named = "\\p{Lu}[\\p{L}\\p{N}_-]*(?: \\p{Lu}[\\p{L}\\p{N}_-]*)?"
const projects = [
  new RegExp(`\\b[Pp]roject,? (?:is )?(?:called |named |code-?named )?"?(${named})"?`, "u"),
  new RegExp(`\\b(?:[Tt]he|[Oo]ur|[Mm]y|[Aa]) (${named}) (?:project|repo|repository|app|site)\\b`, "u"),
  /\b(?:repo|repository|package|module|service)(?: is)?(?: called| named)? [`"]?([a-z][\w]*(?:[-_/][\w]+)+|[a-z][\w.-]*(?=[`"]))/u,
  /\b(?:the|our|my) [`"]?([a-z][\w]*(?:[-_/][\w]+)+)[`"]? (?:repo|repository|package|service|project)\b/u
]

/** The project that a text names: "Project Lantern", "the Lantern project", "the web-shop repo". */
export const projectOf = (text: string): string | undefined => {
  for (const pattern of projects) {
    const name = pattern.exec(text)?.[1]
    if (name !== undefined) return name
  }
  return undefined
}

/** The tags that a text has: "#garden". */
export const tagsOf = (text: string): ReadonlyArray<string> => [
  ...new Set(
    [...text.matchAll(/(?<![\p{L}\p{N}#&/])#(\p{L}[\p{L}\p{N}_-]{1,40})/gu)].map(([, tag]) => tag!.toLowerCase())
  )
]
