import type * as HttpServerRequest from "@effect/platform/HttpServerRequest"
import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import { problemOf } from "../api/problems.js"
import { logDefects } from "./call.js"
import { eventResponse, type ServerEvent } from "./sse.js"

/**
 * Runs a long operation. A client that accepts `text/event-stream` gets events `progress`, and at the end one event
 * `answer` or `problem`. The operation ends with the connection.
 */
export const withProgress = <Progress, A, E>(
  request: HttpServerRequest.HttpServerRequest,
  run: (onProgress: ((progress: Progress) => void) | undefined) => Effect.Effect<A, E>
): Effect.Effect<A, E> =>
  request.headers.accept?.includes("text/event-stream") !== true
    ? run(undefined)
    : // The builder also accepts a response in place of an answer, although the type of a handler does not allow it.
      Effect.succeed(eventResponse(eventsOf(run)) as unknown as A)

const eventsOf = <Progress, A, E>(run: (onProgress: (progress: Progress) => void) => Effect.Effect<A, E>) =>
  Stream.asyncPush<ServerEvent>((emit) =>
    logDefects(run((progress) => void emit.single({ event: "progress", data: progress }))).pipe(
      Effect.matchCause({
        onFailure: (cause): ServerEvent => ({ event: "problem", data: problemOf(Cause.squash(cause)) }),
        onSuccess: (data): ServerEvent => ({ event: "answer", data })
      }),
      Effect.flatMap((event) =>
        Effect.sync(() => {
          emit.single(event)
          emit.end()
        })
      ),
      Effect.forkScoped
    )
  )
