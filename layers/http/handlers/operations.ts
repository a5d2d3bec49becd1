import * as HttpApiBuilder from "@effect/platform/HttpApiBuilder"
import * as Chunk from "effect/Chunk"
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import { checkInteger, checkPage } from "../../../src/model/filters.js"
import { limits } from "../../../src/model/limits.js"
import { Api } from "../api/Api.js"
import type { WhatIfRequest } from "../api/requests.js"
import {
  doneAnswer,
  handleAdminOperation,
  handleAllAgents,
  handleOperation,
  handlePlainOperation,
  refuseOptions,
  requireObject,
  requireText
} from "./call.js"
import { handleErase, handleListErasures } from "./erasures.js"
import { answerPage, decodeCursor, defaultLimit, encodeCursor } from "./pages.js"
import { withProgress } from "./progress.js"

/** Keeps only the options that can be sent: no functions and no services. */
const whatIfOptions = ({ ask, from, policy, to }: WhatIfRequest): WhatIfRequest => ({ ask, from, policy, to })

// Longer than 80 lines: a handler for each operation of the group.
export const operationsHandlers = HttpApiBuilder.group(Api, "operations", (handlers) =>
  handlers
    .handle("agents", ({ urlParams }) =>
      handleAllAgents("listing agents", urlParams, (daybook, page, isUsable) =>
        answerPage(page, (query) =>
          Effect.gen(function* () {
            const { limit, offset } = yield* checkPage(query, defaultLimit)
            const agents = (yield* daybook.agents).filter(({ name }) => isUsable(name))
            return agents.slice(offset, offset + limit)
          })
        )
      )
    )
    .handle("stats", ({ urlParams }) =>
      handlePlainOperation("stats", urlParams, (daybook, agent) => daybook.stats(agent))
    )
    .handle("log", ({ urlParams }) =>
      handleOperation("log", urlParams, (daybook, agent, { actor: _, after, asOf, cursor, limit: most, ...others }) =>
        Effect.gen(function* () {
          yield* refuseOptions(others)
          const limit = yield* checkInteger("limit", most ?? defaultLimit, 1, limits.page)
          const from = yield* checkInteger("after", after ?? 0, 0, Number.MAX_SAFE_INTEGER)
          const query = { agent, asOf, from }
          const start = cursor === undefined ? from : yield* decodeCursor(cursor, query)
          const items = Chunk.toReadonlyArray(
            yield* Stream.runCollect(Stream.take(daybook.log(agent, start, asOf), limit))
          )
          const last = items.at(-1)
          return { items, next: last === undefined || items.length < limit ? null : encodeCursor(last.version, query) }
        })
      )
    )
    .handle("verify", ({ urlParams: { all, ...query } }) =>
      all === true
        ? handleAdminOperation("verify", query, (daybook, { expect, views, ...others }) =>
            Effect.zipRight(refuseOptions(others), daybook.verify(undefined, { expect, views }))
          )
        : handleOperation("verify", query, (daybook, agent, { actor: _, expect, views, ...others }) =>
            Effect.zipRight(refuseOptions(others), daybook.verify(agent, { expect, views }))
          )
    )
    .handle("accept", ({ payload, urlParams }) =>
      handleAdminOperation("accept", urlParams, (daybook, others) =>
        Effect.gen(function* () {
          yield* refuseOptions(others)
          const { digest } = yield* requireObject(payload)
          return yield* Effect.map(daybook.accept(yield* requireText("digest", digest)), doneAnswer)
        })
      )
    )
    .handle("erase", ({ payload, urlParams }) => handleErase(payload, urlParams))
    .handle("erasures", ({ urlParams }) => handleListErasures(urlParams))
    .handle("rebuild", ({ request, urlParams }) =>
      handleOperation("rebuild", urlParams, (daybook, agent, { actor: _, projections, ...others }) =>
        Effect.zipRight(
          refuseOptions(others),
          withProgress(request, (report) => Effect.map(daybook.rebuild(agent, projections, report), doneAnswer))
        )
      )
    )
    .handle("compareView", ({ urlParams }) =>
      handleOperation("compare", urlParams, (daybook, agent, { actor: _, projections, ...others }) =>
        Effect.zipRight(refuseOptions(others), daybook.compareView(agent, projections))
      )
    )
    .handle("digests", ({ urlParams }) =>
      handlePlainOperation("digests", urlParams, (daybook, agent) => daybook.digests(agent))
    )
    .handle("whatIf", ({ payload, request, urlParams }) =>
      handlePlainOperation("what-if", urlParams, (daybook, agent) =>
        Effect.flatMap(requireObject(payload), (options) =>
          withProgress(request, (onProgress) => daybook.whatIf(agent, { ...whatIfOptions(options), onProgress }))
        )
      )
    )
    .handle("backfill", ({ urlParams }) =>
      handlePlainOperation("backfill", urlParams, (daybook, agent) => daybook.backfill(agent))
    )
    .handle("embedder", ({ urlParams }) =>
      handleOperation("embedders", urlParams, (daybook, agent, { actor: _, probe, ...others }) =>
        Effect.zipRight(refuseOptions(others), daybook.embedders.status(agent, probe === undefined ? {} : { probe }))
      )
    )
    .handle("switchEmbedder", ({ payload, request, urlParams }) =>
      handlePlainOperation("switching embedders", urlParams, (daybook, agent, actor) =>
        Effect.gen(function* () {
          const { name, ...options } = yield* requireObject(payload)
          const embedder = yield* requireText("name", name)
          return yield* withProgress(request, (onProgress) =>
            daybook.embedders.switchTo(agent, embedder, { ...options, actor, onProgress })
          )
        })
      )
    )
    .handle("switchBack", ({ payload, request, urlParams }) =>
      handlePlainOperation("switching embedders", urlParams, (daybook, agent, actor) =>
        Effect.flatMap(requireObject(payload), (options) =>
          withProgress(request, (onProgress) => daybook.embedders.back(agent, { ...options, actor, onProgress }))
        )
      )
    )
    .handle("dropEmbedder", ({ payload, urlParams }) =>
      handlePlainOperation("dropping embedders", urlParams, (daybook, agent, actor) =>
        Effect.gen(function* () {
          const { name, ...options } = yield* requireObject(payload)
          const embedder = name === undefined ? name : yield* requireText("name", name)
          return yield* daybook.embedders.drop(agent, embedder, { ...options, actor })
        })
      )
    )
    .handle("compareEmbedders", ({ payload, urlParams }) =>
      handlePlainOperation("comparing embedders", urlParams, (daybook, agent) =>
        Effect.flatMap(requireObject(payload), (options) => daybook.embedders.compare(agent, options))
      )
    )
    .handle("calibrate", ({ payload, urlParams }) =>
      handlePlainOperation("calibrating embedders", urlParams, (daybook, agent) =>
        Effect.flatMap(requireObject(payload), (options) => daybook.embedders.calibrate(agent, options))
      )
    )
)
