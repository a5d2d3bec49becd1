import * as HttpLayerRouter from "@effect/platform/HttpLayerRouter"
import * as Layer from "effect/Layer"
import { Api } from "../api/Api.js"
import { conversationHandlers } from "./conversation.js"
import { documentRoutes } from "./document.js"
import { etagMiddleware } from "./etags.js"
import { maintenanceHandlers, recallsHandlers, schedulesHandlers } from "./lifecycle.js"
import { logEvents } from "./logEvents.js"
import { memoriesHandlers } from "./memories.js"
import { notesHandlers } from "./notes.js"
import { operationsHandlers } from "./operations.js"

const handlers = Layer.mergeAll(
  memoriesHandlers,
  conversationHandlers,
  notesHandlers,
  schedulesHandlers,
  recallsHandlers,
  maintenanceHandlers,
  operationsHandlers
)

/** The paths of the OpenAPI document and of its page. Both contain no content of any memory, so they need no token. */
export const documentPaths: ReadonlyArray<string> = ["/openapi.json", "/reference"]

/**
 * The routes of the HTTP interface. A request without a `Caller` in its context is refused, except for
 * `documentPaths`.
 */
export const routes = Layer.mergeAll(
  HttpLayerRouter.addHttpApi(Api).pipe(Layer.provide(handlers)),
  documentRoutes
).pipe(Layer.provide(etagMiddleware.layer), Layer.merge(logEvents))
