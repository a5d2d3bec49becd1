import { createHash } from "node:crypto"
import * as HttpLayerRouter from "@effect/platform/HttpLayerRouter"
import * as HttpServerRequest from "@effect/platform/HttpServerRequest"
import * as HttpServerResponse from "@effect/platform/HttpServerResponse"
import * as Effect from "effect/Effect"

/**
 * Adds the digest of each answer as its `ETag`, and answers 304 to a client that sends the same digest. The log's
 * version is not used, because it would reveal hidden writes to a lower trust level.
 */
export const etagMiddleware = HttpLayerRouter.middleware((app) =>
  Effect.gen(function* () {
    const { headers, method } = yield* HttpServerRequest.HttpServerRequest
    const response = yield* app
    const { body, status } = response
    if (method !== "GET" || status !== 200 || body._tag !== "Uint8Array") return response
    const etag = `"${createHash("sha256").update(body.body).digest("base64url").slice(0, 22)}"`
    const shown = { etag, "cache-control": "private, no-cache", vary: "Authorization" }
    return tagsIn(headers["if-none-match"]).some((tag) => tag === "*" || tag === etag)
      ? HttpServerResponse.empty({ status: 304, headers: shown })
      : HttpServerResponse.setHeaders(response, shown)
  })
)

const tagsIn = (header: string | undefined): ReadonlyArray<string> =>
  (header ?? "").split(",").map((tag) => tag.trim().replace(/^W\//, ""))
