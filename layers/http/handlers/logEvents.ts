import * as HttpLayerRouter from "@effect/platform/HttpLayerRouter"
import * as HttpServerRequest from "@effect/platform/HttpServerRequest"
import * as Deferred from "effect/Deferred"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Schedule from "effect/Schedule"
import * as Schema from "effect/Schema"
import * as Stream from "effect/Stream"
import type { DaybookEvent, ErasedEvent } from "../../../events/catalogue.js"
import { Daybook } from "../../../src/Daybook.js"
import { checkInteger } from "../../../src/model/filters.js"
import { handleParameters, numberParameter, querySchema } from "../api/parameters.js"
import { problemOf } from "../api/problems.js"
import { handleOperation, refuseOptions } from "./call.js"
import { problemResponse } from "./problemResponse.js"
import { eventResponse, type ServerEvent } from "./sse.js"

/** Pause between two reads of the log. Another process may write to it, so no signal announces new events. */
const pause = Duration.millis(500)

const decodeQuery = Schema.decodeUnknown(querySchema({ ...handleParameters, after: numberParameter("") }))

const serverEvent = (event: DaybookEvent | ErasedEvent): ServerEvent => ({
  id: String(event.version),
  event: event.type,
  data: event
})

/**
 * GET /log/events: the events of an agent as they are written, as server-sent events. A client that reconnects with
 * `Last-Event-ID` continues after that version. The connection ends when the server ends.
 */
export const logEvents = Layer.scopedDiscard(
  Effect.gen(function* () {
    const router = yield* HttpLayerRouter.HttpRouter
    const daybook = yield* Daybook
    const stopped = yield* Deferred.make<void>()
    yield* Effect.addFinalizer(() => Deferred.succeed(stopped, undefined))

    const follow = (agent: string, after: number): Stream.Stream<ServerEvent> =>
      Stream.unwrap(
        Effect.sync(() => {
          let last = after
          return Stream.suspend(() => daybook.log(agent, last)).pipe(
            Stream.tap(({ version }) => Effect.sync(() => (last = version))),
            Stream.repeat(Schedule.spaced(pause)),
            Stream.map(serverEvent),
            Stream.catchAll((error) => Stream.succeed({ event: "problem", data: problemOf(error) }))
          )
        })
      )
    yield* router.add(
      "GET",
      "/log/events",
      Effect.gen(function* () {
        const request = yield* HttpServerRequest.HttpServerRequest
        const parameters = yield* decodeQuery(yield* HttpServerRequest.ParsedSearchParams)
        return yield* handleOperation("log", parameters, (_, agent, { actor: __, after, ...others }) =>
          Effect.gen(function* () {
            yield* refuseOptions(others)
            const resumed = request.headers["last-event-id"]
            const from = resumed === undefined ? (after ?? 0) : Number(resumed || Number.NaN)
            const start = yield* checkInteger("Last-Event-ID", from, 0, Number.MAX_SAFE_INTEGER)
            return eventResponse(Stream.interruptWhenDeferred(follow(agent, start), stopped))
          })
        )
      }).pipe(Effect.catchAllCause(problemResponse), Effect.provideService(Daybook, daybook))
    )
  })
)
