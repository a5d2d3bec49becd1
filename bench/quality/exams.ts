import { readFileSync, statSync } from "node:fs"
import { join } from "node:path"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import type { Memory } from "../../src/Memory.js"
import type { Observation } from "../../src/model/input.js"
import { limits } from "../../src/model/limits.js"

/** A question, and the ids of the turns or documents that answer it. */
export interface Question {
  readonly text: string
  readonly evidence: ReadonlySet<string>
  readonly category: string
}

/** The content for one agent, and the questions about it. */
export interface Exam {
  /** The texts to find, for the baseline of a plain word search. */
  readonly texts: ReadonlyArray<readonly [id: string, text: string]>
  readonly questions: ReadonlyArray<Question>
  /** Stores the content through the public API. Returns a map from Daybook's ids to the ids in the exam's data. */
  readonly store: (memory: Memory) => Effect.Effect<ReadonlyMap<string, string>, unknown>
  /** The texts as memories. Present if the exam's own content is turns, because a context shows memories. */
  readonly observations?: ReadonlyArray<readonly [id: string, observation: Observation]>
  /** Searches, and returns the ids of the first 20 hits. */
  readonly search: (memory: Memory, text: string) => Effect.Effect<ReadonlyArray<string>, unknown>
}

/** Reads a file in LoCoMo format or a folder in BEIR format. */
export const readExams = (path: string): ReadonlyArray<Exam> =>
  statSync(path).isDirectory() ? readBeir(path) : parseLocomo(JSON.parse(readFileSync(path, "utf8")))

/** LoCoMo format: a list of conversations, each with numbered sessions of turns, and questions that name turns. */
export const parseLocomo = (document: unknown): ReadonlyArray<Exam> =>
  (document as ReadonlyArray<Record<string, any>>).map((sample) => {
    const turns = Object.entries(sample.conversation as Record<string, any>).flatMap(([session, list]) =>
      Array.isArray(list)
        ? list.map((turn: Record<string, string>) => ({
            id: turn.dia_id!,
            session,
            speaker: turn.speaker!,
            text: [turn.text, turn.blip_caption].filter((part) => part !== undefined && part !== "").join("\n"),
            at: instantOf(sample.conversation[`${session}_date_time`])
          }))
        : []
    )
    const known = new Set(turns.map(({ id }) => id))
    const questions = (sample.qa as ReadonlyArray<Record<string, any>>)
      // Adversarial questions have no answer in the conversation.
      .filter(({ category }) => category !== 5)
      .map((question) => ({
        text: String(question.question),
        evidence: new Set<string>(
          (question.evidence ?? [])
            .flatMap((id: string) => id.match(/D\d+:\d+/g) ?? [])
            .filter((id: string) => known.has(id))
        ),
        category: String(question.category)
      }))
      .filter(({ evidence }) => evidence.size > 0)
    // The first speaker is the user.
    const user = turns[0]?.speaker
    return {
      texts: turns.map(({ id, text }) => [id, text]),
      questions,
      observations: turns.map(({ at, id, speaker, text }) => [
        id,
        {
          type: "conversation",
          title: `${speaker}: ${text}`.slice(0, limits.title).toWellFormed(),
          ...(text.length > limits.title ? { narrative: text } : {}),
          people: [speaker],
          // Two turns may have the same words. The id makes each turn a separate memory.
          tags: [id],
          occurredAt: at
        }
      ]),
      store: (memory) =>
        Effect.map(
          Effect.forEach(turns, ({ id, ...turn }) =>
            Effect.map(
              memory.sessions.append(
                { ...turn, role: turn.speaker === user ? "user" : "assistant" },
                { extract: false }
              ),
              (added) => [added.turn.id, id] as const
            )
          ),
          (ids) => new Map(ids)
        ),
      search: (memory, text) =>
        Effect.map(memory.sessions.search({ text, limit: 20 }), (hits) => hits.map(({ id }) => id))
    }
  })

/**
 * BEIR format: a folder with `corpus.jsonl` (`_id`, `title`, `text`), `queries.jsonl` (`_id`, `text`) and `qrels.tsv`
 * (query, document, score; relevant if above 0). Each document becomes a memory.
 */
export const readBeir = (folder: string): ReadonlyArray<Exam> => {
  const linesOf = (name: string) =>
    readFileSync(join(folder, name), "utf8")
      .split("\n")
      .filter((line) => line.trim() !== "")
  const corpus = linesOf("corpus.jsonl").map((line) => JSON.parse(line) as Record<string, string>)
  const relevant = new Map<string, Set<string>>()
  for (const line of linesOf("qrels.tsv").slice(1)) {
    const [query = "", document = "", score] = line.split("\t")
    if (Number(score) > 0) relevant.set(query, (relevant.get(query) ?? new Set()).add(document))
  }
  const questions = linesOf("queries.jsonl").flatMap((line) => {
    const { _id, text } = JSON.parse(line) as Record<string, string>
    const evidence = relevant.get(_id!)
    return evidence === undefined ? [] : [{ text: text!, evidence, category: "" }]
  })
  const observations = corpus.map(({ _id, text = "", title = "" }) => ({
    title: (title || text).slice(0, limits.title).trim() || _id!,
    narrative: text.slice(0, limits.narrative),
    // Documents may be identical. The id makes each one a separate memory.
    facts: [`document ${_id}`]
  }))
  return [
    {
      texts: corpus.map(({ _id, text, title }) => [_id!, `${title ?? ""} ${text ?? ""}`]),
      questions,
      store: (memory) =>
        Effect.gen(function* () {
          const ids = new Map<string, string>()
          for (let from = 0; from < observations.length; from += limits.batch) {
            // Documents are stored without reconciliation, like imports: they do not refer to each other.
            const outcomes = yield* memory.rememberAll(
              observations.slice(from, from + limits.batch).map((one) => [one, { reconcile: false }] as const)
            )
            for (const [index, outcome] of outcomes.entries()) {
              if (Either.isLeft(outcome)) return yield* Effect.fail(outcome.left)
              ids.set(outcome.right.id, corpus[from + index]!._id!)
            }
          }
          return ids
        }),
      search: (memory, text) => Effect.map(memory.search({ text, limit: 20 }), (hits) => hits.map(({ id }) => id))
    }
  ]
}

/** Parses "1:56 pm on 8 May, 2023" as UTC. */
const instantOf = (text: string): number => {
  const [, hour, minute, half, day, month, year] = /(\d+):(\d+) (am|pm) on (\d+) (\w+), (\d+)/.exec(text) ?? []
  const at = Date.parse(`${day} ${month} ${year} ${hour}:${minute} ${half} UTC`)
  if (Number.isNaN(at)) throw new Error(`Not a date: ${text}`)
  return at
}
