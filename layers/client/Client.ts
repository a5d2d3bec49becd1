import type * as HttpClient from "@effect/platform/HttpClient"
import * as Chunk from "effect/Chunk"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import { identity } from "effect/Function"
import * as Option from "effect/Option"
import * as Stream from "effect/Stream"
import type { AsOfInput } from "../../src/DaybookService.js"
import type { Erasable, EraseOptions } from "../../src/erasure/Erasure.js"
import type { InvalidInput } from "../../src/model/errors.js"
import { refuseUnknownOptions } from "../../src/model/filters.js"
import type { Page } from "../http/api/types.js"
import { type Api, type ClientOptions, checkClientOptions, makeApi } from "./api.js"
import { withClientErrors } from "./errors.js"
import { makeRemoteMemory } from "./memory.js"
import type { RemoteDaybook, RemoteOptions } from "./remote.js"
import { requestBuilder } from "./requests.js"

/** Makes a client of `daybook serve`: the operations of `Daybook` at the trust level of the token. Sends no request. */
export const make = (options: ClientOptions): Effect.Effect<RemoteDaybook, InvalidInput, HttpClient.HttpClient> =>
  Effect.zipRight(
    checkClientOptions(options),
    Effect.suspend(() => Effect.map(makeApi(options), remoteOf))
  )

type AgentOptions = RemoteOptions & { readonly asOf?: AsOfInput }

const agentOptionNames = Object.keys({
  actor: true,
  record: true,
  session: true,
  asOf: true
} satisfies Record<keyof AgentOptions, true>)

const remoteOf = (api: Api): RemoteDaybook => {
  const { operations } = api
  const ask = withClientErrors
  const of = (agent: string) => requestBuilder({ agent })
  return {
    agent: ((agent: string, options: AgentOptions = {}) => {
      Either.getOrThrowWith(refuseUnknownOptions(options, agentOptionNames), identity)
      const { session, ...others } = options
      return makeRemoteMemory(api, { agent, forSession: session, ...others })
    }) as RemoteDaybook["agent"],
    agents: Effect.map(
      Stream.runCollect(paged((cursor) => operations.agents({ urlParams: { cursor, limit: agentsPerPage } }))),
      Chunk.toReadonlyArray
    ),
    log: (agent, after, asOf) =>
      paged((cursor) => operations.log(of(agent).read({ after, asOf, cursor, limit: eventsPerPage }))),
    verify: (agent, options) => ask(operations.verify({ urlParams: { ...scopeOf(agent), ...options } })),
    accept: (digest) => Effect.asVoid(ask(operations.accept({ urlParams: {}, headers: {}, payload: { digest } }))),
    erase: (selection, options) => ask(operations.erase(erasureRequest(selection, options))),
    erasures: (agent) =>
      Effect.map(
        Stream.runCollect(
          paged((cursor) => operations.erasures({ urlParams: { ...scopeOf(agent), cursor, limit: erasuresPerPage } }))
        ),
        Chunk.toReadonlyArray
      ),
    rebuild: (agent, projections) => Effect.asVoid(ask(operations.rebuild(of(agent).write({ projections })))),
    compareView: (agent, projections) => ask(operations.compareView(of(agent).read({ projections }))),
    backfill: (agent) => ask(operations.backfill(of(agent).write())),
    whatIf: (agent, payload = {}) => ask(operations.whatIf({ ...of(agent).write(), payload })),
    stats: (agent) => ask(operations.stats(of(agent).read())),
    digests: (agent) => ask(operations.digests(of(agent).read())),
    flush: (agent) => Effect.map(ask(api.recalls.flush(of(agent).write())), ({ count }) => count),
    embedders: {
      status: (agent, options) => ask(operations.embedder(of(agent).read(options))),
      switchTo: (agent, name, { actor, onFailure: _, onProgress: __, ...options } = {}) =>
        ask(operations.switchEmbedder({ ...of(agent).write({ actor }), payload: { name, ...options } })),
      back: (agent, { actor, onFailure: _, onProgress: __, ...payload } = {}) =>
        ask(operations.switchBack({ ...of(agent).write({ actor }), payload })),
      drop: (agent, name, { actor, ...options } = {}) =>
        ask(operations.dropEmbedder({ ...of(agent).write({ actor }), payload: { name, ...options } })),
      compare: (agent, payload = {}) => ask(operations.compareEmbedders({ ...of(agent).write(), payload })),
      calibrate: (agent, payload = {}) => ask(operations.calibrate({ ...of(agent).write(), payload }))
    }
  } as RemoteDaybook
}

/** A stream of the items of all pages. */
const paged = <A, E>(page: (cursor: string | undefined) => Effect.Effect<Page<A>, E>) =>
  Stream.paginateChunkEffect(undefined as string | undefined, (cursor) =>
    Effect.map(withClientErrors(page(cursor)), ({ items, next }) => [
      Chunk.fromIterable(items),
      Option.fromNullable(next)
    ])
  )

/** The agent of a call; without one, the call concerns all agents. */
const scopeOf = (agent: string | undefined) => (agent === undefined ? { all: true } : { agent })

const erasureRequest = (selection: Erasable, { actor, ...options }: EraseOptions = {}) => {
  const { agent, everythingOf, ...selected } = selection as Partial<
    Record<"agent" | "everythingOf" | "person" | "session" | "source", string>
  >
  const payload = { ...selected, ...(everythingOf === undefined ? {} : { everything: true as const }), ...options }
  return { urlParams: { ...scopeOf(everythingOf ?? agent), actor }, headers: {}, payload }
}

const agentsPerPage = 1_000
const erasuresPerPage = 1_000
const eventsPerPage = 500
