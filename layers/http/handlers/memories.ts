import * as HttpApiBuilder from "@effect/platform/HttpApiBuilder"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { Tier } from "../../../events/Memory.js"
import type { Memory, MemoryReader } from "../../../src/Memory.js"
import { InvalidInput, MemoryNotFound } from "../../../src/model/errors.js"
import { checkPage } from "../../../src/model/filters.js"
import { limits } from "../../../src/model/limits.js"
import type { ListQuery } from "../../../src/search/MemoryReads.js"
import { Api } from "../api/Api.js"
import type { ContextRequest } from "../api/requests.js"
import type { MemoryChanges } from "../api/types.js"
import { batchAnswer, checkBatchEntries } from "./batch.js"
import {
  handleBodyRead,
  handlePlainRead,
  handlePlainWrite,
  handleRead,
  handleWrite,
  refuseOptions,
  requireList,
  requireObject,
  type WriteOptions
} from "./call.js"
import { changesOf, contextAnswer, observationOf, withContent } from "./content.js"
import { answerPage, defaultLimit, isLaterPage, type PageParameters } from "./pages.js"

/** Changes fields of a memory, or its status. */
const change = (memory: Memory, id: string, { status, ...fields }: MemoryChanges, options: WriteOptions) =>
  Effect.gen(function* () {
    if (status === undefined) return yield* memory.update(id, yield* changesOf(fields), options)
    if (Object.keys(fields).length > 0)
      return yield* new InvalidInput({
        field: "status",
        problem: "cannot be combined with other fields: change them in another request"
      })
    switch (status) {
      case "archived":
        return yield* memory.archive.add(id, options)
      case "deleted":
        return yield* memory.forget(id, options)
      case "active":
        return yield* memory.archive.restore(id, options)
      default:
        return yield* new InvalidInput({ field: "status", problem: "must be one of active, archived, deleted" })
    }
  })

/** True if a list query has no filter other than its tier, and no order. */
const isOnlyTier = ({ limit: _, offset: __, tiers: ___, ...others }: ListQuery): boolean =>
  Object.keys(others).length === 0

/** A page of a search, within its first 1,000 hits. A search has no offset, so this drops the hits before the page. */
const searchPage = (memory: MemoryReader, text: string, { limit, offset, sort, ...filters }: ListQuery) =>
  Effect.gen(function* () {
    if (sort !== undefined && sort !== "score")
      return yield* new InvalidInput({
        field: "sort",
        problem: "must be omitted or `score` if `q` is set, because hits are then ordered by score"
      })
    const page = yield* checkPage({ limit, offset }, defaultLimit)
    if (page.offset >= limits.page)
      return yield* new InvalidInput({ field: "offset", problem: `must be below ${limits.page} in a search` })
    const hits = yield* memory.search({ ...filters, text, limit: Math.min(limits.page, page.limit + page.offset) })
    return hits.slice(page.offset)
  })

/** Records only the first page of a search, so that a search with several pages is one recall. */
const recordedOnce = <Query extends PageParameters & { readonly q?: string | undefined }>(query: Query): Query =>
  query.q !== undefined && isLaterPage(query) ? { ...query, record: false } : query

const contextFor = (memory: MemoryReader, { session_id, ...query }: ContextRequest) =>
  Effect.map(memory.context(session_id === undefined ? query : { session: session_id, ...query }), contextAnswer)

