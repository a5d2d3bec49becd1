import type { Link, Memory } from "../../events/Memory.js"
import { levelOf, lowestLevel } from "../../events/Trust.js"
import { lazy } from "../../text/normalise/lazy.js"
import { foldLetters } from "../../text/normalise/letters.js"
import { sentencesOf, specificWords } from "../../text/normalise/sentences.js"
import { normaliseTags } from "../model/input.js"
import { limits } from "../model/limits.js"
import { memoryText } from "../model/memoryText.js"

/** The content of a memory that merges several others: all fields except its identity. */
export type MergedContent = Pick<
  Memory,
  | "title"
  | "facts"
  | "tags"
  | "people"
  | "files"
  | "importance"
  | "mentions"
  | "lastMentionedAt"
  | "createdAt"
  | "updatedAt"
  | "tokens"
  | "level"
> &
  Partial<
    Pick<Memory, "narrative" | "occurredAt" | "expiresAt" | "project" | "topic" | "session" | "channel" | "sender">
  > & {
    readonly lineage: ReadonlyArray<Link>
  }

/**
 * Returns the comparison key of a title or fact: the text without case, accents, punctuation around words, and repeated
 * spaces.
 */
export const comparisonKey = (text: string): string =>
  foldLetters(text).toLowerCase().replace(signsOfWords(), " ").trim().replace(/\s+/gu, " ")

/**
 * Matches punctuation and symbols after a word, and punctuation before a word. The first look-behind prevents the
 * matcher from starting again at each sign of a long run.
 */
const signsOfWords = lazy(() => /(?<![\p{P}\p{S}])[\p{P}\p{S}]+(?=\s|$)|(?<=\s|^)[\p{P}]+/gu)

/**
 * Merges memories, oldest first, by rules alone. The result has the newest title, every distinct fact, and each
 * narrative sentence with a new number, date or name. Returns null if
 * - the sources have more than 150,000 characters,
 * - the result would exceed a field limit or cost more tokens than its sources, or
 * - the result would lose information.
 *
 * A heading means that the sources have different content. The heading then becomes the title, each source's title
 * precedes its facts, the result need not save tokens, and `mentions` is the highest count instead of the sum.
 */
export const mergeContents = (
  sources: ReadonlyArray<Memory>,
  countTokens: (text: string) => number,
  heading?: string
): MergedContent | null => {
  if (charactersOf(sources) > maxMerged) return null
  const title = heading ?? sources.at(-1)!.title
  const facts = mergedFacts(sources, title, heading !== undefined)
  const narrative = newSentences([title, ...facts], sources).join(" ")
  const union = (valuesOf: (memory: Memory) => ReadonlyArray<string>) => [...new Set(sources.flatMap(valuesOf))]
  const people = union((source) => source.people)
  const files = union((source) => source.files)
  const tags = union((source) => source.tags)
  const isTooLarge =
    facts.length > limits.facts ||
    facts.some(({ length }) => length > limits.fact) ||
    narrative.length > limits.narrative ||
    people.length > limits.people ||
    files.length > limits.files ||
    tags.length > limits.tags ||
    sources.length > limits.sources
  if (isTooLarge) return null
  const tokens = countTokens(memoryText({ title, narrative, facts }))
  // Each source ends with a line break, which costs one token.
  const cost = sources.reduce((sum, source) => sum + source.tokens, sources.length - 1)
  if (heading === undefined && tokens > cost) return null
  const happened = sources.flatMap(({ occurredAt }) => occurredAt ?? [])
  const summary: MergedContent = {
    title,
    ...(narrative === "" ? {} : { narrative }),
    facts,
    tags: normaliseTags(tags),
    people,
    files,
    importance: Math.max(...sources.map(({ importance }) => importance)),
    tokens,
    mentions:
      heading === undefined
        ? sources.reduce((sum, { mentions }) => sum + mentions, 0)
        : Math.max(...sources.map(({ mentions }) => mentions)),
    lastMentionedAt: Math.max(...sources.map(({ lastMentionedAt }) => lastMentionedAt)),
    ...(happened.length === 0 ? {} : { occurredAt: Math.max(...happened) }),
    createdAt: Math.max(...sources.map(({ createdAt }) => createdAt)),
    updatedAt: Math.max(...sources.map(({ updatedAt }) => updatedAt)),
    // One source without an expiry date keeps the result from expiring.
    ...(sources.every(({ expiresAt }) => expiresAt !== undefined)
      ? { expiresAt: Math.max(...sources.map(({ expiresAt }) => expiresAt!)) }
      : {}),
    ...common(sources, "project"),
    ...common(sources, "topic"),
    ...common(sources, "session"),
    ...common(sources, "channel"),
    ...common(sources, "sender"),
    level: lowestLevel("full", ...sources.map(levelOf)),
    lineage: sources.map(({ id }): Link => ({ kind: "derived", to: id, reason: "compressed" }))
  }
  return missingContent(sources, summary).length === 0 ? summary : null
}

