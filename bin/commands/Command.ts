import type { Option } from "commander"
import type * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import type { StorageError } from "../../events/errors.js"
import type { TrustLevel } from "../../events/Trust.js"
import type { CommandError } from "../../src/actor/Actor.js"
import type { Daybook } from "../../src/Daybook.js"
import type { Memory, MemoryReader } from "../../src/Memory.js"
import type {
  CredentialForbidden,
  FileInSession,
  FileNotFound,
  InvalidInput,
  InvalidPolicy,
  MemoryNotFound,
  NoSuchIndex,
  NothingToUndo,
  NotUndoable,
  PathRefused,
  ProjectionParked,
  RecallNotFound,
  RunNotFound,
  ScheduleNotFound,
  SequenceConflict,
  SessionNotFound,
  SourceNotFound,
  StoreForbidden,
  TooManySchedules,
  TrustRequired,
  VersionNotFound
} from "../../src/model/errors.js"
import type { EmbedderError } from "../../src/ports/Embedder.js"
import type { EmbedderUnavailable, UnknownEmbedder } from "../../src/ports/Embedders.js"
import type { PolicyValues } from "../../src/ports/Policy.js"
import type { Ended, Outcome } from "../exit.js"
import type { AsOf, Moment } from "../options.js"
import type { Output } from "../output.js"

/**
 * One command of the command line: how it is called and what it does. A new
 * one is a file in this folder and a line in `all.ts`. `Options` and `Args` are
 * what commander makes of the calls that fit.
 */
export interface Command<Options = object, Args extends ReadonlyArray<unknown> = readonly []> {
  /** Its name and its arguments, `get <id...>`: `<>` must be there, `[]` may be, `...` makes a list of it. */
  readonly usage: string
  readonly summary: string
  readonly options?: ReadonlyArray<Option>
  /** Calls worth trying, without `daybook`. */
  readonly examples?: ReadonlyArray<string>
  /** What looks behind all trust levels needs the full one. */
  readonly operator?: boolean
  /** Whether it makes the data folder where there is none: always, or where this is its first argument; others say so. */
  readonly creates?: true | string
  readonly run: (call: Call, options: Options, args: Args) => Effect.Effect<void, Failure, Scope.Scope>
}

/** Any command, seen from outside: what its options and arguments are is its own business. */
export type AnyCommand = Command<never, never>

/** What a command may use: who calls, where answers go, and the data folder, opened when it is first asked for. */
export interface Call {
  readonly agent: string
  /** Whether the call names the agent. */
  readonly agentGiven: boolean
  readonly trust: TrustLevel
  /** The policy of the data folder. */
  readonly policy: Effect.Effect<PolicyValues, InvalidPolicy | Ended>
  /** The policy that a file holds. */
  readonly policyIn: (file: string) => Effect.Effect<PolicyValues, InvalidPolicy>
  readonly out: Output
  readonly daybook: Effect.Effect<Context.Tag.Service<Daybook>, Failure, Scope.Scope>
  readonly memory: Effect.Effect<Memory, Failure, Scope.Scope>
  /** The memory as it is now, or as it was. */
  readonly reader: (asOf: AsOf | undefined) => Effect.Effect<MemoryReader, Failure, Scope.Scope>
  /** Milliseconds since the epoch of a time, words for one taken as now and in the policy's zone. */
  readonly momentOf: <M extends Moment | undefined>(
    said: M
  ) => Effect.Effect<number | (undefined extends M ? undefined : never), Failure>
  /** Carries out another command line, as if it had been called, with its answers to `out`. */
  readonly again: (argv: ReadonlyArray<string>, out: Output) => Effect.Effect<Outcome>
}

/** Everything that can be said no to. Each has a message of one line. */
export type Failure =
  | CommandError
  | CredentialForbidden
  | EmbedderError
  | EmbedderUnavailable
  | Ended
  | FileInSession
  | FileNotFound
  | InvalidInput
  | InvalidPolicy
  | MemoryNotFound
  | NoSuchIndex
  | NothingToUndo
  | NotUndoable
  | PathRefused
  | RecallNotFound
  | ProjectionParked
  | RunNotFound
  | ScheduleNotFound
  | SequenceConflict
  | SessionNotFound
  | SourceNotFound
  | StorageError
  | StoreForbidden
  | TooManySchedules
  | TrustRequired
  | UnknownEmbedder
  | VersionNotFound
