import * as Either from "effect/Either"
import { InvalidInput } from "../../model/errors.js"

/** A question with the ids of the memories that answer it. */
export interface Labelled {
  readonly query: string
  readonly ids: ReadonlyArray<string>
}

/** Reads labelled questions: one JSON object a line, `{"query": "…", "ids": ["…"]}`; empty lines are left out. */
export const readLabelled = (text: string): Either.Either<ReadonlyArray<Labelled>, InvalidInput> => {
  const found: Array<Labelled> = []
  for (const [at, line] of text.split("\n").entries()) {
    if (line.trim() === "") continue
    const one = parsed(line)
    if (one === undefined) {
      const problem = 'is to be {"query": "…", "ids": ["…"]}, with one id at least'
      return Either.left(new InvalidInput({ field: `line ${at + 1}`, problem }))
    }
    found.push(one)
  }
  return Either.right(found)
}

const parsed = (line: string): Labelled | undefined => {
  try {
    const { ids, query } = JSON.parse(line)
    const sound = typeof query === "string" && query.trim() !== "" && Array.isArray(ids) && ids.length > 0
    return sound && ids.every((id) => typeof id === "string") ? { query, ids } : undefined
  } catch {
    return undefined
  }
}
