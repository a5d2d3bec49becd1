import * as HttpApiBuilder from "@effect/platform/HttpApiBuilder"
import * as Chunk from "effect/Chunk"
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import { checkInteger, checkPage } from "../../../src/model/filters.js"
import { limits } from "../../../src/model/limits.js"
import { Api } from "../api/Api.js"
import type { WhatIfRequest } from "../api/requests.js"
import { administers, doneAnswer, noOptions, objectBody, operates, operatesPlain, surveys, textIn } from "./call.js"
import { erases, listsErasures } from "./erasures.js"
import { cursorAt, defaultLimit, paged, placeIn } from "./pages.js"
import { withProgress } from "./progress.js"

/** Keeps only the options that can be sent: no functions and no services. */
const whatIfOptions = ({ ask, from, policy, to }: WhatIfRequest): WhatIfRequest => ({ ask, from, policy, to })

export const operations = HttpApiBuilder.group(Api, "operations", (handlers) =>
  handlers
    .handle("agents", ({ urlParams }) =>
      surveys("listing agents", urlParams, (daybook, page, isUsable) =>
        paged(page, (query) =>
          Effect.gen(function* () {
            const { limit, offset } = yield* checkPage(query, defaultLimit)
            const agents = (yield* daybook.agents).filter(({ name }) => isUsable(name))
            return agents.slice(offset, offset + limit)
          })
        )
      )
    )
    .handle("stats", ({ urlParams }) => operatesPlain("stats", urlParams, (daybook, agent) => daybook.stats(agent)))
    .handle("log", ({ urlParams }) =>
      operates("log", urlParams, (daybook, agent, { actor: _, after, asOf, cursor, limit: most, ...others }) =>
        Effect.gen(function* () {
          yield* noOptions(others)
          const limit = yield* checkInteger("limit", most ?? defaultLimit, 1, limits.page)
          const from = yield* checkInteger("after", after ?? 0, 0, Number.MAX_SAFE_INTEGER)
          const query = { agent, asOf, from }
          const start = cursor === undefined ? from : yield* placeIn(cursor, query)
          const items = Chunk.toReadonlyArray(
            yield* Stream.runCollect(Stream.take(daybook.log(agent, start, asOf), limit))
          )
          const last = items.at(-1)
          return { items, next: last === undefined || items.length < limit ? null : cursorAt(last.version, query) }
        })
      )
    )
    .handle("verify", ({ urlParams: { all, ...query } }) =>
      all === true
        ? administers("verify", query, (daybook, { expect, views, ...others }) =>
            Effect.zipRight(noOptions(others), daybook.verify(undefined, { expect, views }))
          )
        : operates("verify", query, (daybook, agent, { actor: _, expect, views, ...others }) =>
            Effect.zipRight(noOptions(others), daybook.verify(agent, { expect, views }))
          )
    )
    .handle("accept", ({ payload, urlParams }) =>
      administers("accept", urlParams, (daybook, others) =>
        Effect.gen(function* () {
          yield* noOptions(others)
          const { digest } = yield* objectBody(payload)
          return yield* Effect.map(daybook.accept(yield* textIn("digest", digest)), doneAnswer)
        })
      )
    )
    .handle("erase", ({ payload, urlParams }) => erases(payload, urlParams))
    .handle("erasures", ({ urlParams }) => listsErasures(urlParams))
    .handle("rebuild", ({ request, urlParams }) =>
      operates("rebuild", urlParams, (daybook, agent, { actor: _, projections, ...others }) =>
        Effect.zipRight(
          noOptions(others),
          withProgress(request, (report) => Effect.map(daybook.rebuild(agent, projections, report), doneAnswer))
        )
      )
    )
    .handle("compareView", ({ urlParams }) =>
      operates("compare", urlParams, (daybook, agent, { actor: _, projections, ...others }) =>
        Effect.zipRight(noOptions(others), daybook.compareView(agent, projections))
      )
    )
    .handle("digests", ({ urlParams }) =>
      operatesPlain("digests", urlParams, (daybook, agent) => daybook.digests(agent))
    )
    .handle("whatIf", ({ payload, request, urlParams }) =>
      operatesPlain("what-if", urlParams, (daybook, agent) =>
        Effect.flatMap(objectBody(payload), (options) =>
          withProgress(request, (onProgress) => daybook.whatIf(agent, { ...whatIfOptions(options), onProgress }))
        )
      )
    )
    .handle("backfill", ({ urlParams }) =>
      operatesPlain("backfill", urlParams, (daybook, agent) => daybook.backfill(agent))
    )
    .handle("embedder", ({ urlParams }) =>
      operates("embedders", urlParams, (daybook, agent, { actor: _, probe, ...others }) =>
        Effect.zipRight(noOptions(others), daybook.embedders.status(agent, probe === undefined ? {} : { probe }))
      )
    )
    .handle("switchEmbedder", ({ payload, request, urlParams }) =>
      operatesPlain("switching embedders", urlParams, (daybook, agent, actor) =>
        Effect.gen(function* () {
          const { name, ...options } = yield* objectBody(payload)
          const embedder = yield* textIn("name", name)
          return yield* withProgress(request, (onProgress) =>
            daybook.embedders.switchTo(agent, embedder, { ...options, actor, onProgress })
          )
        })
      )
    )
    .handle("switchBack", ({ payload, request, urlParams }) =>
      operatesPlain("switching embedders", urlParams, (daybook, agent, actor) =>
        Effect.flatMap(objectBody(payload), (options) =>
          withProgress(request, (onProgress) => daybook.embedders.back(agent, { ...options, actor, onProgress }))
        )
      )
    )
    .handle("dropEmbedder", ({ payload, urlParams }) =>
      operatesPlain("dropping embedders", urlParams, (daybook, agent, actor) =>
        Effect.gen(function* () {
          const { name, ...options } = yield* objectBody(payload)
          const embedder = name === undefined ? name : yield* textIn("name", name)
          return yield* daybook.embedders.drop(agent, embedder, { ...options, actor })
        })
      )
    )
    .handle("compareEmbedders", ({ payload, urlParams }) =>
      operatesPlain("comparing embedders", urlParams, (daybook, agent) =>
        Effect.flatMap(objectBody(payload), (options) => daybook.embedders.compare(agent, options))
      )
    )
    .handle("calibrate", ({ payload, urlParams }) =>
      operatesPlain("calibrating embedders", urlParams, (daybook, agent) =>
        Effect.flatMap(objectBody(payload), (options) => daybook.embedders.calibrate(agent, options))
      )
    )
)
