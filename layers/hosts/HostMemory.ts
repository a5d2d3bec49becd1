import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Exit from "effect/Exit"
import * as Runtime from "effect/Runtime"
import { lowestLevel, type TrustLevel } from "../../events/Trust.js"
import type { AppendOptions } from "../../src/capture/CaptureWriter.js"
import type { AppendTurnError, TurnInput } from "../../src/conversation/Sessions.js"
import { Daybook } from "../../src/Daybook.js"
import type { Memory } from "../../src/Memory.js"
import { InvalidInput } from "../../src/model/errors.js"
import { failureNames } from "../../src/model/failureNames.js"
import { checkInteger, checkLevel, failWithInvalidInput, refuseUnknownOptions } from "../../src/model/filters.js"
import { decodeKey } from "../../src/model/input.js"
import { modelLevel } from "../access/modelLevel.js"
import { MemoryClosed } from "./MemoryClosed.js"

/** The agent of a host's memory, and the trust levels of its reads and writes. */
export interface HostOptions {
  /** The agent whose memory the host uses. */
  readonly agent: string
  /**
   * The trust levels. `user` (default `full`) is the level of all reads and of what the user said. `model` (default
   * `inner`) is the level of what a model wrote; it is never above `user`. The output of tools is always `familiar`. A
   * single level sets `user`.
   */
  readonly trust?:
    | TrustLevel
    | { readonly user?: TrustLevel | undefined; readonly model?: TrustLevel | undefined }
    | undefined
}

/** An agent's memory for the adapters of hosts. `user` and `model` return Effects; `run` returns promises. */
export interface HostMemory {
  /** The handle for reads and for storing turns. A turn of the model is stored at `modelLevel`. */
  readonly user: Memory
  /** The handle for what a model writes with a tool. */
  readonly model: Memory
  readonly modelLevel: TrustLevel
  /**
   * The handle `user` for the prompts of a session. Memories that this handle reads are not captured again when a turn
   * of the session repeats them.
   */
  readonly inSession: (session: string) => Effect.Effect<Memory, InvalidInput>
  /** Runs a method. The promise is rejected with the method's own error, such as `InvalidInput`, or `MemoryClosed`. */
  readonly run: <A, E>(effect: Effect.Effect<A, E>) => Promise<A>
  /**
   * Ends running work, stores waiting recalls, and closes the files. Call it once, after the last call of a host. Does
   * nothing if the program provides `Daybook` itself, because that layer closes the files.
   */
  readonly close: () => Promise<void>
}

/** The names of `HostOptions`. */
export const hostOptionNames: ReadonlyArray<string> = Object.keys({
  agent: true,
  trust: true
} satisfies Record<keyof HostOptions, true>)

/** An agent's memory for the adapters of hosts, in a program that provides `Daybook`. */
export const hostMemory = Effect.fnUntraced(function* (
  options: HostOptions
): Effect.fn.Return<HostMemory, InvalidInput, Daybook> {
  const { agent, modelLevel, userLevel } = yield* checkHostOptions(options)
  const daybook = yield* Daybook
  const runtime = yield* Effect.runtime<never>()
  const userOptions = { trust: userLevel, actor: "host" }
  return {
    user: yield* daybook.agent(agent, userOptions),
    model: yield* daybook.agent(agent, { trust: modelLevel, actor: "model" }),
    modelLevel,
    inSession: (session) => daybook.agent(agent, { ...userOptions, session }),
    run: async (effect) => valueOrThrow(await Runtime.runPromiseExit(runtime)(effect)),
    close: () => Promise.resolve()
  }
})

/** Checks the options. A program without types may pass anything. */
export const checkHostOptions = (options: HostOptions) =>
  Either.gen(function* () {
    yield* refuseUnknownOptions(options, hostOptionNames)
    const { agent, trust } = options
    if (typeof agent !== "string") return yield* failWithInvalidInput("agent", "is missing")
    return { agent, ...(yield* levelsOf(trust)) }
  })

/** The levels of users and models. Refuses unknown levels and roles: a default would open the memory at full trust. */
const levelsOf = (trust: HostOptions["trust"] = {}) =>
  Either.gen(function* () {
    const isOneLevel = typeof trust !== "object" || trust === null || Array.isArray(trust)
    if (!isOneLevel) {
      yield* Either.mapLeft(
        refuseUnknownOptions(trust, ["user", "model"]),
        ({ field, problem }) => new InvalidInput({ field: `trust.${field}`, problem })
      )
    }
    const { model = modelLevel, user = "full" } = isOneLevel ? { user: yield* checkLevel("trust", trust) } : trust
    const userLevel = yield* checkLevel("trust.user", user)
    return { userLevel, modelLevel: lowestLevel(userLevel, yield* checkLevel("trust.model", model)) }
  })

/** Stores turns of a session in order. Turns with a role other than `user` get the level of the model. */
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
 * Runs work on the memory. If the work fails or the memory is closed, logs the failure and returns `fallback`, so that
 * the host's call continues without the memory.
 */
export const runOrElse = <A, E, B>(
  { run }: HostMemory,
  what: string,
  work: Effect.Effect<A, E>,
  fallback: B
): Promise<A | B> => {
  const orFallback = (cause: Cause.Cause<unknown>) => Effect.as(logFailure(what, cause), fallback)
  return run(Effect.catchAllCause(work, orFallback)).catch((error: unknown) => {
    if (!(error instanceof MemoryClosed)) throw error
    return Effect.runPromise(orFallback(Cause.fail(error)))
  })
}

/** Logs a failure without its message, which may quote a memory. */
export const logFailure = (what: string, cause: Cause.Cause<unknown>): Effect.Effect<void> =>
  Effect.logWarning("memory failed", { what, error: failureNames(cause) })

/**
 * Throws `InvalidInput` if the value is not a memory, for example the promise of `openMemory` without `await`. Without
 * this check, the first call would fail in the middle of a host's work.
 */
export const checkMemory = (memory: HostMemory): void => {
  const given: Partial<HostMemory & Promise<unknown>> = Object(memory)
  const problem =
    typeof given.then === "function"
      ? "is a promise: await openMemory(…)"
      : memory === undefined || memory === null
        ? "is missing: pass the memory that `openMemory` returned"
        : typeof given.run === "function" && typeof given.inSession === "function"
          ? undefined
          : "is not a host memory: pass the memory that `openMemory` returned"
  if (problem !== undefined) throw new InvalidInput({ field: "memory", problem })
}

/** Options that adapters have in common. */
interface AdapterOptions {
  readonly session?: string | undefined
  readonly tokens?: number | undefined
  readonly turn?: unknown
}

/**
 * Throws `InvalidInput` for invalid options. Without this check, calls would ignore the options, or only log the
 * failure. In the error, `prefix` precedes the name of the option.
 */
export const checkAdapterOptions = (
  options: AdapterOptions,
  names: ReadonlyArray<keyof AdapterOptions>,
  prefix = ""
): void => {
  const checked = Either.gen(function* () {
    yield* refuseUnknownOptions(options, names)
    const { session, tokens } = options
    if (session !== undefined) yield* decodeKey("session", session)
    if (tokens !== undefined) yield* checkInteger("tokens", tokens, 1, Number.MAX_SAFE_INTEGER)
  })
  Either.getOrThrowWith(checked, ({ field, problem }) => new InvalidInput({ field: `${prefix}${field}`, problem }))
}

/** Returns the value of a run, or throws its error. */
export const valueOrThrow = <A, E>(exit: Exit.Exit<A, E>): A => {
  if (Exit.isFailure(exit)) throw Cause.squash(exit.cause)
  return exit.value
}
