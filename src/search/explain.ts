import type { Gated } from "../../text/normalise/gate.js"
import { earliest, latest, toIso } from "../../text/when/dates.js"
import type { When } from "../../text/when/when.js"
import type { Field, Word } from "./query.js"
import type { LifeScore } from "./score.js"

/** A word of the query that was not looked for, and why. */
export interface LeftOut {
  readonly word: string
  readonly reason: "stop word" | "in too many rows" | "time" | "speaker"
}

/**
 * How a query was understood and answered. Holds what the query says and nothing
 * of what is remembered, but that there is nothing of it that the level may read.
 */
export interface Explanation {
  /** `enhanced`: full text and vectors; `classic`: full text alone. */
  readonly mode: "enhanced" | "classic"
  /** The gate's opinion; where it was asked and said no, nothing was looked for. */
  readonly gate: Gated
  /** What was looked for: any of these, all of those required, none of those excluded. */
  readonly words: ReadonlyArray<string>
  readonly required: ReadonlyArray<string>
  readonly excluded: ReadonlyArray<string>
  readonly leftOut: ReadonlyArray<LeftOut>
  /** Filters that stood in the text. */
  readonly fields: ReadonlyArray<Field>
  /** Times that the text names, in milliseconds; what lies in them is preferred. */
  readonly times: ReadonlyArray<Pick<When, "text" | "from" | "to">>
  /** The model whose vectors took part; null where full text answered alone. */
  readonly vectors: string | null
  /** Who looked at the first hits once more; null where nobody did. */
  readonly reranker: string | null
  /** Mistakes in the query's syntax and how they were read; what was asked for and is nowhere; who failed to answer. */
  readonly hints: ReadonlyArray<string>
}

/** That nothing lies in the times of a query, where it is answered by its words. */
export const nothingIn = (ranges: Explanation["times"]): string =>
  `nothing is recorded for ${ranges.map(({ text }) => text).join(", ")}; searched by words`

/** Why no row passes filters, if none does: values that nothing has. Each look is as wide as what the level reads. */
export const withoutRows = <Filters extends object>(
  thing: string,
  filters: Filters & { readonly and?: Filters },
  passes: (filters: Filters) => boolean
): ReadonlyArray<string> => {
  const { and, ...own } = filters
  const listed = [own, and ?? {}].flatMap((some) =>
    Object.entries(names).flatMap(([list, name]) => {
      const values: ReadonlyArray<string> = (some as Readonly<Record<string, ReadonlyArray<string>>>)[list] ?? []
      return values.map((value) => ({ list, name, value }))
    })
  )
  const narrowed = [own, and ?? {}].some((some) => ["after", "before", "not"].some((name) => name in some))
  if ((listed.length === 0 && !narrowed) || passes(filters)) return []
  const nowhere = listed
    .slice(0, mostLooks)
    .filter(({ list, value }) => !passes({ [list]: [value] } as Filters))
    .map(({ list, name, value }) => `no ${thing} has ${name} "${value}"${list === "people" ? wholeNames : ""}`)
  return nowhere.length > 0 ? nowhere : [`no ${thing} passes all of the filters`]
}

/** Lists of filters, by the names that fields have. */
const names = {
  types: "type",
  stores: "store",
  tags: "tag",
  people: "person",
  projects: "project",
  sessions: "session",
  speakers: "speaker",
  roles: "role",
  kinds: "kind"
}

const wholeNames = " (a whole name; people: looks for parts of one)"

const mostLooks = 16

/** A memory that was found, with what it is worth keeping by the policy; see `scoreOf`. */
export interface Living {
  /** Absent where it went meanwhile. Below full trust without the times that it was shown. */
  readonly life?: LifeScore
}

/** An answer with its explanation. */
export interface Explained<Hit> {
  readonly explanation: Explanation
  /** Each says in words what its score is made of, the weightiest first. */
  readonly hits: ReadonlyArray<
    Hit & {
      readonly why: ReadonlyArray<string>
      /** Its place before the reranker looked, from 1; absent where none did. */
      readonly before?: number
    }
  >
}

export const wordsOf = (words: ReadonlyArray<Word>): ReadonlyArray<string> => words.map(({ text }) => text)

const meanings: Readonly<Record<string, string>> = {
  text: "has the words",
  vector: "is alike in meaning",
  context: "its neighbours were found too",
  speaker: "said by whom the question names",
  date: "lies in the time that the question names",
  project: "is of the project that the question names",
  recency: "is recent",
  mentions: "was mentioned more than once",
  importance: "is important",
  rerank: "stands up to a second look"
}

/** What a score is made of, in words, the weightiest part first; parts that add nothing are left out. */
export const whyOf = (parts: object, alike: number): ReadonlyArray<string> => [
  ...Object.entries(parts as Record<string, number>)
    .filter(([, part]) => part >= 0.0005)
    .sort(([, a], [, b]) => b - a)
    .map(([name, part]) => `${meanings[name] ?? name} (${part.toFixed(3)})`),
  ...(alike === 0 ? [] : [`stands for ${alike} more that ${alike === 1 ? "says" : "say"} the same`])
]

/** The explanation in lines, for people. */
export const linesOf = (explanation: Explanation): ReadonlyArray<string> => {
  const { excluded, fields, gate, hints, leftOut, mode, required, reranker, times, vectors, words } = explanation
  const line = (name: string, values: ReadonlyArray<string>) =>
    values.length === 0 ? [] : [`${name.padEnd(11)}${values.join(", ")}`]
  return [
    ...line("looked for", [...required.map((word) => `+${word}`), ...words, ...excluded.map((word) => `-${word}`)]),
    ...line(
      "left out",
      leftOut.map(({ reason, word }) => `${word} (${reason})`)
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
    ...line("gate", [`${gate.recall ? "worth a recall" : "not worth a recall"} (${gate.reason})`]),
    ...hints.map((hint) => `${"hint".padEnd(11)}${hint}`)
  ]
}

const edge = (instant: number): string =>
  instant === earliest || instant === latest ? "" : toIso(instant).replace(/(?::00)?\.000Z$/, "Z")