/** Maximum characters of all sources together. Merging this many takes about 45 ms. */
const maxMerged = 150_000

const charactersOf = (sources: ReadonlyArray<Memory>): number =>
  sources.reduce(
    (sum, { facts, narrative = "", title }) =>
      sum + title.length + narrative.length + facts.reduce((length, fact) => length + fact.length, 0),
    0
  )

/**
 * Titles and facts of the sources, without repeats. For sources from several days, an additional fact lists the days.
 */
const mergedFacts = (sources: ReadonlyArray<Memory>, title: string, keepTogether: boolean): ReadonlyArray<string> => {
  const facts = new Map<string, string>()
  const titleKey = comparisonKey(title)
  const words = new Set(specificWords(title))
  const addFact = (key: string, fact: string) => {
    facts.set(key, fact)
    for (const word of specificWords(fact)) words.add(word)
  }
  const add = (fact: string) => {
    const key = comparisonKey(fact)
    const equal = key === titleKey ? title : facts.get(key)
    if (equal === undefined) addFact(key, fact)
    // The keys are equal, but the new wording has a specific word that is missing so far, such as a name in capitals:
    // keep both wordings.
    else if (fact !== equal && [...specificWords(fact)].some((word) => !words.has(word))) addFact(`= ${fact}`, fact)
  }
  if (!keepTogether) for (const source of sources) add(source.title)
  for (const source of sources) {
    if (keepTogether) add(source.title)
    for (const fact of source.facts) add(fact)
  }
  const days = [...new Set(sources.flatMap(({ occurredAt }) => (occurredAt === undefined ? [] : [dayOf(occurredAt)])))]
  return [...facts.values(), ...(days.length > 1 ? [`${happenedOn}${days.sort().join(", ")}`] : [])]
}

/** Sentences of the narratives with a number, date or name that is neither in the texts nor in an earlier sentence. */
const newSentences = (texts: ReadonlyArray<string>, sources: ReadonlyArray<Memory>): ReadonlyArray<string> => {
  const words = new Set(texts.flatMap((text) => [...specificWords(text)]))
  const sentences: Array<string> = []
  for (const { narrative = "" } of sources) {
    for (const sentence of sentencesOf(narrative)) {
      const newWords = [...specificWords(sentence)].filter((word) => !words.has(word))
      if (newWords.length === 0) continue
      sentences.push(sentence)
      for (const word of newWords) words.add(word)
    }
  }
  return sentences
}

/** Returns the generated fact that lists the days of the sources; empty if all sources are from one day. */
export const dayFactsOf = ({ facts }: Pick<MergedContent, "facts">): ReadonlyArray<string> =>
  facts.filter((fact) => fact.startsWith(happenedOn))

const happenedOn = "Happened on "

/** Lists content of the sources that is missing from a summary: facts, numbers, dates, names, people, files, tags. */
export const missingContent = (
  sources: ReadonlyArray<Memory>,
  summary: Pick<Memory, "title" | "facts" | "people" | "files" | "tags" | "occurredAt"> &
    Partial<Pick<Memory, "narrative">>
): ReadonlyArray<string> => {
  const statements = new Set([summary.title, ...summary.facts].map(comparisonKey))
  const texts = [summary.title, summary.narrative ?? "", ...summary.facts]
  const words = new Set(texts.flatMap((text) => [...specificWords(text)]))
  return sources.flatMap((source) => [
    ...[source.title, ...source.facts].filter((text) => !statements.has(comparisonKey(text))),
    ...[source.title, source.narrative ?? "", ...source.facts].flatMap((text) =>
      [...specificWords(text)].filter((word) => !words.has(word))
    ),
    ...source.people.filter((name) => !summary.people.includes(name)),
    ...source.files.filter((file) => !summary.files.includes(file)),
    ...source.tags.filter((tag) => !summary.tags.includes(tag)),
    ...(source.occurredAt === undefined || hasDay(summary, dayOf(source.occurredAt)) ? [] : [dayOf(source.occurredAt)])
  ])
}

const hasDay = ({ facts, occurredAt }: Pick<Memory, "facts" | "occurredAt">, day: string): boolean =>
  (occurredAt !== undefined && dayOf(occurredAt) === day) || facts.some((fact) => fact.includes(day))

const dayOf = (instant: number): string => new Date(instant).toISOString().slice(0, 10)

const common = <K extends "project" | "topic" | "session" | "channel" | "sender">(
  sources: ReadonlyArray<Memory>,
  field: K
): Partial<Pick<Memory, K>> => {
  const [first, ...others] = new Set(sources.map((source) => source[field]))
  return first === undefined || others.length > 0 ? {} : ({ [field]: first } as Partial<Pick<Memory, K>>)
}
