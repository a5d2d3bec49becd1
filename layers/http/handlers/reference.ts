import * as HttpApiSwagger from "@effect/platform/HttpApiSwagger"
import * as HttpLayerRouter from "@effect/platform/HttpLayerRouter"
import type * as HttpServerResponse from "@effect/platform/HttpServerResponse"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { makeDocumentedApi } from "../api/openApi.js"

/**
 * The reference page of the interface. It loads nothing else, because it contains its script, its styles and the
 * document. Effect provides the page only as a route, so this uses the route's handler.
 */
export const referencePage: Effect.Effect<HttpServerResponse.HttpServerResponse> = Effect.suspend(() => {
  let page: Effect.Effect<HttpServerResponse.HttpServerResponse> = Effect.die("the page has no route")
  const router = {
    add: (_method: string, _path: string, handler: typeof page) =>
      Effect.sync(() => {
        page = handler
      })
  }
  return HttpApiSwagger.layerHttpLayerRouter({ api: makeDocumentedApi(), path: "/reference" }).pipe(
    Layer.provide(Layer.succeed(HttpLayerRouter.HttpRouter, router as unknown as HttpLayerRouter.HttpRouter)),
    Layer.build,
    Effect.scoped,
    Effect.zipRight(Effect.suspend(() => page))
  )
})
