import * as HttpLayerRouter from "@effect/platform/HttpLayerRouter"
import * as HttpServerResponse from "@effect/platform/HttpServerResponse"
import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { RequestRefused } from "../api/problems.js"
import { problemResponse } from "./problemResponse.js"

/** The page's Content-Security-Policy: it may load only its own scripts and styles, and data from this server. */
const contentPolicy = [
  "default-src 'none'",
  "script-src 'unsafe-inline'",
  "style-src 'unsafe-inline'",
  "img-src data:",
  "font-src data:",
  "connect-src 'self'",
  "frame-ancestors 'none'",
  "base-uri 'none'"
].join("; ")

/** The document and the page are built when first requested: few clients read them, and the page has 2 MB of code. */
const openApi = Effect.map(
  Effect.promise(() => import("../api/openApi.js")),
  ({ openApi }) => HttpServerResponse.unsafeJson(openApi())
)

const reference = Effect.gen(function* () {
  const { referencePage } = yield* Effect.promise(() => import("./reference.js"))
  return HttpServerResponse.setHeader(yield* referencePage, "content-security-policy", contentPolicy)
})

const noOperation = new RequestRefused({
  status: 404,
  title: "NotFound",
  detail: "no operation has this method and path: see /openapi.json"
})

/** GET /openapi.json, GET /reference, and the answer to every unknown path. */
export const documentRoutes = Layer.effectDiscard(
  Effect.gen(function* () {
    const router = yield* HttpLayerRouter.HttpRouter
    yield* router.add("GET", "/openapi.json", yield* Effect.cached(openApi))
    yield* router.add("GET", "/reference", yield* Effect.cached(reference))
    yield* router.add("*", "/*", problemResponse(Cause.fail(noOperation)))
  })
)
