import type * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import { Daybook } from "../../../src/Daybook.js"
import type { AsOfInput } from "../../../src/DaybookService.js"
import type { Memory, MemoryReader } from "../../../src/Memory.js"
import { InvalidInput, TrustRequired } from "../../../src/model/errors.js"
import { failureNames } from "../../../src/model/failureNames.js"
import { Caller, canUse, defaultAgentOf } from "../../access/Caller.js"
import { AgentForbidden, NoCaller } from "../api/problems.js"
import { checkParameters } from "./checkParameters.js"

/** The parameters of a call that select its memory. */
interface Handle {
  readonly agent?: string | undefined
  readonly actor?: string | undefined
  readonly asOf?: AsOfInput | undefined
  readonly record?: boolean | undefined
  readonly forSession?: string | undefined
}

/** The parameters of a write that select its memory and its run. */
interface Writing extends Pick<Handle, "agent" | "actor"> {
  readonly run?: string | undefined
}

export interface WriteRequest<Query> {
  readonly urlParams: Query
  readonly headers: { readonly "idempotency-key"?: string | undefined }
}

/** The options of a write, as the library takes them. */
export interface WriteOptions {
  readonly commandId?: string
  readonly run?: string
}

type System = Context.Tag.Service<Daybook>

/** The caller of the request. No layer provides the caller: each request has its own caller in its context. */
const caller = Effect.flatMap(
  Effect.serviceOption(Caller),
  Option.match({ onNone: () => Effect.fail(new NoCaller()), onSome: Effect.succeed })
)

/** The agent and the caller of a call, if the caller may use the agent. */
const permitted = (name: string | undefined) =>
  Effect.gen(function* () {
    const from = yield* caller
    const agent = yield* requireText("agent", name ?? defaultAgentOf(from))
    return canUse(from, agent) ? { agent, from } : yield* new AgentForbidden({ agents: from.agents })
  })

/** Requires that a value of a request is a text. A repeated parameter is a list. */
export const requireText = (field: string, value: string): Effect.Effect<string, InvalidInput> =>
  typeof value === "string"
    ? Effect.succeed(value)
    : Effect.fail(new InvalidInput({ field, problem: "must be given only once" }))

