import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import type { WriteOptions } from "../src/remember/remember.js"
import type { Failure } from "./commands/Command.js"
import { refused } from "./exit.js"
import { count } from "./format.js"
import type { Output } from "./output.js"
import { type Line, lineBatches } from "./stdin.js"

interface Refusal {
  readonly error: string
  readonly field?: string
  readonly line: number
}

/** Carries out what many lines ask for, each answered on its own. */
type WriteAll<Input, A> = (
  inputs: ReadonlyArray<readonly [Input, WriteOptions]>
) => Effect.Effect<ReadonlyArray<Either.Either<A, Failure>>, Failure>

/**
 * Writes what one JSON object a line of stdin asks for, one answer a line in the
 * same order. What a line does not say is taken from `defaults`; its `commandId`
 * makes it safe to send again. A refused line leaves the others alone.
 */
export const writeLines = <Input extends object, A extends object>(
  writeAll: WriteAll<Input, A>,
  out: Output,
  defaults: Partial<Input>
) =>
  Effect.gen(function* () {
    const { stdin } = process
    yield* Effect.addFinalizer(() => Effect.sync(() => stdin.destroy()))
    const batches = lineBatches(stdin.setEncoding("utf8"))
    let bad = 0
    for (;;) {
      const next = yield* Effect.tryPromise({ try: () => batches.next(), catch: () => refused("stdin cannot be read") })
      if (next.done === true) break
      for (let from = 0; from < next.value.length; from += batch) {
        const answers = yield* writeBatch(writeAll, next.value.slice(from, from + batch), defaults)
        for (const answer of answers) {
          if ("error" in answer) bad++
          out.line(answer)
        }
      }
    }
    if (bad > 0) return yield* refused(`${count(bad, "line")} refused`)
  })

/** Lines in one transaction: few enough for other writers to come in between. */
const batch = 250

const writeBatch = <Input extends object, A extends object>(
  writeAll: WriteAll<Input, A>,
  lines: ReadonlyArray<Line>,
  defaults: Partial<Input>
): Effect.Effect<ReadonlyArray<A | Refusal>, Failure> =>
  Effect.gen(function* () {
    const read = lines.map((line) => inputOf(line, defaults))
    const outcomes = yield* writeAll(read.filter(Either.isRight).map(({ right }) => right))
    let next = 0
    return read.map((one, index): A | Refusal => {
      if (Either.isLeft(one)) return one.left
      const outcome = outcomes[next++]!
      if (Either.isRight(outcome)) return outcome.right
      const error = outcome.left
      const field = "field" in error && error.field !== undefined ? error.field : fieldOf[error._tag]
      return { error: error.message, ...(field === undefined ? {} : { field }), line: lines[index]!.number }
    })
  })

/** Where a refusal that is not about one field's value still has a field to look at. */
const fieldOf: Readonly<Record<string, string>> = {
  StoreForbidden: "store",
  CredentialForbidden: "store",
  SequenceConflict: "sequence",
  CommandConflict: "commandId",
  AlreadyErased: "commandId"
}

const inputOf = <Input extends object>(
  { number, text }: Line,
  defaults: Partial<Input>
): Either.Either<readonly [Input, WriteOptions], Refusal> => {
  const wrong = (error: string, field?: string) =>
    Either.left({ error, ...(field === undefined ? {} : { field }), line: number })
  if (text === null) return wrong("the line is too long")
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch {
    return wrong("the line is not JSON")
  }
  if (typeof value !== "object" || value === null || Array.isArray(value)) return wrong("the line is not a JSON object")
  const { commandId, ...fields } = value as Record<string, unknown>
  if (commandId !== undefined && typeof commandId !== "string") return wrong("commandId: must be text", "commandId")
  return Either.right([{ ...defaults, ...fields } as Input, { commandId }])
}
