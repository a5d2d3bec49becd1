import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Exit from "effect/Exit"
import * as ManagedRuntime from "effect/ManagedRuntime"
import * as Runtime from "effect/Runtime"
import { lowestLevel, type TrustLevel } from "../../events/Trust.js"
import type { AppendOptions } from "../../src/capture/CaptureWriter.js"
import type { AppendTurnError, TurnInput } from "../../src/conversation/Sessions.js"
import { Daybook } from "../../src/Daybook.js"
import type { Memory } from "../../src/Memory.js"
import { InvalidInput } from "../../src/model/errors.js"
import { failureNames } from "../../src/model/failureNames.js"
import { decodeKey } from "../../src/model/input.js"
import * as Default from "../Default.js"

/** The agent of a host's memory, and the trust levels of its reads and writes. */
export interface HostOptions {
  /** The agent whose memory it is. */
  readonly agent: string
  /**
   * The levels of reads and writes. `user` (default `full`): what the user said, and all reads. `model` (default
   * `inner`): what a model wrote; it is never above `user`. The output of tools is always `familiar`.
   */
  readonly trust?: { readonly user?: TrustLevel | undefined; readonly model?: TrustLevel | undefined } | undefined
}

/** An agent's memory for the adapters of hosts. The methods of `user` and `model` return Effects; `run` makes promises. */
export interface HostMemory {
  /** Reads, and stores turns. A turn of the model has the level `modelLevel`. */
  readonly user: Memory
  /** Writes what a model writes by a tool. */
  readonly model: Memory
  readonly modelLevel: TrustLevel
  /**
   * `user` for the prompts of a session: the memories that it reads are not captured again when a turn of the session
   * repeats them.
   */
  readonly inSession: (session: string) => Effect.Effect<Memory, InvalidInput>
  /** Runs a method. The promise is rejected with the method's own error, such as `InvalidInput`. */
  readonly run: <A, E>(effect: Effect.Effect<A, E>) => Promise<A>
  /**
   * Ends running work, stores recalls that wait, and closes the files. Call it once, after the last call of a host. Does
   * nothing if the program provides `Daybook` itself: its layer closes them.
   */
  readonly close: () => Promise<void>
}

/**
 * Opens a data folder for a program that does not use Effect. The promise is rejected with `StorageError`, `InvalidPolicy`
 * or `InvalidInput`. Call `close` at the end.
 *
 * @example
 * const memory = await openMemory({ folder: "./data", agent: "coop" })
 * const hits = await memory.run(memory.user.search({ text: "deploys" }))
 * await memory.close()
 */
export const openMemory = async ({
  agent,
  trust,
  ...options
}: HostOptions & Default.DefaultOptions): Promise<HostMemory> => {
  const runtime = ManagedRuntime.make(Default.layer(options))
  const opened = await runtime.runPromiseExit(hostMemory({ agent, trust }))
  if (Exit.isFailure(opened)) await runtime.dispose()
  return { ...resultOf(opened), close: () => runtime.dispose() }
}

/** An agent's memory for the adapters of hosts, in a program that provides `Daybook`. */
export const hostMemory = ({
  agent,
  trust: { model = "inner", user = "full" } = {}
}: HostOptions): Effect.Effect<HostMemory, InvalidInput, Daybook> =>
  Effect.gen(function* () {
    // A program without types may leave it out.
    if (typeof agent !== "string") return yield* new InvalidInput({ field: "agent", problem: "is missing" })
    const daybook = yield* Daybook
    const runtime = yield* Effect.runtime<never>()
    const modelLevel = lowestLevel(user, model)
    const userOptions = { trust: user, actor: "host" }
    return {
      user: yield* daybook.agent(agent, userOptions),
      model: yield* daybook.agent(agent, { trust: modelLevel, actor: "model" }),
      modelLevel,
      inSession: (session) => daybook.agent(agent, { ...userOptions, session }),
      run: async (effect) => resultOf(await Runtime.runPromiseExit(runtime)(effect)),
      close: () => Promise.resolve()
    }
  })

/** Stores turns of a session in order. Turns of other roles than `user` get the level of the model. */
export const storeTurns = (
  { modelLevel, user }: HostMemory,
  turns: ReadonlyArray<readonly [TurnInput, AppendOptions]>
): Effect.Effect<void, AppendTurnError> =>
  Effect.forEach(
    turns,
    ([turn, options]) => user.sessions.append(turn.role === "user" ? turn : { ...turn, level: modelLevel }, options),
    { discard: true }
  )

/**
 * Runs work on the memory. If it fails, logs the failure and answers `fallback`, so that the host's call goes on without
 * its memory.
 */
export const runOrElse = <A, E, B>(
  { run }: HostMemory,
  what: string,
  work: Effect.Effect<A, E>,
  fallback: B
): Promise<A | B> => run(Effect.catchAllCause(work, (cause) => Effect.as(logFailure(what, cause), fallback)))

/** Logs a failure without its message, which may quote a memory. */
export const logFailure = (what: string, cause: Cause.Cause<unknown>): Effect.Effect<void> =>
  Effect.logWarning("memory failed", { what, error: failureNames(cause) })

/** Throws `InvalidInput` for an invalid session id. Without it, the failure of each turn would only be logged. */
export const checkSession = (session: string): void => {
  const checked = decodeKey("session", session)
  if (Either.isLeft(checked)) throw checked.left
}

const resultOf = <A, E>(exit: Exit.Exit<A, E>): A => {
  if (Exit.isFailure(exit)) throw Cause.squash(exit.cause)
  return exit.value
}
