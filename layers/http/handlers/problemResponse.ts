import * as HttpServerResponse from "@effect/platform/HttpServerResponse"
import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import { problemOf } from "../api/problems.js"
import { problemType } from "../problemDetails.js"

/** A response with the problem details of a failure. An interruption is passed on as an interruption. */
export const problemResponse = <E>(cause: Cause.Cause<E>): Effect.Effect<HttpServerResponse.HttpServerResponse> => {
  if (Cause.isInterruptedOnly(cause)) return Effect.interrupt
  const problem = problemOf(Cause.squash(cause))
  return Effect.succeed(HttpServerResponse.unsafeJson(problem, { status: problem.status, contentType: problemType }))
}
