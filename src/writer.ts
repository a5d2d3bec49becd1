import * as Context from "effect/Context"
import * as DefaultServices from "effect/DefaultServices"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Tracer from "effect/Tracer"
import type { StorageError } from "../events/errors.js"
import type { ViewError } from "../projections/view/build.js"
import type { Agent } from "./actor/Agents.js"
import { type Command, runCause } from "./actor/Command.js"
import { addFile } from "./conversation/addFile.js"
import { addTurn } from "./conversation/addTurn.js"
import { forgetFile } from "./conversation/forgetFile.js"
import { forgetSession } from "./conversation/forgetSession.js"
import type { ImportTarget } from "./import/importFiles.js"
import { recordImport } from "./import/recordImport.js"
import type { Memory, MemoryReader } from "./Memory.js"
import type { Maintainer } from "./maintenance/maintain.js"
import { InvalidInput } from "./model/errors.js"
import { decodeKey } from "./model/input.js"
import { limits } from "./model/limits.js"
import { forget } from "./remember/forget.js"
import { remember, type WriteOptions, type Writer } from "./remember/remember.js"
import { restore } from "./remember/restore.js"
import { update } from "./remember/update.js"
import type { Undoer } from "./undo/undo.js"

type Use = <A, E>(f: (agent: Agent) => Effect.Effect<A, E>) => Effect.Effect<A, E | ViewError>

/** A reader that may also write: each write is a command, checked here and carried out by the agent's actor. */
export const make = (
  reader: MemoryReader,
  use: Use,
  writer: Writer,
  isEmpty: Effect.Effect<boolean, StorageError>,
  undoer: Omit<Undoer & Maintainer, "run">
): Memory => {
  const run = <A, E, Refused>(command: Either.Either<Command<A, E>, Refused>, options?: WriteOptions) =>
    Effect.flatMap(inRun(command, options), (sound) => use(({ actor }) => actor.run(sound)))
  /** Many commands of one kind in one transaction, each answered on its own. */
  const runAll = <Input, A, E, Refused>(
    field: string,
    inputs: ReadonlyArray<Input | readonly [Input, WriteOptions]>,
    make: (writer: Writer, input: Input, options?: WriteOptions) => Either.Either<Command<A, E>, Refused>
  ) =>
    Effect.gen(function* () {
      if (inputs.length > limits.batch) {
        return yield* new InvalidInput({ field, problem: `has more than ${limits.batch} entries` })
      }
      const commands = inputs.map((one) =>
        isPair(one) ? inRun(make(writer, one[0], one[1]), one[1]) : make(writer, one as Input)
      )
      const sound = commands.flatMap((command) => (Either.isRight(command) ? [command.right] : []))
      const outcomes = sound.length === 0 ? [] : yield* use(({ actor }) => actor.runAll(sound))
      let next = 0
      return commands.map((command) => (Either.isLeft(command) ? Either.left(command.left) : outcomes[next++]!))
    })
  const rememberAll: Memory["rememberAll"] = Effect.fn("Memory.rememberAll")((observations) =>
    runAll("observations", observations, remember)
  )
  return {
    ...reader,
    remember: (observation, options) => traced("Memory.remember", run(remember(writer, observation, options), options)),
    rememberAll,
    importMarkdown: Effect.fn("Memory.importMarkdown")(function* (paths, options) {
      // Most programs never import: the markdown parser is loaded by those that do.
      const { importFiles } = yield* Effect.promise(() => import("./import/importFiles.js"))
      const record: ImportTarget["record"] = (payload, run) =>
        use(({ actor }) => actor.run(recordImport(writer.actor, payload, run)))
      const { run, version, ...imported } = yield* importFiles({ isEmpty, rememberAll, record }, paths, options)
      // Whoever may not undo has no use for the names of versions and runs.
      return version === undefined || run === undefined || writer.level !== "full"
        ? imported
        : { ...imported, version, run }
    }),
    addTurn: Effect.fn("Memory.addTurn")((turn, options) => run(addTurn(writer, turn, options), options)),
    addTurns: Effect.fn("Memory.addTurns")((turns) => runAll("turns", turns, addTurn)),
    addFile: Effect.fn("Memory.addFile")((file, options) => run(addFile(writer, file, options), options)),
    forgetFile: Effect.fn("Memory.forgetFile")((path, options) => run(forgetFile(writer, path, options), options)),
    forgetSession: Effect.fn("Memory.forgetSession")((session, options) =>
      run(forgetSession(writer, session, options), options)
    ),
    update: Effect.fn("Memory.update")((id, changes, options) => run(update(writer, id, changes, options), options)),
    forget: Effect.fn("Memory.forget")((id, options) => run(forget(writer, id, options), options)),
    restore: Effect.fn("Memory.restore")((id, options) => run(restore(writer, id, options), options)),
    maintain: Effect.fn("Memory.maintain")((options) =>
      Effect.flatMap(
        Effect.promise(() => import("./maintenance/maintain.js")),
        ({ maintain }) =>
          maintain({ ...undoer, run: (command) => use(({ actor }) => actor.run(command)) }, writer, options)
      )
    ),
    // Few programs schedule anything: what reads cron expressions is loaded by those that do.
    addSchedule: Effect.fn("Memory.addSchedule")((schedule, options) =>
      Effect.flatMap(
        Effect.promise(() => import("./schedules/addSchedule.js")),
        ({ addSchedule }) => run(addSchedule(writer, schedule, options), options)
      )
    ),
    updateSchedule: Effect.fn("Memory.updateSchedule")((id, changes, options) =>
      Effect.flatMap(
        Effect.promise(() => import("./schedules/updateSchedule.js")),
        ({ updateSchedule }) => run(updateSchedule(writer, id, changes, options), options)
      )
    ),
    deleteSchedule: Effect.fn("Memory.deleteSchedule")((id, options) =>
      Effect.flatMap(
        Effect.promise(() => import("./schedules/deleteSchedule.js")),
        ({ deleteSchedule }) => run(deleteSchedule(writer, id, options), options)
      )
    ),
    undo: Effect.fn("Memory.undo")((what, options) =>
      Effect.flatMap(
        Effect.promise(() => import("./undo/undo.js")),
        ({ undo }) =>
          undo({ ...undoer, run: (command) => use(({ actor }) => actor.run(command)) }, writer, what, options)
      )
    )
  }
}

/** A command as a part of the run that the options name, if they name one. */
const inRun = <A, E, Refused>(command: Either.Either<Command<A, E>, Refused>, { run }: WriteOptions = {}) =>
  run === undefined
    ? command
    : Either.flatMap(command, (sound) =>
        Either.map(decodeKey("run", run), (name): Command<A, E> => ({ ...sound, cause: runCause(name) }))
      )

/** A span for the most frequent call: none where nobody traces, and no stack traces, which cost as much as all the rest of it. */
const traced = <A, E>(name: string, effect: Effect.Effect<A, E>): Effect.Effect<A, E> =>
  Effect.tracerWith((tracer) =>
    tracer === untraced ? effect : Effect.withSpan(effect, name, { captureStackTrace: false })
  )

/** The tracer that is in force where a program brings none: its spans go nowhere. */
const untraced = Context.get(DefaultServices.liveServices, Tracer.Tracer)

const isPair = <A, B>(value: A | readonly [A, B]): value is readonly [A, B] => Array.isArray(value)
