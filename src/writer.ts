import * as Context from "effect/Context"
import * as DefaultServices from "effect/DefaultServices"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Tracer from "effect/Tracer"
import type { StorageError } from "../events/errors.js"
import type { ViewError } from "../projections/view/buildViewFile.js"
import type { Agent } from "./actor/Agents.js"
import { type Command, runCause } from "./actor/Command.js"
import { addFile } from "./conversation/addFile.js"
import { addTurn } from "./conversation/addTurn.js"
import type { FileWriter } from "./conversation/Files.js"
import { forgetFile } from "./conversation/forgetFile.js"
import { forgetSession } from "./conversation/forgetSession.js"
import type { SessionWriter } from "./conversation/Sessions.js"
import type { ImportTarget } from "./import/importFiles.js"
import { recordImport } from "./import/recordImport.js"
import type { Memory, MemoryReader } from "./Memory.js"
import type { Maintainer } from "./maintenance/maintain.js"
import { InvalidInput } from "./model/errors.js"
import { refuseUnknownOptions } from "./model/filters.js"
import { decodeKey } from "./model/input.js"
import { limits } from "./model/limits.js"
import { forget } from "./remember/forget.js"
import { remember, type WriteOptions, type Writer } from "./remember/remember.js"
import { restore } from "./remember/restore.js"
import { update } from "./remember/update.js"
import type { ScheduleWriter } from "./schedules/Schedules.js"
import type { Undoer } from "./undo/undo.js"

/** Runs work on the agent, which it wakes where it sleeps. */
type Use = <A, E>(f: (agent: Agent) => Effect.Effect<A, E>) => Effect.Effect<A, E | ViewError>

export interface MemoryParts {
  readonly reader: MemoryReader
  readonly use: Use
  readonly writer: Writer
  /** Whether the agent has no events. */
  readonly isEmpty: Effect.Effect<boolean, StorageError>
  /** Services of `undo` and `maintain`. */
  readonly services: Omit<Undoer & Maintainer, "run">
}

/**
 * A reader with writes. Each write is a command that the agent's actor carries
 * out. Its input is decoded when the Effect runs, so inside its span and in
 * each retry.
 */
export const make = ({ isEmpty, reader, services, use, writer }: MemoryParts): Memory => {
  const runner = makeRunner(use)
  const runCommand: Maintainer["run"] = (command) => use(({ actor }) => actor.run(command))
  const rememberAll: Memory["rememberAll"] = Effect.fn("Memory.rememberAll")((observations) =>
    runner.runAll("observations", observations, (input, options) => remember(writer, input, options), rememberOptions)
  )
  return {
    ...reader,
    ...memoryWrites(runner, writer),
    sessions: { ...reader.sessions, ...sessionWrites(runner, writer) },
    files: { ...reader.files, ...fileWrites(runner, writer) },
    archive: {
      ...reader.archive,
      restore: Effect.fn("Memory.archive.restore")((id, options) =>
        runner.run(() => restore(writer, id, options), options)
      )
    },
    schedules: { ...reader.schedules, ...scheduleWrites(runner, writer) },
    rememberAll,
    importMarkdown: Effect.fn("Memory.importMarkdown")(function* (paths, options) {
      yield* refuseUnknownOptions(options ?? {}, ["store", "whenEmpty", "reconcile", "onProgress"])
      // The markdown parser is loaded on first use, because most programs never import.
      const { importFiles } = yield* Effect.promise(() => import("./import/importFiles.js"))
      const record: ImportTarget["record"] = (payload, run) => runCommand(recordImport(writer.actor, payload, run))
      const { run, version, ...imported } = yield* importFiles({ isEmpty, rememberAll, record }, paths, options)
      // Versions and runs serve undo, which needs full trust.
      return version === undefined || run === undefined || writer.level !== "full"
        ? imported
        : { ...imported, version, run }
    }),
    maintenance: {
      ...reader.maintenance,
      run: Effect.fn("Memory.maintenance.run")((options) =>
        Effect.flatMap(
          Effect.promise(() => import("./maintenance/maintain.js")),
          ({ maintain }) => maintain({ ...services, run: runCommand }, writer, options)
        )
      )
    },
    undo: Effect.fn("Memory.undo")((selection, options) =>
      Effect.flatMap(
        Effect.promise(() => import("./undo/undo.js")),
        ({ undo }) => undo({ ...services, run: runCommand }, writer, selection, options)
      )
    )
  }
}

type Runner = ReturnType<typeof makeRunner>

