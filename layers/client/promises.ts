import * as FetchHttpClient from "@effect/platform/FetchHttpClient"
import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Exit from "effect/Exit"
import { identity } from "effect/Function"
import * as Stream from "effect/Stream"
import type { AsOfInput } from "../../src/DaybookService.js"
import type { ClientOptions } from "./api.js"
import { make } from "./Client.js"
import type { RemoteDaybook, RemoteMemory, RemoteOptions, RemoteReader } from "./remote.js"

/** The methods of `Handle` with promises, which reject with the tagged error. A stream becomes an async iterable. */
export type Promised<Handle> = {
  readonly [Key in keyof Handle]: Handle[Key] extends (...args: infer Args) => infer Answer
    ? (...args: Args) => PromisedAnswer<Answer>
    : Handle[Key] extends Effect.Effect<infer A, unknown>
      ? () => Promise<A>
      : Promised<Handle[Key]>
}

type PromisedAnswer<Answer> =
  Answer extends Effect.Effect<infer A, unknown>
    ? Promise<A>
    : Answer extends Stream.Stream<infer A, unknown>
      ? AsyncIterable<A>
      : Promised<Answer>

/** A client whose methods return promises. */
export interface PromisedDaybook extends Promised<Omit<RemoteDaybook, "agent">> {
  readonly agent: {
    (name: string, options?: RemoteOptions): Promised<RemoteMemory>
    (name: string, options: RemoteOptions & { readonly asOf: AsOfInput }): Promised<RemoteReader>
  }
}

/** Makes a client of `daybook serve` for a program without Effect. Sends no request. Throws `InvalidInput`. */
export const connect = (options: ClientOptions): PromisedDaybook => {
  const made = Effect.runSync(Effect.either(Effect.provide(make(options), FetchHttpClient.layer)))
  return promised(Either.getOrThrowWith(made, identity)) as PromisedDaybook
}

const promised = (value: unknown): unknown => {
  if (Effect.isEffect(value)) return () => run(value as Effect.Effect<unknown, unknown>)
  if (typeof value === "function") return (...args: ReadonlyArray<unknown>) => answerOf(value(...args))
  return Object.fromEntries(Object.entries(Object(value)).map(([name, part]) => [name, promised(part)]))
}

const answerOf = (answer: unknown): unknown =>
  Effect.isEffect(answer)
    ? run(answer as Effect.Effect<unknown, unknown>)
    : isStream(answer)
      ? Stream.toAsyncIterable(answer)
      : promised(answer)

const isStream = (value: unknown): value is Stream.Stream<unknown, unknown> =>
  Object(value)[Stream.StreamTypeId] !== undefined

const run = async (effect: Effect.Effect<unknown, unknown>): Promise<unknown> => {
  const exit = await Effect.runPromiseExit(effect)
  if (Exit.isSuccess(exit)) return exit.value
  throw Cause.squash(exit.cause)
}
