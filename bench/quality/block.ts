import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import { Daybook } from "../../src/Daybook.js"
import { limits } from "../../src/model/limits.js"
import { memoryOf, openDaybook, remove, temporaryFolder } from "../harness.js"
import type { Exam } from "./exams.js"

/** How much of a question's evidence is in a context, and in the first ten hits of a search. */
export interface ContextResult {
  readonly text: string
  readonly category: string
  /** Shares of the evidence, 0…1. */
  readonly block: number
  readonly top10: number
  readonly tokens: number
  /** Memories that the context shows. */
  readonly rows: number
  /** Parts that were left out, and why. */
  readonly leftOut: ReadonlyArray<string>
}

/** Stores each turn as a memory, then reads a context of `tokens` for each question. */
export const measureContext = async (exam: Exam, tokens: number): Promise<ReadonlyArray<ContextResult>> => {
  const { observations = [], questions } = exam
  const folder = temporaryFolder()
  const daybook = openDaybook(folder)
  const results = await daybook.run(
    Effect.gen(function* () {
      const memory = yield* memoryOf("agent")
      const dataIds = new Map<string, string>()
      for (let from = 0; from < observations.length; from += limits.batch) {
        const portion = observations.slice(from, from + limits.batch)
        const outcomes = yield* memory.rememberAll(portion.map(([, one]) => [one, { reconcile: false }] as const))
        for (const [index, outcome] of outcomes.entries()) {
          if (Either.isLeft(outcome)) return yield* Effect.fail(outcome.left)
          dataIds.set(outcome.right.id, portion[index]![0])
        }
      }
      yield* (yield* Daybook).backfill("agent")
      return yield* Effect.forEach(questions, ({ category, evidence, text }) =>
        Effect.gen(function* () {
          const hits = yield* memory.search({ text, limit: 10 })
          const context = yield* memory.context({ message: text, tokens })
          const shown = context.parts.flatMap(({ memories }) => memories)
          const shareOf = (rows: ReadonlyArray<{ readonly id: string }>) =>
            new Set(rows.map(({ id }) => dataIds.get(id)!).filter((id) => evidence.has(id))).size / evidence.size
          return {
            text,
            category,
            block: shareOf(shown),
            top10: shareOf(hits),
            tokens: context.tokens,
            rows: shown.length,
            leftOut: context.leftOut.map(({ part, reason }) => `${part}: ${reason}`)
          }
        })
      )
    })
  )
  await daybook.close()
  remove(folder)
  return results
}

/** The means by category, as lines. */
export const renderContextResults = (results: ReadonlyArray<ContextResult>, tokens: number): string => {
  const mean = (some: ReadonlyArray<ContextResult>, of: (result: ContextResult) => number) =>
    some.reduce((sum, result) => sum + of(result), 0) / some.length
  const line = (name: string, some: ReadonlyArray<ContextResult>) =>
    [
      name.padEnd(24),
      String(some.length).padStart(6),
      mean(some, ({ block }) => block)
        .toFixed(3)
        .padStart(8),
      mean(some, ({ top10 }) => top10)
        .toFixed(3)
        .padStart(8),
      mean(some, ({ rows }) => rows)
        .toFixed(1)
        .padStart(8),
      mean(some, (result) => result.tokens)
        .toFixed(0)
        .padStart(8),
      String(some.filter(({ block, top10 }) => block < top10).length).padStart(8),
      String(some.filter(({ block, top10 }) => block > top10).length).padStart(8)
    ].join(" ")
  const heads = ["block", "top 10", "rows", "tokens", "worse", "better"].map((head) => head.padStart(8)).join(" ")
  const categories = [...new Set(results.map(({ category }) => category))].sort()
  const reasons = new Map<string, number>()
  for (const reason of results.flatMap(({ leftOut }) => leftOut)) reasons.set(reason, (reasons.get(reason) ?? 0) + 1)
  return [
    `${`evidence in ${tokens} tokens`.padEnd(24)} ${"asked".padStart(6)} ${heads}`,
    line("all", results),
    ...categories.map((category) =>
      line(
        `  category ${category}`,
        results.filter((result) => result.category === category)
      )
    ),
    ...[...reasons].sort(([, a], [, b]) => b - a).map(([reason, count]) => `left out ${count} times: ${reason}`)
  ].join("\n")
}
