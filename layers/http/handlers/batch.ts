import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import { InvalidInput } from "../../../src/model/errors.js"
import { problemOf } from "../api/problems.js"
import type { BatchEntry } from "../api/types.js"
import { refuseOptions, requireList, type WriteOptions } from "./call.js"

/** The entries of a batch. One idempotency key cannot identify several entries, so each entry's options have a key. */
export const checkBatchEntries = <Entry>(
  { commandId, run }: WriteOptions,
  others: object,
  payload: ReadonlyArray<Entry>
) =>
  Effect.gen(function* () {
    yield* refuseOptions(others)
    if (commandId !== undefined || run !== undefined)
      return yield* new InvalidInput({
        field: commandId === undefined ? "run" : "Idempotency-Key",
        problem: "cannot be set for a batch: set it on each entry, as [entry, { commandId, run }]"
      })
    return yield* requireList("body", payload)
  })

/** The outcome of each entry. */
export const batchAnswer = <A, E extends { readonly _tag: string; readonly message: string }>(
  outcomes: ReadonlyArray<Either.Either<A, E>>
): ReadonlyArray<BatchEntry<A>> =>
  outcomes.map((outcome) =>
    Either.isRight(outcome) ? { answer: outcome.right } : { problem: problemOf(outcome.left) }
  )
