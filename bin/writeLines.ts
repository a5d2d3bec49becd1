import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import { limits } from "../src/model/limits.js"
import type { WriteOptions } from "../src/remember/remember.js"
import type { Failure } from "./commands/Command.js"
import { refusalError } from "./exit.js"
import { countText } from "./format.js"
import type { Output } from "./output.js"
import { type Line, lineBatches } from "./stdin.js"

interface Refusal {
  readonly error: string
  readonly field?: string
  readonly line: number
}

/** Writes many inputs and returns one result for each. */
type WriteAll<Input, A> = (
  inputs: ReadonlyArray<readonly [Input, WriteOptions]>
) => Effect.Effect<ReadonlyArray<Either.Either<A, Failure>>, Failure>

/**
 * Reads one JSON object per line of stdin, writes it, and prints one answer per line in the same order. `defaults`
 * fills absent fields. A line with a `commandId` can be sent again safely. A refused line does not affect the others.
 */
export const writeLines = <Input extends object, A extends object>(
  writeAll: WriteAll<Input, A>,
  out: Output,
  defaults: Partial<Input>
) =>
  Effect.gen(function* () {
    const { stdin } = process
    yield* Effect.addFinalizer(() => Effect.sync(() => stdin.destroy()))
    const batches = lineBatches(stdin.setEncoding("latin1"))
    let refusedLines = 0
    for (;;) {
      const next = yield* Effect.tryPromise({
        try: () => batches.next(),
        catch: () => refusalError("stdin cannot be read")
      })
      if (next.done === true) break
      for (let from = 0; from < next.value.length; from += linesPerBatch) {
        const answers = yield* writeBatch(writeAll, next.value.slice(from, from + linesPerBatch), defaults)
        for (const answer of answers) {
          if ("error" in answer) refusedLines++
          out.jsonLine(answer)
        }
      }
    }
    if (refusedLines > 0) return yield* refusalError(`${countText(refusedLines, "line")} refused`)
  })

/** Lines per transaction. Few, so that other writers do not wait long. */
const linesPerBatch = 250

const writeBatch = <Input extends object, A extends object>(
  writeAll: WriteAll<Input, A>,
  lines: ReadonlyArray<Line>,
  defaults: Partial<Input>
): Effect.Effect<ReadonlyArray<A | Refusal>, Failure> =>
  Effect.gen(function* () {
    const inputs = lines.map((line) => inputOf(line, defaults))
    const outcomes = yield* writeAll(inputs.filter(Either.isRight).map(({ right }) => right))
    let next = 0
    return inputs.map((input, index): A | Refusal => {
      if (Either.isLeft(input)) return input.left
      const outcome = outcomes[next++]!
      if (Either.isRight(outcome)) return outcome.right
      const error = outcome.left
      const field = "field" in error && error.field !== undefined ? error.field : fieldOf[error._tag]
      return { error: error.message, ...(field === undefined ? {} : { field }), line: lines[index]!.number }
    })
  })

/** For errors that name no field: the field to check. */
const fieldOf: Readonly<Record<string, string>> = {
  StoreForbidden: "store",
  CredentialForbidden: "store",
  SequenceConflict: "sequence",
  CommandConflict: "commandId",
  AlreadyErased: "commandId"
}

/**
 * True if brackets outside strings are nested deeper than `maxDepth`. Checking a deeper value would overflow the stack.
 */
const isNestedDeeper = (json: string, maxDepth: number): boolean => {
  let depth = 0
  let inString = false
  for (let index = 0; index < json.length; index++) {
    const character = json[index]
    if (inString) {
      if (character === "\\") index++
      else if (character === '"') inString = false
    } else if (character === '"') inString = true
    else if (character === "[" || character === "{") {
      if (++depth > maxDepth) return true
    } else if (character === "]" || character === "}") depth--
  }
  return false
}

const inputOf = <Input extends object>(
  line: Line,
  defaults: Partial<Input>
): Either.Either<readonly [Input, WriteOptions], Refusal> => {
  const refusal = (error: string, field?: string) =>
    Either.left({ error, ...(field === undefined ? {} : { field }), line: line.number })
  if ("problem" in line) return refusal(line.problem)
  if (isNestedDeeper(line.text, limits.jsonDepth))
    return refusal(`the line is nested more than ${limits.jsonDepth} levels deep`)
  let value: unknown
  try {
    value = JSON.parse(line.text)
  } catch {
    return refusal("the line is not JSON")
  }
  if (typeof value !== "object" || value === null || Array.isArray(value))
    return refusal("the line is not a JSON object")
  const { commandId, ...fields } = value as Record<string, unknown>
  if (commandId !== undefined && typeof commandId !== "string") return refusal("commandId: must be text", "commandId")
  return Either.right([{ ...defaults, ...fields } as Input, { commandId }])
}