// Longer than 80 lines: a handler for each operation of the group.
export const memoriesHandlers = HttpApiBuilder.group(Api, "memories", (handlers) =>
  handlers
    .handle("remember", (request) =>
      handleWrite(request, (memory, options, query) =>
        Effect.gen(function* () {
          const observation = yield* observationOf(yield* requireObject(request.payload))
          return yield* memory.remember(observation, { ...query, ...options })
        })
      )
    )
    .handle("rememberAll", (request) =>
      handleWrite(request, (memory, options, query) =>
        Effect.flatMap(checkBatchEntries(options, query, request.payload), (batch) =>
          Effect.map(memory.rememberAll(batch), batchAnswer)
        )
      )
    )
    .handle("list", ({ urlParams }) =>
      handleRead(recordedOnce(urlParams), (memory, { layer, q = "", ...filters }) => {
        if (layer !== undefined && !Schema.is(Tier)(layer)) {
          return Effect.fail(
            new InvalidInput({ field: "layer", problem: `must be one of ${Tier.literals.join(", ")}` })
          )
        }
        const tier = layer === undefined ? {} : { tiers: [layer] }
        return answerPage(
          { ...filters, ...tier, q },
          ({ q: text, ...rest }) => {
            if (text !== "") return Effect.map(searchPage(memory, text, rest), (hits) => hits.map(withContent))
            const order = layer !== undefined && isOnlyTier(rest) ? { sort: "score" as const } : {}
            return Effect.map(memory.list({ ...rest, ...order }), (rows) => rows.map(withContent))
          },
          q === "" ? undefined : limits.page
        )
      })
    )
    .handle("search", ({ urlParams }) => handleRead(urlParams, (memory, query) => memory.search(query)))
    .handle("searchByBody", (request) => handleBodyRead(request, (memory, query) => memory.search(query)))
    .handle("explain", ({ urlParams }) => handleRead(urlParams, (memory, query) => memory.explain(query)))
    .handle("explainByBody", (request) => handleBodyRead(request, (memory, query) => memory.explain(query)))
    .handle("getAll", ({ urlParams }) =>
      handleRead(urlParams, (memory, { id = [], ...others }) =>
        Effect.zipRight(
          refuseOptions(others),
          Effect.map(memory.get(id), (found) => found.map(withContent))
        )
      )
    )
    .handle("get", ({ path: { id }, urlParams }) =>
      handlePlainRead(urlParams, (memory) =>
        Effect.gen(function* () {
          const [found] = yield* memory.get([id])
          return found === undefined ? yield* new MemoryNotFound({ id }) : withContent(found)
        })
      )
    )
    .handle("update", (request) =>
      handlePlainWrite(request, (memory, options) =>
        Effect.gen(function* () {
          return yield* change(memory, request.path.id, yield* requireObject(request.payload), options)
        })
      )
    )
    .handle("forget", (request) =>
      handlePlainWrite(request, (memory, options) => memory.forget(request.path.id, options))
    )
    .handle("why", ({ path: { id }, urlParams }) => handleRead(urlParams, (memory, options) => memory.why(id, options)))
    .handle("history", ({ path: { id }, urlParams }) => handlePlainRead(urlParams, (memory) => memory.history(id)))
    .handle("timeline", ({ path: { id }, urlParams }) =>
      handleRead(urlParams, (memory, span) => memory.timeline({ ...span, anchor: id }))
    )
    .handle("decide", (request) =>
      handlePlainWrite(request, (memory, options) =>
        Effect.gen(function* () {
          const { choice } = yield* requireObject(request.payload)
          return yield* memory.decide(request.path.id, choice, options)
        })
      )
    )
    .handle("vouch", (request) =>
      handlePlainWrite(request, (memory, options) =>
        Effect.gen(function* () {
          const { ids } = yield* requireObject(request.payload)
          return yield* memory.vouch(yield* requireList("ids", ids), options)
        })
      )
    )
    .handle("decisions", ({ urlParams }) =>
      handleRead(urlParams, (memory, query) => answerPage(query, (page) => memory.decisions(page)))
    )
    .handle("people", ({ urlParams }) =>
      handleRead(urlParams, (memory, query) => answerPage(query, (page) => memory.people(page)))
    )
    .handle("updatePerson", (request) =>
      handleWrite(request, (memory, options, query) =>
        Effect.gen(function* () {
          const facts = yield* requireObject(request.payload)
          return yield* memory.updatePerson(request.path.name, facts, { ...query, ...options })
        })
      )
    )
    .handle("profile", ({ urlParams }) => handleRead(urlParams, (memory, query) => memory.profile(query)))
    .handle("context", ({ urlParams }) => handleRead(urlParams, contextFor))
    .handle("contextByBody", (request) => handleBodyRead(request, contextFor))
    .handle("observeTool", (request) =>
      handlePlainWrite(request, (memory, options) => memory.observeTool(request.payload, options))
    )
    .handle("undo", (request) =>
      handleWrite(request, (memory, { commandId }, query) =>
        Effect.flatMap(requireObject(request.payload), (selection) =>
          memory.undo(selection, { ...query, ...(commandId === undefined ? {} : { commandId }) })
        )
      )
    )
    .handle("archived", ({ urlParams }) =>
      handleRead(urlParams, (memory, query) => answerPage(query, (page) => memory.archive.list(page)))
    )
    .handle("archive", (request) =>
      handlePlainWrite(request, (memory, options) => memory.archive.add(request.path.id, options))
    )
    .handle("restore", (request) =>
      handlePlainWrite(request, (memory, options) => memory.archive.restore(request.path.id, options))
    )
)
