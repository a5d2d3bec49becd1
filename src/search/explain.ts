import type { GateResult } from "../../text/normalise/gate.js"
import { earliestInstant, latestInstant, toIso } from "../../text/when/dates.js"
import type { ResolvedTime } from "../../text/when/resolveTimes.js"
import { describeFusion, type Fusion } from "./fusion.js"
import type { Field, Word } from "./querySyntax.js"
import type { LifeScore } from "./score.js"
import type { Correction } from "./spelling.js"

/** A word of the query that was not searched, and why. */
export interface LeftOut {
  readonly word: string
  readonly reason: "stop word" | "in too many rows" | "time" | "speaker"
}

/**
 * How a query was understood and answered. It contains the query's own words. It contains no words from memories except
 * those that the reader may read. It may reveal that no readable memory matches.
 */
export interface Explanation {
  /** `enhanced`: full text and vectors; `classic`: full text alone. */
  readonly mode: "enhanced" | "classic"
  /** The call's own settings for the fusion of full text and vectors; absent if the call sets none. */
  readonly fusion?: Fusion
  /** The gate's decision. If the `gate` option is set and the decision is no, nothing was searched. */
  readonly gate: GateResult
  /** The searched terms: any of `words`, all of `required`, none of `excluded`. */
  readonly words: ReadonlyArray<string>
  readonly required: ReadonlyArray<string>
  readonly excluded: ReadonlyArray<string>
  readonly leftOut: ReadonlyArray<LeftOut>
  /** Words that occur in no readable memory, and the words of readable memories that were searched instead. */
  readonly corrections: ReadonlyArray<Correction>
  /** Filters in the text. */
  readonly fields: ReadonlyArray<Field>
  /**
   * Times that the text names, in milliseconds. Memories in these times rank first. Turns and files in them score
   * higher.
   */
  readonly times: ReadonlyArray<Pick<ResolvedTime, "text" | "from" | "to">>
  /** True if no hit is near, which means that no memory seems to answer the query. Absent for turns and files. */
  readonly nothingNear?: boolean
  /** The model whose vectors were compared; null if only full text was searched. */
  readonly vectors: string | null
  /** The reranker that ordered the first hits; null without one. */
  readonly reranker: string | null
  /** Syntax mistakes and how they were read, filters that match no row, and services that failed. */
  readonly hints: ReadonlyArray<string>
}

/** An explanation before reranking. */
export type SearchExplanation = Omit<Explanation, "reranker">

/** The hint for a query whose times contain no row. The search then uses only its words. */
export const emptyTimesHint = (ranges: Explanation["times"]): string =>
  `nothing is recorded for ${ranges.map(({ text }) => text).join(", ")}; searched by words`

/** Returns hints that name the filter values that match no row. `passes` checks only rows that the level may read. */
export const unmatchedFilterHints = <Filters extends object>(
  subject: string,
  filters: Filters & { readonly and?: Filters },
  passes: (filters: Filters) => boolean
): ReadonlyArray<string> => {
  const { and, ...own } = filters
  const values = [own, and ?? {}].flatMap((part) =>
    Object.entries(names).flatMap(([list, name]) => {
      const listed: ReadonlyArray<string> = (part as Readonly<Record<string, ReadonlyArray<string>>>)[list] ?? []
      return listed.map((value) => ({ list, name, value }))
    })
  )
  const hasNarrowingFilter = [own, and ?? {}].some((part) => ["after", "before", "not"].some((name) => name in part))
  if ((values.length === 0 && !hasNarrowingFilter) || passes(filters)) return []
  const unmatched = values
    .slice(0, maxChecks)
    .filter(({ list, value }) => !passes({ [list]: [value] } as Filters))
    .map(({ list, name, value }) => `no ${subject} has ${name} "${value}"${list === "people" ? wholeNames : ""}`)
  return unmatched.length > 0 ? unmatched : [`no ${subject} passes all filters`]
}

