import { limits } from "../model/limits.js"
import type { Merged, Statement } from "../ports/Reconciler.js"

/** The texts of a merged memory. */
export type MergedStatement = Pick<Statement, "title" | "narrative" | "facts" | "tags" | "people">

/**
 * Merges a statement into a memory. Fields that `merged` names are taken as they
 * are. The others are merged by these rules:
 * - The title is the memory's own, or the statement's if that contains it.
 * - Facts are united. A fact that another fact contains word for word is dropped.
 * - The statement's new sentences follow the memory's narrative.
 * - A title that lost becomes a fact, unless the winning title contains its words.
 * - Tags and people are united, the memory's own first.
 * `limits` hold: entries beyond them are dropped, the newest first, and a long
 * narrative is cut at the end of a sentence.
 */
export const mergeStatements = (target: Statement, statement: Statement, merged: Merged = {}): MergedStatement => {
  const title = fitting(merged.title, limits.title) ?? titleOf(target, statement)
  const others = [target.title, statement.title].filter((other) => !holds(title, other))
  const narrative = merged.narrative ?? narrativeOf(target.narrative, statement.narrative)
  const facts = merged.facts ?? [...target.facts, ...statement.facts, ...(merged.title === undefined ? others : [])]
  return {
    title,
    ...(narrative === undefined || narrative.trim() === "" ? {} : { narrative: cut(narrative, limits.narrative) }),
    facts: factsOf(facts),
    tags: united(merged.tags ?? [...target.tags, ...statement.tags], limits.tags, limits.tag),
    people: united([...target.people, ...statement.people], limits.people, limits.person)
  }
}

/** The statement's title if it contains the memory's, else the memory's own. */
const titleOf = (target: Statement, statement: Statement): string =>
  statement.title.length <= limits.title &&
  holds(statement.title, target.title) &&
  !holds(target.title, statement.title)
    ? statement.title
    : target.title

const fitting = (text: string | undefined, maxCharacters: number): string | undefined =>
  text === undefined || text.trim() === "" || text.length > maxCharacters ? undefined : text

/** Facts in order, without those that another fact contains. Of equal facts the first stays. */
const factsOf = (facts: ReadonlyArray<string>): ReadonlyArray<string> => {
  const candidates = facts
    .filter((fact) => fact.trim() !== "" && fact.length <= limits.fact)
    .slice(0, maxCompared)
    .map((fact) => ({ fact, words: wordsOf(fact) }))
  return candidates
    .filter(
      ({ words }, index) =>
        !candidates.some(
          (other, otherIndex) =>
            otherIndex !== index && within(words, other.words) && (other.words !== words || otherIndex < index)
        )
    )
    .slice(0, limits.facts)
    .map(({ fact }) => fact)
}

/** Bounds the comparison of facts with each other, whose cost is quadratic. */
const maxCompared = 2 * limits.facts + 2

/** The memory's narrative, then the sentences of the statement's narrative that it lacks. */
const narrativeOf = (own: string | undefined, stated: string | undefined): string | undefined => {
  if (own === undefined || own.trim() === "") return stated
  if (stated === undefined || stated.trim() === "" || holds(own, stated)) return own
  if (holds(stated, own)) return stated
  const known = new Set(sentencesOf(own).map(wordsOf))
  const added = sentencesOf(stated).filter((sentence) => !known.has(wordsOf(sentence)))
  return added.length === 0 ? own : `${own.trimEnd()}\n${added.join(" ").trim()}`
}

const sentencesOf = (text: string): ReadonlyArray<string> =>
  text.split(/(?<=[.!?。！？])\s+|\n+/u).filter((part) => part.trim() !== "")

/** Cuts a text at the end of a sentence or line in its last quarter, if any, and never inside a character. */
const cut = (text: string, maxCharacters: number): string => {
  if (text.length <= maxCharacters) return text
  const kept = text.slice(0, maxCharacters)
  const end = Math.max(kept.lastIndexOf(". "), kept.lastIndexOf("\n"))
  const clean = end > maxCharacters * 0.75 ? kept.slice(0, end + 1) : kept.replace(/[\uD800-\uDBFF]$/, "")
  return clean.trimEnd()
}

const united = (values: ReadonlyArray<string>, maxEntries: number, maxCharacters: number): ReadonlyArray<string> => {
  const seen = new Set<string>()
  const kept: Array<string> = []
  for (const value of values) {
    const key = value.trim().toLowerCase()
    if (key === "" || value.length > maxCharacters || seen.has(key) || kept.length >= maxEntries) continue
    seen.add(key)
    kept.push(value)
  }
  return kept
}

/** The words of a text in lower case between blanks, so that `includes` compares whole words. */
const wordsOf = (text: string): string =>
  ` ${(text.toLowerCase().match(/[\p{L}\p{M}\p{N}]+(?:[.,:/@+-]+[\p{L}\p{M}\p{N}]+)*/gu) ?? [text.trim()]).join(" ")} `

const within = (part: string, whole: string): boolean => whole.length >= part.length && whole.includes(part)

const holds = (whole: string, part: string): boolean => within(wordsOf(part), wordsOf(whole))
