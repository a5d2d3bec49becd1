import * as HttpApiBuilder from "@effect/platform/HttpApiBuilder"
import * as Effect from "effect/Effect"
import { Api } from "../api/Api.js"
import {
  doneAnswer,
  handlePlainRead,
  handlePlainWrite,
  handleRead,
  handleWrite,
  requireList,
  requireObject
} from "./call.js"
import { answerPage } from "./pages.js"

export const notesHandlers = HttpApiBuilder.group(Api, "notes", (handlers) =>
  handlers
    .handle("save", (request) =>
      handlePlainWrite(request, (memory, options) => memory.notes.save(request.payload, options))
    )
    .handle("list", ({ urlParams }) =>
      handleRead(urlParams, (memory, query) => answerPage(query, (page) => memory.notes.list(page)))
    )
    .handle("search", ({ urlParams }) => handleRead(urlParams, (memory, query) => memory.notes.search(query)))
    .handle("get", ({ path: { id }, urlParams }) => handlePlainRead(urlParams, (memory) => memory.notes.get(id)))
    .handle("update", (request) =>
      handlePlainWrite(request, (memory, options) =>
        Effect.gen(function* () {
          return yield* memory.notes.update(request.path.id, yield* requireObject(request.payload), options)
        })
      )
    )
    .handle("delete", (request) =>
      handlePlainWrite(request, (memory, options) =>
        Effect.map(memory.notes.delete(request.path.id, options), doneAnswer)
      )
    )
    .handle("readScratchpad", ({ urlParams }) =>
      handleRead(urlParams, (memory, { session, ...query }) => memory.scratchpad.read(session!, query))
    )
    .handle("scratchpadHistory", ({ urlParams }) =>
      handleRead(urlParams, (memory, { session, ...query }) => memory.scratchpad.history(session!, query))
    )
    .handle("writeScratchpad", (request) =>
      handleWrite(request, (memory, options, { session, ...query }) =>
        Effect.gen(function* () {
          const items = yield* requireList("items", (yield* requireObject(request.payload)).items)
          return yield* memory.scratchpad.write(session!, items, { ...query, ...options })
        })
      )
    )
    .handle("clearScratchpad", (request) =>
      handleWrite(request, (memory, options, { session, ...query }) =>
        Effect.map(memory.scratchpad.clear(session!, { ...query, ...options }), doneAnswer)
      )
    )
)
