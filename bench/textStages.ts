import * as Effect from "effect/Effect"
import { hashVector } from "../layers/HashEmbedder.js"
import { lexicalReranker } from "../layers/LexicalReranker.js"
import { valuesIn } from "../layers/languages/en/values/readValues.js"
import { ruleExtractor as extractor } from "../layers/RuleExtractor.js"
import { ruleReconciler as reconciler } from "../layers/RuleReconciler.js"
import { ruleSettler as settler } from "../layers/RuleSettler.js"
import { ruleStatementReader as statements } from "../layers/RuleStatementReader.js"
import { vectorOf } from "../layers/WordEmbedder.js"
import { wordTable } from "../layers/wordTable.js"
import { parseMarkdown } from "../src/import/markdown.js"
import { mergeContents } from "../src/maintenance/mergeContents.js"
import { summarizeByRules } from "../src/maintenance/sessionSummary.js"
import { limits } from "../src/model/limits.js"
import { applyMarks } from "../src/remember/applyMarks.js"
import { mergeStatements } from "../src/remember/mergeStatements.js"
import { findCronProblem } from "../src/schedules/cadence.js"
import { conversationSyntax, memoryFilters, memorySyntax } from "../src/search/fields.js"
import { makeDuplicateCollector } from "../src/search/foldEqual.js"
import { parseQuery } from "../src/search/query.js"
import { bounds, cutBytes } from "../text/normalise/bounds.js"
import { cutIntoChunks } from "../text/normalise/chunks.js"
import { gateMessage } from "../text/normalise/gate.js"
import { isPartlyIndexed, toIndexText } from "../text/normalise/indexText.js"
import { shortenText } from "../text/normalise/sentences.js"
import { wordSet } from "../text/normalise/similarity.js"
import { resolveTimes } from "../text/when/resolveTimes.js"

/** A stage that reads free text. */
export interface TextStage {
  readonly name: string
  /** Characters (UTF-16 units) of the largest text that it reads. */
  readonly size: number
  /** Prepares the reading of a text. A stage that gives turns to the event loop yields at each turn. */
  readonly read: (text: string) => () => Iterable<unknown>
}

const now = Date.UTC(2026, 2, 14, 9)
const time = { now, zone: "Europe/Berlin" }
/** Maximum characters of title, narrative and facts together. */
const observationSize = limits.title + limits.narrative + limits.facts * limits.fact

/** A memory that contains the text. Title, narrative and facts have their maximum lengths. */
const memoryOf = (text: string, from = 0) => {
  const title = text.slice(from, from + limits.title)
  const rest = (text + text).slice(from + limits.title)
  return {
    type: "discovery",
    title,
    narrative: rest.slice(0, limits.narrative),
    facts: (rest.slice(limits.narrative).match(new RegExp(`[^]{1,${limits.fact}}`, "g")) ?? []).slice(0, limits.facts),
    tags: [] as ReadonlyArray<string>,
    people: [] as ReadonlyArray<string>,
    store: "private" as const,
    at: now - from
  }
}

const storedMemory = (text: string, id: number) =>
  ({
    ...memoryOf(text, id),
    ...{ id: `m${id}`, born: id + 1, revision: 1, status: "active", source: { kind: "agent" }, tier: "long" },
    ...{ importance: 0, tokens: 1, mentions: 1, lastMentionedAt: now, createdAt: now, updatedAt: now, files: [] }
  }) as Parameters<typeof mergeContents>[0][number]

const sessionTurns = (text: string) =>
  Array.from({ length: 200 }, (_, index) => ({
    born: index + 1,
    role: index % 2 === 0 ? ("user" as const) : ("assistant" as const),
    level: "full" as const,
    store: "private" as const,
    speaker: null,
    text: (text + text).slice(11 * index, 11 * index + 4_000),
    occurredAt: now
  }))

const turnOf = (role: "assistant" | "user", text: string) => ({ role, text, at: now })

/** Work that is one synchronous call. */
const once = (work: () => unknown) => (): ReadonlyArray<unknown> => {
  work()
  return []
}

/** A stage whose work is one synchronous call, with nothing to prepare. */
const call = (name: string, size: number, work: (text: string) => unknown): TextStage => ({
  name,
  size,
  read: (text) => once(() => work(text))
})

/** A stage that decides on texts with this beginning, from which the rules recognise the language. */
const rulesStage = (name: string, start: string): TextStage => ({
  name,
  size: observationSize,
  read: (text) => {
    const begun = (from: number) => {
      const memory = memoryOf(text, from)
      return { ...memory, title: (start + memory.title).slice(0, limits.title) }
    }
    const statement = begun(3)
    const candidates = Array.from({ length: 50 }, (_, index) => ({ ...begun(7 * index), score: 0.9 }))
    return once(() => reconciler.judge({ statement, candidates }))
  }
})

