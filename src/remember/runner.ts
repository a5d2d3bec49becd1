import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import { annotate } from "../../events/tracing.js"
import { isYieldDue, yieldToEventLoop } from "../../events/turns.js"
import type { ViewError } from "../../projections/view/buildViewFile.js"
import type { Agent } from "../actor/Agent.js"
import { type AnyCommand, type Command, runCause } from "../actor/Command.js"
import { InvalidInput } from "../model/errors.js"
import { refuseUnknownOptions } from "../model/filters.js"
import { decodeKey } from "../model/input.js"
import { limits } from "../model/limits.js"
import type { WriteOptions } from "./remember.js"

/** Runs work on the agent, and wakes the agent if it sleeps. */
export type UseAgent = <A, E>(f: (agent: Agent) => Effect.Effect<A, E>) => Effect.Effect<A, E | ViewError>

/** Decodes the input of writes into commands, and has the agent's actor carry them out. */
export type Runner = ReturnType<typeof makeRunner>

/** The input is decoded each time the Effect runs: inside its span, and again in each retry. */
export const makeRunner = (use: UseAgent) => ({
  run: <A, E, Refused>(
    decode: () => Either.Either<Command<A, E>, Refused>,
    options?: WriteOptions,
    optionNames = writeOptionNames
  ) =>
    Effect.suspend(() =>
      Effect.flatMap(inRun(decode, options, optionNames), (command) => use(({ actor }) => actor.run(command)))
    ),

  /** Decodes a caller's input into a command, which the caller of this function carries out. */
  decoded: <C extends AnyCommand, Refused>(
    decode: () => Either.Either<C, Refused>,
    options?: WriteOptions,
    optionNames = writeOptionNames
  ) => Effect.suspend(() => inRun(decode, options, optionNames)),

  /**
   * Carries out commands in one transaction, unless it becomes long. Each is decided after the earlier ones are applied.
   * A refused command does not affect the others.
   */
  runTogether: <A, E>(commands: ReadonlyArray<Command<A, E>>) => use(({ actor }) => actor.runAll(commands)),

  /** Carries out a command that is not made from a caller's input. */
  runCommand: <A, E>(command: Command<A, E>) => use(({ actor }) => actor.run(command)),

  /** Carries out many commands of one kind. Returns one answer for each. See `Actor.runAll`. */
  runAll: <Input, A, E, Refused>(
    field: string,
    inputs: ReadonlyArray<Input | readonly [Input, WriteOptions]>,
    decode: (input: Input, options?: WriteOptions) => Either.Either<Command<A, E>, Refused>,
    optionNames = writeOptionNames
  ) =>
    Effect.gen(function* () {
      if (!Array.isArray(inputs as unknown) || inputs.length > limits.batch) {
        return yield* new InvalidInput({ field, problem: `must be a list of at most ${limits.batch} entries` })
      }
      const decoded: Array<Either.Either<Command<A, E>, Refused | InvalidInput>> = []
      for (const input of inputs) {
        if (isYieldDue()) yield* yieldToEventLoop
        decoded.push(
          isPair(input) ? inRun(() => decode(input[0], input[1]), input[1], optionNames) : decode(input as Input)
        )
      }
      const commands = decoded.flatMap((command) => (Either.isRight(command) ? [command.right] : []))
      yield* annotate({ "gen_ai.memory.record.count": inputs.length, commands: commands.length })
      const outcomes = commands.length === 0 ? [] : yield* use(({ actor }) => actor.runAll(commands))
      let next = 0
      return decoded.map((command) => (Either.isLeft(command) ? Either.left(command.left) : outcomes[next++]!))
    })
})

/** Checks the options of a write. If they name a run, the command belongs to that run. */
const inRun = <C extends AnyCommand, Refused>(
  decode: () => Either.Either<C, Refused>,
  options: WriteOptions | undefined,
  optionNames: ReadonlyArray<string>
): Either.Either<C, Refused | InvalidInput> => {
  if (options === undefined) return decode()
  const known = refuseUnknownOptions(options, optionNames)
  if (Either.isLeft(known)) return Either.left(known.left)
  const command = decode()
  const { run } = options
  if (run === undefined) return command
  return Either.flatMap(command, (valid) =>
    Either.map(decodeKey("run", run), (name): C => ({ ...valid, cause: runCause(name) }))
  )
}

export const writeOptionNames: ReadonlyArray<string> = ["commandId", "run"]

const isPair = <A, B>(value: A | readonly [A, B]): value is readonly [A, B] => Array.isArray(value)
