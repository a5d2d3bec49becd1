import type { Link, Memory } from "../../events/Memory.js"
import { folded } from "../../text/normalise/letters.js"
import { sentencesOf, tellingWords } from "../../text/normalise/sentences.js"
import { normaliseTags } from "../model/input.js"
import { limits } from "../model/limits.js"

/** What is written of several memories that say the same over again: all but its identity. */
export type Summary = Pick<
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
> &
  Partial<
    Pick<Memory, "narrative" | "occurredAt" | "expiresAt" | "project" | "topic" | "session" | "channel" | "sender">
  > & {
    readonly lineage: ReadonlyArray<Link>
  }

/** How titles and facts are compared: without case, accents, punctuation around words and doubled spaces. */
export const plainly = (text: string): string =>
  folded(text)
    .toLowerCase()
    .replace(/[\p{P}\p{S}]+(?=\s|$)|(?<=\s|^)[\p{P}]+/gu, " ")
    .trim()
    .replace(/\s+/gu, " ")

/**
 * Folds memories, the oldest first, into one that says all that they say: the newest title, every distinct fact, and of
 * the narratives the sentences that say a number, a date or a name that nothing before them says. Null where they do
 * not fit into one, or nothing is gained. By rule alone.
 *
 * With a heading they say different things: it is the title, what each says stays together, there need be no gain but
 * that they are one, and that it was said so often is not said of all of it.
 */
export const summaryOf = (
  sources: ReadonlyArray<Memory>,
  countTokens: (text: string) => number,
  heading?: string
): Summary | null => {
  const title = heading ?? sources.at(-1)!.title
  const facts = new Map<string, string>()
  const titleKey = plainly(title)
  const note = (fact: string) => {
    const key = plainly(fact)
    const like = key === titleKey ? title : facts.get(key)
    if (like === undefined) facts.set(key, fact)
    else if (fact !== like && losesWords([title, ...facts.values()], fact)) facts.set(`= ${fact}`, fact)
  }
  if (heading === undefined) for (const source of sources) note(source.title)
  for (const source of sources) {
    if (heading !== undefined) note(source.title)
    for (const fact of source.facts) note(fact)
  }
  const days = [...new Set(sources.flatMap(({ occurredAt }) => (occurredAt === undefined ? [] : [dayOf(occurredAt)])))]
  if (days.length > 1) facts.set("days", `${happenedOn}${days.sort().join(", ")}`)
  const said = new Set([title, ...facts.values()].flatMap((text) => [...tellingWords(text)]))
  const sentences: Array<string> = []
  for (const { narrative = "" } of sources) {
    for (const sentence of sentencesOf(narrative)) {
      const news = [...tellingWords(sentence)].filter((word) => !said.has(word))
      if (news.length === 0) continue
      sentences.push(sentence)
      for (const word of news) said.add(word)
    }
  }
  const union = (of: (memory: Memory) => ReadonlyArray<string>) => [...new Set(sources.flatMap(of))]
  const [people, files, tags] = [
    union((one) => one.people),
    union((one) => one.files),
    normaliseTags(union((one) => one.tags))
  ]
  const narrative = sentences.join(" ")
  const all = [...facts.values()]
  const tooMuch =
    all.length > limits.facts ||
    all.some(({ length }) => length > limits.fact) ||
    narrative.length > limits.narrative ||
    people.length > limits.people ||
    files.length > limits.files ||
    union((one) => one.tags).length > limits.tags ||
    sources.length > limits.sources
  if (tooMuch) return null
  const tokens = countTokens([title, narrative, ...all].join("\n"))
  if (heading === undefined && tokens >= sources.reduce((sum, one) => sum + one.tokens, 0)) return null
  const happened = sources.flatMap(({ occurredAt }) => occurredAt ?? [])
  const summary: Summary = {
    title,
    ...(narrative === "" ? {} : { narrative }),
    facts: all,
    tags,
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
    // What one of them says for good is said for good.
    ...(sources.every(({ expiresAt }) => expiresAt !== undefined)
      ? { expiresAt: Math.max(...sources.map(({ expiresAt }) => expiresAt!)) }
      : {}),
    ...common(sources, "project"),
    ...common(sources, "topic"),
    ...common(sources, "session"),
    ...common(sources, "channel"),
    ...common(sources, "sender"),
    lineage: sources.map(({ id }): Link => ({ kind: "derived", to: id, reason: "compressed" }))
  }
  return missingFrom(sources, summary).length === 0 ? summary : null
}

/** The fact that tells the days of sources that happened on several. It comes from no text of theirs. */
export const daysIn = ({ facts }: Pick<Summary, "facts">): ReadonlyArray<string> =>
  facts.filter((fact) => fact.startsWith(happenedOn))

const happenedOn = "Happened on "

/** What sources say and a summary of them does not: facts, numbers, dates, names, people, files, tags. */
export const missingFrom = (
  sources: ReadonlyArray<Memory>,
  summary: Pick<Memory, "title" | "facts" | "people" | "files" | "tags" | "occurredAt"> &
    Partial<Pick<Memory, "narrative">>
): ReadonlyArray<string> => {
  const statements = new Set([summary.title, ...summary.facts].map(plainly))
  const texts = [summary.title, summary.narrative ?? "", ...summary.facts]
  const words = new Set(texts.flatMap((text) => [...tellingWords(text)]))
  return sources.flatMap((source) => [
    ...[source.title, ...source.facts].filter((one) => !statements.has(plainly(one))),
    ...[source.title, source.narrative ?? "", ...source.facts].flatMap((text) =>
      [...tellingWords(text)].filter((word) => !words.has(word))
    ),
    ...source.people.filter((name) => !summary.people.includes(name)),
    ...source.files.filter((file) => !summary.files.includes(file)),
    ...source.tags.filter((tag) => !summary.tags.includes(tag)),
    ...(source.occurredAt === undefined || dated(summary, dayOf(source.occurredAt)) ? [] : [dayOf(source.occurredAt)])
  ])
}

const dated = ({ facts, occurredAt }: Pick<Memory, "facts" | "occurredAt">, day: string): boolean =>
  (occurredAt !== undefined && dayOf(occurredAt) === day) || facts.some((fact) => fact.includes(day))

/** Whether a text says a number, a date or a name that others do not. */
const losesWords = (others: ReadonlyArray<string>, text: string): boolean => {
  const said = new Set(others.flatMap((one) => [...tellingWords(one)]))
  return [...tellingWords(text)].some((word) => !said.has(word))
}

const dayOf = (instant: number): string => new Date(instant).toISOString().slice(0, 10)

const common = <K extends "project" | "topic" | "session" | "channel" | "sender">(
  sources: ReadonlyArray<Memory>,
  field: K
): Partial<Pick<Memory, K>> => {
  const [first, ...others] = new Set(sources.map((one) => one[field]))
  return first === undefined || others.length > 0 ? {} : ({ [field]: first } as Partial<Pick<Memory, K>>)
}