/** Logs the kind of a defect, because the answer omits it. */
export const logDefects = <A, E, R>(operation: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
  Effect.tapDefect(operation, (cause) => Effect.logError("a request failed", { failure: failureNames(cause) }))

const present = <T extends object>(fields: T): { [K in keyof T]?: Exclude<T[K], undefined> } =>
  Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as never

/** The actor's name contains the token's id, so that no client can use the name of another client or of the engine. */
const actorOf = (actor: string | undefined, token: string): string => {
  if (actor === undefined) return `token:${token}`
  // The library refuses an empty name. A repeated parameter is a list.
  return typeof actor === "string" && actor !== "" ? `token:${token}/${actor}` : ""
}

const handleOf = ({ actor, forSession, record }: Handle, token: string) => ({
  actor: actorOf(actor, token),
  ...present({ record, session: forSession })
})

/** Runs the operation of a call. Refuses parameters that the call's route does not have. */
const answered = <A, E, R>(query: object, operation: Effect.Effect<A, E, R>) =>
  logDefects(Effect.zipRight(checkParameters(query), operation))

/** Reads from the caller's memory, now or as of a past moment. `f` gets the other parameters. */
export const handleRead = <Query extends Handle, A, E>(
  query: Query,
  f: (memory: MemoryReader, options: Omit<Query, keyof Handle>) => Effect.Effect<A, E>
) =>
  answered(
    query,
    Effect.gen(function* () {
      const { actor, agent: name, asOf, forSession, record, ...options } = query
      const { agent, from } = yield* permitted(name)
      const daybook = yield* Daybook
      const handle = { trust: from.trust, ...handleOf({ actor, forSession, record }, from.token) }
      const memory: MemoryReader = yield* asOf === undefined
        ? daybook.agent(agent, handle)
        : daybook.agent(agent, { ...handle, asOf })
      return yield* f(memory, options)
    })
  )

/** Writes to the caller's memory. `f` gets the other parameters, and the options of the write. */
export const handleWrite = <Query extends Writing, A, E>(
  { headers, urlParams }: WriteRequest<Query>,
  f: (memory: Memory, options: WriteOptions, query: Omit<Query, keyof Writing>, agent: string) => Effect.Effect<A, E>
) =>
  answered(
    urlParams,
    Effect.gen(function* () {
      const { actor, agent: name, run, ...others } = urlParams
      const { agent, from } = yield* permitted(name)
      const daybook = yield* Daybook
      const memory = yield* daybook.agent(agent, { trust: from.trust, ...handleOf({ actor }, from.token) })
      return yield* f(memory, present({ commandId: headers["idempotency-key"], run }) as WriteOptions, others, agent)
    })
  )

/** Fails unless the caller is at full trust. `what` names the operation. */
export const requireFullTrust = (what: string) =>
  Effect.flatMap(caller, ({ trust }) => (trust === "full" ? Effect.void : Effect.fail(new TrustRequired({ what }))))

/** Runs an operation that ignores trust levels, such as a check of the log. Only for callers at full trust. */
export const handleOperation = <Query extends Writing, A, E>(
  what: string,
  query: Query,
  f: (
    daybook: System,
    agent: string,
    options: Omit<Query, keyof Writing> & { readonly actor: string }
  ) => Effect.Effect<A, E>
) =>
  answered(
    query,
    Effect.gen(function* () {
      const { actor, agent: name, run: _, ...options } = query
      const { agent, from } = yield* permitted(name)
      yield* requireFullTrust(what)
      return yield* f(yield* Daybook, agent, { ...options, ...handleOf({ actor }, from.token) })
    })
  )

/** Like `handleOperation`, for an operation without its own parameters. `f` gets the name of the actor. */
export const handlePlainOperation = <Query extends Writing, A, E>(
  what: string,
  query: Query,
  f: (daybook: System, agent: string, actor: string) => Effect.Effect<A, E>
) =>
  handleOperation(what, query, (daybook, agent, { actor, ...others }) =>
    Effect.zipRight(refuseOptions(others), f(daybook, agent, actor))
  )

/**
 * Runs an operation on the whole installation. Only for callers at full trust that may use every agent. `f` gets the
 * name of the actor.
 */
export const handleAdminOperation = <Query extends Writing, A, E>(
  what: string,
  query: Query,
  f: (daybook: System, options: Omit<Query, keyof Writing>, actor: string) => Effect.Effect<A, E>
) =>
  answered(
    query,
    Effect.gen(function* () {
      const { actor, agent: _, run: __, ...options } = query
      const from = yield* caller
      yield* requireFullTrust(what)
      if (from.agents !== "*") return yield* new AgentForbidden({ agents: from.agents })
      return yield* f(yield* Daybook, options, actorOf(actor, from.token))
    })
  )

/** Runs an operation on all agents that the caller may use. Only for callers at full trust. */
export const handleAllAgents = <Query extends Writing, A, E>(
  what: string,
  query: Query,
  f: (daybook: System, options: Omit<Query, keyof Writing>, isUsable: (agent: string) => boolean) => Effect.Effect<A, E>
) =>
  answered(
    query,
    Effect.gen(function* () {
      const { actor: _, agent: __, run: ___, ...options } = query
      const from = yield* caller
      yield* requireFullTrust(what)
      return yield* f(yield* Daybook, options, (agent) => canUse(from, agent))
    })
  )

/** Like `handleRead`, for an operation without its own parameters. */
export const handlePlainRead = <Query extends Handle, A, E>(
  query: Query,
  f: (memory: MemoryReader) => Effect.Effect<A, E>
) => handleRead(query, (memory, others) => Effect.zipRight(refuseOptions(others), f(memory)))

/** Like `handleRead`, for a query in the body. `f` gets the query, which the library checks. */
export const handleBodyRead = <Body extends object, A, E>(
  { payload, urlParams }: { readonly payload: Body; readonly urlParams: Handle },
  f: (memory: MemoryReader, query: Body) => Effect.Effect<A, E>
) => handlePlainRead(urlParams, (memory) => Effect.flatMap(requireObject(payload), (query) => f(memory, query)))

/** Like `writes`, for an operation without its own parameters. */
export const handlePlainWrite = <Query extends Writing, A, E>(
  request: WriteRequest<Query>,
  f: (memory: Memory, options: WriteOptions) => Effect.Effect<A, E>
) => handleWrite(request, (memory, options, others) => Effect.zipRight(refuseOptions(others), f(memory, options)))

/** Refuses all parameters: fails if `options` has any. */
export const refuseOptions = (options: object): Effect.Effect<void, InvalidInput> => {
  const [field] = Object.keys(options)
  return field === undefined
    ? Effect.void
    : new InvalidInput({ field, problem: "is not a parameter of this operation: omit it" })
}

/** The answer of an operation without a result; `done: false` if there was nothing to do. */
export const doneAnswer = (isDone?: unknown): { readonly done: boolean } => ({ done: isDone !== false })

/** Requires that the body of a request is an object. */
export const requireObject = <A extends object>(payload: A) =>
  payload !== null && typeof payload === "object" && !Array.isArray(payload)
    ? Effect.succeed(payload)
    : Effect.fail(new InvalidInput({ field: "body", problem: "must be a JSON object" }))

/** Requires that a value in the body is a list, because the library iterates the list before it checks the entries. */
export const requireList = <A>(field: string, payload: ReadonlyArray<A>) =>
  Array.isArray(payload)
    ? Effect.succeed(payload as ReadonlyArray<A>)
    : Effect.fail(new InvalidInput({ field, problem: "must be a list" }))
