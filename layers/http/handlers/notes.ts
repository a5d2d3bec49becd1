import * as HttpApiBuilder from "@effect/platform/HttpApiBuilder"
import * as Effect from "effect/Effect"
import { Api } from "../api/Api.js"
import { doneAnswer, listIn, objectBody, reads, readsPlain, writes, writesPlain } from "./call.js"
import { paged } from "./pages.js"

export const notes = HttpApiBuilder.group(Api, "notes", (handlers) =>
  handlers
    .handle("save", (request) => writesPlain(request, (memory, options) => memory.notes.save(request.payload, options)))
    .handle("list", ({ urlParams }) =>
      reads(urlParams, (memory, query) => paged(query, (page) => memory.notes.list(page)))
    )
    .handle("search", ({ urlParams }) => reads(urlParams, (memory, query) => memory.notes.search(query)))
    .handle("get", ({ path: { id }, urlParams }) => readsPlain(urlParams, (memory) => memory.notes.get(id)))
    .handle("update", (request) =>
      writesPlain(request, (memory, options) =>
        Effect.gen(function* () {
          return yield* memory.notes.update(request.path.id, yield* objectBody(request.payload), options)
        })
      )
    )
    .handle("delete", (request) =>
      writesPlain(request, (memory, options) => Effect.map(memory.notes.delete(request.path.id, options), doneAnswer))
    )
    .handle("readScratchpad", ({ urlParams }) =>
      reads(urlParams, (memory, { session, ...query }) => memory.scratchpad.read(session!, query))
    )
    .handle("scratchpadHistory", ({ urlParams }) =>
      reads(urlParams, (memory, { session, ...query }) => memory.scratchpad.history(session!, query))
    )
    .handle("writeScratchpad", (request) =>
      writes(request, (memory, options, { session, ...query }) =>
        Effect.gen(function* () {
          const items = yield* listIn("items", (yield* objectBody(request.payload)).items)
          return yield* memory.scratchpad.write(session!, items, { ...query, ...options })
        })
      )
    )
    .handle("clearScratchpad", (request) =>
      writes(request, (memory, options, { session, ...query }) =>
        Effect.map(memory.scratchpad.clear(session!, { ...query, ...options }), doneAnswer)
      )
    )
)