/** Every stage that reads text from callers. */
export const textStages: ReadonlyArray<TextStage> = [
  call("gate", limits.queryBytes, gateMessage),
  call("query", limits.queryBytes, (text) => {
    memoryFilters(parseQuery(text, memorySyntax).fields, time)
    parseQuery(text, conversationSyntax)
  }),
  call("times", limits.queryBytes, (text) => resolveTimes(text, time.now, time.zone)),
  call("cron expression", limits.key, findCronProblem),
  call("index text", limits.narrative, (text) => [toIndexText(text), isPartlyIndexed(text)]),
  call("chunks", limits.turn, (text) =>
    cutIntoChunks(cutBytes(text, bounds.indexedBytes)).map((chunk) => toIndexText(chunk.text))
  ),
  {
    name: "marks",
    size: observationSize,
    read: (text) => {
      const memory = memoryOf(text)
      return once(() => applyMarks(memory, { pii: true, credentials: true }))
    }
  },
  call("capture", limits.turn, (text) =>
    extractor.extract({ context: [], turns: [turnOf("user", text)], recalled: [] })
  ),
  call("capture of an answer", limits.turn, (text) =>
    extractor.extract({
      context: [turnOf("assistant", text)],
      turns: [turnOf("user", "yes, I like tea")],
      recalled: []
    })
  ),
  call("word set", observationSize, wordSet),
  call("hash embedder", observationSize, hashVector),
  call("word embedder", observationSize, (text) => vectorOf(wordTable(), text)),
  // The rules read at most 1,000 characters of a statement.
  call("values", 1_000, (text) => valuesIn(text, now)),
  rulesStage("rules", ""),
  rulesStage("rules, German", "Der Dienst ist nicht mehr auf "),
  rulesStage("rules, French", "Le service n'est plus dans la "),
  rulesStage("rules, Spanish", "El servicio ya no está en la "),
  rulesStage("rules, Chinese", "这个服务不再使用端口五千"),
  {
    name: "merge of statements",
    size: observationSize,
    read: (text) => {
      const [memory, statement] = [memoryOf(text), memoryOf(text, 9)]
      return once(() => mergeStatements(memory, statement))
    }
  },
  {
    name: "reranker",
    size: 2_000,
    read: (text) => {
      const texts = Array.from({ length: 50 }, (_, index) => text.slice(index))
      return once(() => Effect.runSync(lexicalReranker.rerank(text.slice(0, limits.queryBytes), texts)))
    }
  },
  call("folding of equal hits", 2_050, (text) => {
    const drafts = makeDuplicateCollector(true)
    for (let index = 0; index < 50; index++) drafts.take({ text: text.slice(index), time: 0, born: index } as never)
  }),
  {
    name: "session summary",
    size: 4_000 + 11 * 200,
    read: (text) => {
      const turns = sessionTurns(text)
      return () => summarizeByRules({ turns, count: 200, startedAt: now, lastAt: now }, statements, "full")
    }
  },
  {
    name: "merge by maintenance",
    size: 75_000,
    read: (text) => {
      const sources = [storedMemory(text, 0), storedMemory(text, 5)]
      return once(() => mergeContents(sources, (merged) => merged.length / 4))
    }
  },
  call("shortening", limits.narrative, (text) => shortenText(text, 280)),
  {
    name: "settler",
    size: observationSize,
    read: (text) => {
      const rows = Array.from({ length: 20 }, (_, index) => ({ memory: storedMemory(text, index) }) as never)
      return () => settleInSteps(rows)
    }
  },
  // A sixteenth of the largest file is enough: in a larger file, a stretch without a turn takes the same time.
  { name: "markdown", size: limits.importFile / 16, read: (text) => () => parseMarkdown(text, "notes/a.md") }
]

function* settleInSteps(rows: Parameters<typeof settler.settle>[0]) {
  yield* settler.settle(rows, { predecessors: () => [], wordings: () => [], contradicts: () => false })
  const repeats = settler.repeats(rows)
  for (const row of rows) repeats(row, rows[0]!)
}

/** CPU milliseconds of a stage on one text: in total, and in the longest stretch without a turn of the event loop. */
export interface StageCost {
  readonly total: number
  readonly longest: number
}

export const measureStage = ({ read }: Pick<TextStage, "read">, text: string): StageCost => {
  const work = read(text)
  const stretches: Array<number> = []
  let started = process.cpuUsage()
  const turn = () => {
    const { system, user } = process.cpuUsage(started)
    stretches.push((user + system) / 1_000)
    started = process.cpuUsage()
  }
  for (const _ of work()) turn()
  turn()
  return { total: stretches.reduce((sum, took) => sum + took, 0), longest: Math.max(...stretches) }
}