/** Lists of filters, with the names of their fields. */
const names = {
  types: "type",
  stores: "store",
  tags: "tag",
  allTags: "tag",
  tiers: "tier",
  people: "person",
  projects: "project",
  sessions: "session",
  speakers: "speaker",
  roles: "role",
  kinds: "kind"
}

const wholeNames = " (person: takes a whole name; people: takes a part of a name)"

/** Maximum filter values to check. Each check costs an SQL query. */
const maxChecks = 16

/** A hit with its life score; see `lifeScoreOf`. */
export interface WithLifeScore {
  /** The score; absent if the memory was removed during the search. Below full trust it ignores accesses. */
  readonly life?: LifeScore
}

/** An answer with its explanation. */
export interface Explained<Hit> {
  readonly explanation: Explanation
  /** `why` names the parts of the score in words, the largest first. */
  readonly hits: ReadonlyArray<
    Hit & {
      readonly why: ReadonlyArray<string>
      /** The hit's rank before reranking, from 1; absent without reranking. */
      readonly before?: number
    }
  >
}

export const textsOf = (words: ReadonlyArray<Word>): ReadonlyArray<string> => words.map(({ text }) => text)

const meanings: Readonly<Record<string, string>> = {
  text: "has the words",
  vector: "is similar in meaning",
  context: "its neighbours match too",
  speaker: "said by a speaker the question names",
  date: "lies in a time the question names",
  type: "is of a type the question names",
  project: "belongs to a project the question names",
  recency: "is recent",
  mentions: "was mentioned more than once",
  importance: "is important",
  rerank: "is rated by the reranker"
}

/** The parts of a score in words, the largest first, without parts below 0.0005. */
export const scoreReasons = (parts: object, alike: number): ReadonlyArray<string> => [
  ...Object.entries(parts as Record<string, number>)
    .filter(([, part]) => part >= 0.0005)
    .sort(([, a], [, b]) => b - a)
    .map(([name, part]) => `${meanings[name] ?? name} (${part.toFixed(3)})`),
  ...(alike === 0 ? [] : [`stands for ${alike} more that ${alike === 1 ? "says" : "say"} the same`])
]

/** Says that no hit is near. */
export const nothingNearText = "nothing near: no memory seems to answer this"

/** The explanation in lines, for people. */
export const explanationLines = (explanation: Explanation): ReadonlyArray<string> => {
  const {
    corrections,
    excluded,
    fields,
    fusion,
    gate,
    hints,
    leftOut,
    mode,
    nothingNear,
    required,
    reranker,
    times,
    vectors,
    words
  } = explanation
  const line = (name: string, values: ReadonlyArray<string>) =>
    values.length === 0 ? [] : [`${name.padEnd(11)}${values.join(", ")}`]
  return [
    ...line("looked for", [...required.map((word) => `+${word}`), ...words, ...excluded.map((word) => `-${word}`)]),
    ...line(
      "left out",
      leftOut.map(({ reason, word }) => `${word} (${reason})`)
    ),
    ...line(
      "read as",
      corrections.map(({ readAs, word }) => `${word} = ${readAs.join(" or ")}`)
    ),
    ...line(
      "filters",
      fields.map(({ excluded, name, value }) => `${excluded ? "not " : ""}${name}: ${value}`)
    ),
    ...line(
      "times",
      times.map(({ from, text, to }) => `${text} = ${edge(from)} … ${edge(to)}`)
    ),
    ...line("mode", [
      mode,
      vectors === null ? "no vectors" : `vectors of ${vectors}`,
      ...(reranker === null ? [] : [`reranked by ${reranker}`])
    ]),
    ...line("fusion", fusion === undefined ? [] : [describeFusion(fusion)]),
    ...line("gate", [`${gate.recall ? "worth a recall" : "not worth a recall"} (${gate.reason})`]),
    ...line("evidence", nothingNear === true ? [nothingNearText] : []),
    ...hints.map((hint) => `${"hint".padEnd(11)}${hint}`)
  ]
}

const edge = (instant: number): string =>
  instant === earliestInstant || instant === latestInstant ? "" : toIso(instant).replace(/(?::00)?\.000Z$/, "Z")
