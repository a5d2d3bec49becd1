import type { Option } from "commander"
import type * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import type { InvalidExport } from "../../events/copies/importLines.js"
import type { NotAccepted, StorageError } from "../../events/errors.js"
import type { TrustLevel } from "../../events/Trust.js"
import type { TokenNotFound, TokensUnavailable } from "../../layers/access/TokenFile.js"
import type { PolicyFile } from "../../layers/config.js"
import type { CannotListen } from "../../layers/http/serve.js"
import type { CommandError } from "../../src/actor/Actor.js"
import type { Daybook } from "../../src/Daybook.js"
import type { Memory, MemoryReader } from "../../src/Memory.js"
import type * as errors from "../../src/model/errors.js"
import type { EmbedderError } from "../../src/ports/Embedder.js"
import type { EmbedderUnavailable, UnknownEmbedder } from "../../src/ports/Embedders.js"
import type { CommandEnded, Outcome } from "../exit.js"
import type { AsOf, TimeArgument } from "../options.js"
import type { Output } from "../output.js"

/**
 * One command of the command line: its usage, help and implementation. To add a command, add a file to this folder and
 * a line to `all.ts`. `Options` and `Args` are the values that commander parses.
 */
export interface Command<Options = object, Args extends ReadonlyArray<unknown> = readonly []> {
  /** The command's name and arguments, `get <id...>`: `<>` is required, `[]` is optional, `...` takes a list. */
  readonly usage: string
  /** Another name of the command. */
  readonly alias?: string
  /** Begins with a verb and has at most 70 characters, like the description of each option. */
  readonly summary: string
  readonly options?: ReadonlyArray<Option>
  /** The values of the first argument, for shell completion, if `usage` does not list them. */
  readonly words?: ReadonlyArray<string>
  /** Lines of help below the options. */
  readonly details?: ReadonlyArray<string>
  /** Example calls for the help, without `daybook`. */
  readonly examples?: ReadonlyArray<string>
  /** True if the command refuses an option that is passed twice. Otherwise the last value counts. */
  readonly takesOptionsOnce?: boolean
  /** True if the command requires trust level `full`, because it reads or changes data of every level. */
  readonly operator?: boolean
  /** True if the command warns and runs with the default policy when the folder's policy cannot be read. */
  readonly toleratesPolicy?: boolean
  /**
   * True if the command neither changes nor compares memories. It then runs without loading the decision rules.
   */
  readonly needsNoRules?: true
  /** The message after an interruption: what was stored, and how to continue. */
  readonly afterInterruption?: string
  /** True if the command runs until a signal ends it. That is its normal end, with exit code 0. */
  readonly isService?: boolean
  /** Creates a missing data folder: always (`true`), or only with this first argument. Otherwise the command fails. */
  readonly creates?: true | string
  readonly run: (call: Call, options: Options, args: Args) => Effect.Effect<void, Failure, Scope.Scope>
}

/** Any command, with any options and arguments. */
export type AnyCommand = Command<never, never>

/** The context of a command: the caller, the output, and the data folder, which is opened on first use. */
export interface Call {
  readonly agent: string
  /** The writer's name in the history. */
  readonly actor: string
  /** True if `--data` was passed. */
  readonly dataWasPassed: boolean
  /** True if `--agent` was passed. */
  readonly agentWasPassed: boolean
  readonly trust: TrustLevel
  /** True if `--trust` was passed. */
  readonly trustWasPassed: boolean
  /** The path of the data folder, which may be missing. */
  readonly folder: string
  /** The path of the data folder. Fails if the folder is missing or cannot be used. */
  readonly checkFolder: Effect.Effect<string, CommandEnded | StorageError>
  /** Reads the given policy file or, without one, the policy file of the data folder. */
  readonly policyFile: (file?: string) => Effect.Effect<PolicyFile>
  readonly out: Output
  readonly daybook: Effect.Effect<Context.Tag.Service<Daybook>, Failure, Scope.Scope>
  readonly memory: Effect.Effect<Memory, Failure, Scope.Scope>
  /** Reads the present memory, or the memory as of a version or time. */
  readonly reader: (asOf: AsOf | undefined) => Effect.Effect<MemoryReader, Failure, Scope.Scope>
  /**
   * Resolves a time to milliseconds since the epoch. Words such as "yesterday" are relative to now, in the policy's
   * zone.
   */
  readonly resolveTime: <M extends TimeArgument | undefined>(
    time: M
  ) => Effect.Effect<number | (undefined extends M ? undefined : never), Failure>
  /** Runs another command line and prints its answers to `out`. */
  readonly runCommandLine: (argv: ReadonlyArray<string>, out: Output) => Effect.Effect<Outcome>
}

/** Every expected failure of a command. Each has a message of one line. */
export type Failure =
  | InstancesOf<typeof errors>
  | CannotListen
  | CommandError
  | CommandEnded
  | EmbedderError
  | EmbedderUnavailable
  | InvalidExport
  | NotAccepted
  | StorageError
  | TokenNotFound
  | TokensUnavailable
  | UnknownEmbedder

/** The instances of the classes that a module exports. */
type InstancesOf<Module> = {
  [Name in keyof Module]: Module[Name] extends abstract new (...args: never) => infer Instance ? Instance : never
}[keyof Module]
