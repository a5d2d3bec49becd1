import { limits } from "../model/limits.js"
import type { Merged, Statement } from "../ports/Reconciler.js"

/** What an updated memory says. */
export type MergedStatement = Pick<Statement, "title" | "narrative" | "facts" | "tags" | "people">

/**
 * What a memory says once a statement was merged into it. What `merged` names
 * stands; of the rest
 * - the title is the one that says more: the other, where it holds all words of it;
 * - facts are united without repeats: one that another holds word for word gives way,
 *   and so does one whose words are all in the title;
 * - a narrative is followed by what the other adds to it; a title that was given up becomes a fact;
 * - tags and people are united, the memory's own first.
 * Never beyond `limits`: what does not fit is left out whole, the newest first, a long narrative cut at a sentence.
 */
export const mergeStatements = (target: Statement, statement: Statement, merged: Merged = {}): MergedStatement => {
  const title = fitting(merged.title, limits.title) ?? titleOf(target, statement)
  const others = [target.title, statement.title].filter((other) => !holds(title, other))
  const narrative = merged.narrative ?? narrativeOf(target.narrative, statement.narrative)
  const said = merged.facts ?? [...target.facts, ...statement.facts, ...(merged.title === undefined ? others : [])]
  return {
    title,
    ...(narrative === undefined || narrative.trim() === "" ? {} : { narrative: cut(narrative, limits.narrative) }),
    facts: factsOf(said),
    tags: united(merged.tags ?? [...target.tags, ...statement.tags], limits.tags, limits.tag),
    people: united([...target.people, ...statement.people], limits.people, limits.person)
  }
}

/** The longer title where it holds the shorter one's words, else the memory's own. */
const titleOf = (target: Statement, statement: Statement): string =>
  statement.title.length <= limits.title &&
  holds(statement.title, target.title) &&
  !holds(target.title, statement.title)
    ? statement.title
    : target.title

const fitting = (text: string | undefined, most: number): string | undefined =>
  text === undefined || text.trim() === "" || text.length > most ? undefined : text

/** Facts in their order, each once: what another holds is left out, the first of equals stays. */
const factsOf = (facts: ReadonlyArray<string>): ReadonlyArray<string> => {
  const told = facts
    .filter((fact) => fact.trim() !== "" && fact.length <= limits.fact)
    .slice(0, mostCompared)
    .map((fact) => ({ fact, words: wordsOf(fact) }))
  return told
    .filter(
      ({ words }, at) =>
        !told.some(
          (other, place) => place !== at && within(words, other.words) && (other.words !== words || place < at)
        )
    )
    .slice(0, limits.facts)
    .map(({ fact }) => fact)
}
/** Facts beyond which they are not compared with one another. */
const mostCompared = 2 * limits.facts + 2

/** Both narratives without sentences that stand in the first. */
const narrativeOf = (mine: string | undefined, stated: string | undefined): string | undefined => {
  if (mine === undefined || mine.trim() === "") return stated
  if (stated === undefined || stated.trim() === "" || holds(mine, stated)) return mine
  if (holds(stated, mine)) return stated
  const known = new Set(sentencesOf(mine).map(wordsOf))
  const added = sentencesOf(stated).filter((sentence) => !known.has(wordsOf(sentence)))
  return added.length === 0 ? mine : `${mine.trimEnd()}\n${added.join(" ").trim()}`
}

const sentencesOf = (text: string): ReadonlyArray<string> =>
  text.split(/(?<=[.!?。！？])\s+|\n+/u).filter((part) => part.trim() !== "")

/** At the end of a sentence or of a line where there is one in the last quarter, never inside of a character. */
const cut = (text: string, most: number): string => {
  if (text.length <= most) return text
  const kept = text.slice(0, most)
  const end = Math.max(kept.lastIndexOf(". "), kept.lastIndexOf("\n"))
  const clean = end > most * 0.75 ? kept.slice(0, end + 1) : kept.replace(/[\uD800-\uDBFF]$/, "")
  return clean.trimEnd()
}

const united = (values: ReadonlyArray<string>, most: number, longest: number): ReadonlyArray<string> => {
  const seen = new Set<string>()
  const kept: Array<string> = []
  for (const value of values) {
    const key = value.trim().toLowerCase()
    if (key === "" || value.length > longest || seen.has(key) || kept.length >= most) continue
    seen.add(key)
    kept.push(value)
  }
  return kept
}

/** Its words in lower case between blanks, so that one text is looked up in another by whole words. */
const wordsOf = (text: string): string =>
  ` ${(text.toLowerCase().match(/[\p{L}\p{M}\p{N}]+(?:[.,:/@+-]+[\p{L}\p{M}\p{N}]+)*/gu) ?? [text.trim()]).join(" ")} `

const within = (part: string, whole: string): boolean => whole.length >= part.length && whole.includes(part)

const holds = (whole: string, part: string): boolean => within(wordsOf(part), wordsOf(whole))
