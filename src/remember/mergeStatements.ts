import { lastSentenceEnd, sentencesOf } from "../../text/normalise/sentences.js"
import { limits } from "../model/limits.js"
import type { Statement, UpdatedContent } from "../ports/Reconciler.js"

/** The texts of a merged memory. */
export type MergedStatement = Pick<Statement, "title" | "narrative" | "facts" | "tags" | "people">

/**
 * Merges a statement into a memory. Fields that `merged` names are taken unchanged. The others follow these rules:
 * - The title is the memory's title, or the statement's title if that contains the memory's title.
 * - Facts are united. A fact that another fact contains word for word is dropped.
 * - The new sentences of the statement follow the memory's narrative.
 * - The title that is not used becomes a fact, unless the used title contains its words.
 * - Tags and people are united, the memory's own first.
 *
 * `limits` apply: entries beyond them are dropped, the newest first, and a long narrative is cut at the end of a sentence.
 */
export const mergeStatements = (
  target: Statement,
  statement: Statement,
  merged: UpdatedContent = {}
): MergedStatement => {
  const title = ifWithinLimit(merged.title, limits.title) ?? titleOf(target, statement)
  const others = [target.title, statement.title].filter((other) => !containsWords(title, other))
  const narrative = merged.narrative ?? narrativeOf(target.narrative, statement.narrative)
  const facts = merged.facts ?? [...target.facts, ...statement.facts, ...(merged.title === undefined ? others : [])]
  return {
    title,
    ...(narrative === undefined || narrative.trim() === "" ? {} : { narrative: truncate(narrative, limits.narrative) }),
    facts: factsOf(facts),
    tags: distinctWithin(merged.tags ?? [...target.tags, ...statement.tags], limits.tags, limits.tag),
    people: distinctWithin([...target.people, ...statement.people], limits.people, limits.person)
  }
}

/** Returns the statement's title if it contains the memory's title, else the memory's title. */
const titleOf = (target: Statement, statement: Statement): string =>
  statement.title.length <= limits.title &&
  containsWords(statement.title, target.title) &&
  !containsWords(target.title, statement.title)
    ? statement.title
    : target.title

const ifWithinLimit = (text: string | undefined, maxCharacters: number): string | undefined =>
  text === undefined || text.trim() === "" || text.length > maxCharacters ? undefined : text

/** Returns the facts in order, without facts that another fact contains. The first of equal facts is kept. */
const factsOf = (facts: ReadonlyArray<string>): ReadonlyArray<string> => {
  const candidates = facts
    .filter((fact) => fact.trim() !== "" && fact.length <= limits.fact)
    .slice(0, maxCompared)
    .map((fact) => ({ fact, words: wordsOf(fact) }))
  let searched = 0
  const isPartOf = (words: string, container: string): boolean => {
    if (container.length < words.length || searched > maxSearched) return false
    searched += container.length
    return container.includes(words)
  }
  const firsts = new Map(candidates.map(({ words }, index) => [words, index] as const).reverse())
  return candidates
    .filter(
      ({ words }, index) =>
        firsts.get(words) === index &&
        !candidates.some((other) => other.words !== words && isPartOf(words, other.words))
    )
    .slice(0, limits.facts)
    .map(({ fact }) => fact)
}

/**
 * Limits for comparing facts with each other, because the cost is quadratic: number of facts, and characters of all
 * comparisons.
 */
const maxCompared = 2 * limits.facts + 2
const maxSearched = 20_000_000

/** The memory's narrative, followed by the sentences of the statement's narrative that are missing from it. */
const narrativeOf = (existing: string | undefined, addition: string | undefined): string | undefined => {
  if (existing === undefined || existing.trim() === "") return addition
  if (addition === undefined || addition.trim() === "" || containsWords(existing, addition)) return existing
  if (containsWords(addition, existing)) return addition
  const knownSentences = new Set(sentencesOf(existing).map(wordsOf))
  const added = sentencesOf(addition).filter((sentence) => !knownSentences.has(wordsOf(sentence)))
  return added.length === 0 ? existing : `${existing.trimEnd()}\n${added.join(" ").trim()}`
}

/** Cuts a text at the end of a sentence or line in its last quarter, if any, and never inside a character. */
const truncate = (text: string, maxCharacters: number): string => {
  if (text.length <= maxCharacters) return text
  const head = text.slice(0, maxCharacters)
  const end = lastSentenceEnd(head)
  const cutText = end > maxCharacters * 0.75 ? head.slice(0, end) : head.replace(/[\uD800-\uDBFF]$/, "")
  return cutText.trimEnd()
}

const distinctWithin = (
  values: ReadonlyArray<string>,
  maxEntries: number,
  maxCharacters: number
): ReadonlyArray<string> => {
  const seen = new Set<string>()
  const lines: Array<string> = []
  for (const value of values) {
    const key = value.trim().toLowerCase()
    if (key === "" || value.length > maxCharacters || seen.has(key) || lines.length >= maxEntries) continue
    seen.add(key)
    lines.push(value)
  }
  return lines
}

/** The words of a text in lower case between blanks, so that `includes` compares whole words. */
const wordsOf = (text: string): string =>
  ` ${(text.toLowerCase().match(/[\p{L}\p{M}\p{N}]+(?:[.,:/@+-]+[\p{L}\p{M}\p{N}]+)*/gu) ?? [text.trim()]).join(" ")} `

const isContained = (part: string, container: string): boolean =>
  container.length >= part.length && container.includes(part)

const containsWords = (container: string, part: string): boolean => isContained(wordsOf(part), wordsOf(container))
