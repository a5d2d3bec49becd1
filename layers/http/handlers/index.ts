import * as HttpLayerRouter from "@effect/platform/HttpLayerRouter"
import * as Layer from "effect/Layer"
import { Api } from "../api/Api.js"
import { conversation } from "./conversation.js"
import { document } from "./document.js"
import { etags } from "./etags.js"
import { maintenance, recalls, schedules } from "./lifecycle.js"
import { logEvents } from "./logEvents.js"
import { memories } from "./memories.js"
import { notes } from "./notes.js"
import { operations } from "./operations.js"

const handlers = Layer.mergeAll(memories, conversation, notes, schedules, recalls, maintenance, operations)

/** The paths of the OpenAPI document and of its page. Both contain no content of any memory, so they need no token. */
export const documentPaths: ReadonlyArray<string> = ["/openapi.json", "/reference"]

/**
 * The routes of the HTTP interface. A request without a `Caller` in its context is refused, except for
 * `documentPaths`.
 */
export const routes = Layer.mergeAll(HttpLayerRouter.addHttpApi(Api).pipe(Layer.provide(handlers)), document).pipe(
  Layer.provide(etags.layer),
  Layer.merge(logEvents)
)
