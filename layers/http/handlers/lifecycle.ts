import * as HttpApiBuilder from "@effect/platform/HttpApiBuilder"
import * as Effect from "effect/Effect"
import { Daybook } from "../../../src/Daybook.js"
import { Api } from "../api/Api.js"
import {
  handlePlainOperation,
  handlePlainRead,
  handlePlainWrite,
  handleRead,
  handleWrite,
  refuseOptions,
  requireObject
} from "./call.js"
import { answerPage } from "./pages.js"

export const schedulesHandlers = HttpApiBuilder.group(Api, "schedules", (handlers) =>
  handlers
    .handle("add", (request) =>
      handlePlainWrite(request, (memory, options) => memory.schedules.add(request.payload, options))
    )
    .handle("list", ({ urlParams }) =>
      handleRead(urlParams, (memory, query) => answerPage(query, (page) => memory.schedules.list(page)))
    )
    .handle("count", ({ urlParams }) =>
      handleRead(urlParams, (memory, filter) => Effect.map(memory.schedules.count(filter), (count) => ({ count })))
    )
    .handle("run", ({ path: { run }, urlParams }) => handlePlainRead(urlParams, (memory) => memory.schedules.run(run)))
    .handle("get", ({ path: { id }, urlParams }) => handlePlainRead(urlParams, (memory) => memory.schedules.get(id)))
    .handle("runs", ({ path: { id }, urlParams }) =>
      handleRead(urlParams, (memory, query) => answerPage(query, (page) => memory.schedules.runs(id, page)))
    )
    .handle("update", (request) =>
      handlePlainWrite(request, (memory, options) =>
        Effect.gen(function* () {
          return yield* memory.schedules.update(request.path.id, yield* requireObject(request.payload), options)
        })
      )
    )
    .handle("delete", (request) =>
      handlePlainWrite(request, (memory, options) => memory.schedules.delete(request.path.id, options))
    )
)

/** Parses a number in a path. Other text becomes NaN, which the operation refuses. */
const numberOf = (text: string): number => (/^\d+$/.test(text) ? Number(text) : Number.NaN)

export const recallsHandlers = HttpApiBuilder.group(Api, "recalls", (handlers) =>
  handlers
    .handle("list", ({ urlParams }) =>
      handleRead(urlParams, (memory, query) => answerPage(query, (page) => memory.recalls.list(page)))
    )
    .handle("get", ({ path: { number }, urlParams }) =>
      handlePlainRead(urlParams, (memory) => memory.recalls.get(numberOf(number)))
    )
    .handle("rerun", ({ path: { number }, urlParams }) =>
      handlePlainRead(urlParams, (memory) => memory.recalls.rerun(numberOf(number)))
    )
    .handle("flush", ({ urlParams }) =>
      handlePlainOperation("flush", urlParams, (daybook, agent) =>
        Effect.map(daybook.flush(agent), (count) => ({ count }))
      )
    )
)

export const maintenanceHandlers = HttpApiBuilder.group(Api, "maintenance", (handlers) =>
  handlers
    .handle("run", (request) =>
      handleWrite(request, (memory, options, query) =>
        Effect.zipRight(refuseOptions(options), memory.maintenance.run(query))
      )
    )
    .handle("gc", (request) =>
      Effect.flatMap(Daybook, (daybook) =>
        handleWrite(request, (memory, options, { dryRun, ...others }, agent) =>
          Effect.gen(function* () {
            yield* refuseOptions({ ...options, ...others })
            const runs = yield* memory.maintenance.run({
              stages: ["gc"],
              ...(dryRun === undefined ? {} : { dryRun })
            })
            const { all, byTier } = yield* memory.maintenance.tiers({ limit: 0 })
            const { capture, changes } = yield* daybook.stats(agent)
            return { runs, changes, scores: { all, byTier }, capture }
          })
        )
      )
    )
    .handle("list", ({ urlParams }) =>
      handleRead(urlParams, (memory, query) => answerPage(query, (page) => memory.maintenance.list(page)))
    )
    .handle("tiers", ({ urlParams }) => handleRead(urlParams, (memory, query) => memory.maintenance.tiers(query)))
    .handle("get", ({ path: { run }, urlParams }) =>
      handlePlainRead(urlParams, (memory) => memory.maintenance.get(run))
    )
)