/** Decodes input into commands and has the agent's actor carry them out. */
const makeRunner = (use: Use) => ({
  run: <A, E, Refused>(
    decode: () => Either.Either<Command<A, E>, Refused>,
    options?: WriteOptions,
    optionNames = writeOptions
  ) =>
    Effect.suspend(() =>
      Effect.flatMap(inRun(decode(), options, optionNames), (command) => use(({ actor }) => actor.run(command)))
    ),

  /** Carries out many commands of one kind in one transaction and answers each of them. */
  runAll: <Input, A, E, Refused>(
    field: string,
    inputs: ReadonlyArray<Input | readonly [Input, WriteOptions]>,
    decode: (input: Input, options?: WriteOptions) => Either.Either<Command<A, E>, Refused>,
    optionNames = writeOptions
  ) =>
    Effect.gen(function* () {
      if (inputs.length > limits.batch) {
        return yield* new InvalidInput({ field, problem: `must have at most ${limits.batch} entries` })
      }
      const decoded = inputs.map((input) =>
        isPair(input) ? inRun(decode(input[0], input[1]), input[1], optionNames) : decode(input as Input)
      )
      const commands = decoded.flatMap((command) => (Either.isRight(command) ? [command.right] : []))
      yield* Effect.annotateCurrentSpan({ [field]: inputs.length, refused: inputs.length - commands.length })
      const outcomes = commands.length === 0 ? [] : yield* use(({ actor }) => actor.runAll(commands))
      let next = 0
      return decoded.map((command) => (Either.isLeft(command) ? Either.left(command.left) : outcomes[next++]!))
    })
})

const memoryWrites = ({ run }: Runner, writer: Writer): Pick<Memory, "remember" | "update" | "forget"> => ({
  remember: (observation, options) =>
    traced(
      "Memory.remember",
      run(() => remember(writer, observation, options), options, rememberOptions)
    ),
  update: Effect.fn("Memory.update")((id, changes, options) =>
    run(() => update(writer, id, changes, options), options)
  ),
  forget: Effect.fn("Memory.forget")((id, options) => run(() => forget(writer, id, options), options))
})

const sessionWrites = ({ run, runAll }: Runner, writer: Writer): SessionWriter => ({
  append: Effect.fn("Memory.sessions.append")((turn, options) => run(() => addTurn(writer, turn, options), options)),
  appendAll: Effect.fn("Memory.sessions.appendAll")((turns) =>
    runAll("turns", turns, (turn, options) => addTurn(writer, turn, options))
  ),
  forget: Effect.fn("Memory.sessions.forget")((session, options) =>
    run(() => forgetSession(writer, session, options), options)
  )
})

const fileWrites = ({ run }: Runner, writer: Writer): FileWriter => ({
  add: Effect.fn("Memory.files.add")((file, options) => run(() => addFile(writer, file, options), options)),
  forget: Effect.fn("Memory.files.forget")((path, options) => run(() => forgetFile(writer, path, options), options))
})

/** Writes of schedules. The cron parser is loaded on first use, because few programs schedule anything. */
const scheduleWrites = ({ run }: Runner, writer: Writer): ScheduleWriter => ({
  add: Effect.fn("Memory.schedules.add")((schedule, options) =>
    Effect.flatMap(
      Effect.promise(() => import("./schedules/addSchedule.js")),
      ({ addSchedule }) => run(() => addSchedule(writer, schedule, options), options)
    )
  ),
  update: Effect.fn("Memory.schedules.update")((id, changes, options) =>
    Effect.flatMap(
      Effect.promise(() => import("./schedules/updateSchedule.js")),
      ({ updateSchedule }) => run(() => updateSchedule(writer, id, changes, options), options)
    )
  ),
  delete: Effect.fn("Memory.schedules.delete")((id, options) =>
    Effect.flatMap(
      Effect.promise(() => import("./schedules/deleteSchedule.js")),
      ({ deleteSchedule }) => run(() => deleteSchedule(writer, id, options), options)
    )
  )
})

/** Checks the options of a write, and gives its command the run that they name, if any. */
const inRun = <A, E, Refused>(
  command: Either.Either<Command<A, E>, Refused>,
  options: WriteOptions | undefined,
  optionNames: ReadonlyArray<string>
): Either.Either<Command<A, E>, Refused | InvalidInput> => {
  if (options === undefined) return command
  const known = refuseUnknownOptions(options, optionNames)
  if (Either.isLeft(known)) return Either.left(known.left)
  const { run } = options
  if (run === undefined) return command
  return Either.flatMap(command, (valid) =>
    Either.map(decodeKey("run", run), (name): Command<A, E> => ({ ...valid, cause: runCause(name) }))
  )
}

const writeOptions: ReadonlyArray<string> = ["commandId", "run"]
const rememberOptions: ReadonlyArray<string> = [...writeOptions, "reconcile"]

/**
 * A span for the most frequent write. It is left out where the program has no
 * tracer. It takes no stack trace, which costs as much as the rest of the write.
 */
const traced = <A, E>(name: string, effect: Effect.Effect<A, E>): Effect.Effect<A, E> =>
  Effect.tracerWith((tracer) =>
    tracer === untraced ? effect : Effect.withSpan(effect, name, { captureStackTrace: false })
  )

/** Effect's default tracer, which discards spans. */
const untraced = Context.get(DefaultServices.liveServices, Tracer.Tracer)

const isPair = <A, B>(value: A | readonly [A, B]): value is readonly [A, B] => Array.isArray(value)
