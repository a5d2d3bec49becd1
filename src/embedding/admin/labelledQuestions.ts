import * as Either from "effect/Either"
import { InvalidInput } from "../../model/errors.js"

/** A question with the ids of the memories that answer it. */
export interface LabelledQuestion {
  readonly query: string
  readonly ids: ReadonlyArray<string>
}

/** Reads labelled questions, one JSON object per line: `{"query": "…", "ids": ["…"]}`. Skips empty lines. */
export const readLabelled = (text: string): Either.Either<ReadonlyArray<LabelledQuestion>, InvalidInput> => {
  const questions: Array<LabelledQuestion> = []
  for (const [index, line] of text.split("\n").entries()) {
    if (line.trim() === "") continue
    const question = parseLine(line)
    if (question === undefined) {
      const problem = 'must be {"query": "…", "ids": ["…"]} with at least one id'
      return Either.left(new InvalidInput({ field: `line ${index + 1}`, problem }))
    }
    questions.push(question)
  }
  return Either.right(questions)
}

const parseLine = (line: string): LabelledQuestion | undefined => {
  try {
    const { ids, query } = JSON.parse(line)
    const valid = typeof query === "string" && query.trim() !== "" && Array.isArray(ids) && ids.length > 0
    return valid && ids.every((id) => typeof id === "string") ? { query, ids } : undefined
  } catch {
    return undefined
  }
}

/** NDCG of the first `limit` hits, 0…1. `gains` has the gain of each relevant memory, by id. */
export const ndcg = (gains: ReadonlyMap<string, number>, hits: ReadonlyArray<string>, limit: number): number => {
  const discounted = (list: ReadonlyArray<number>) =>
    list.reduce((sum, gain, index) => sum + gain / Math.log2(index + 2), 0)
  const ideal = [...gains.values()].sort((a, b) => b - a).slice(0, limit)
  return discounted(hits.slice(0, limit).map((id) => gains.get(id) ?? 0)) / discounted(ideal)
}
