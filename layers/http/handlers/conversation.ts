import * as HttpApiBuilder from "@effect/platform/HttpApiBuilder"
import * as Effect from "effect/Effect"
import type { AppendOptions } from "../../../src/capture/CaptureWriter.js"
import type { SessionWriter, TurnInput } from "../../../src/conversation/Sessions.js"
import { modelLevel } from "../../access/modelLevel.js"
import { Api } from "../api/Api.js"
import type { NewTurn } from "../api/types.js"
import { batchAnswer, batchOf } from "./batch.js"
import { asks, noOptions, objectBody, reads, requireFull, writes, writesPlain } from "./call.js"
import { extractedMemory } from "./content.js"
import { paged } from "./pages.js"

type BatchTurn = Parameters<SessionWriter["appendAll"]>[0][number]

/** Adds the model's level to a turn of the model. A value that is not a turn is unchanged: the library refuses it. */
const withLevel = <Value>(turn: Value): Value => {
  const { level, role } = (turn ?? {}) as Partial<TurnInput>
  return level === undefined && (role === "assistant" || role === "system") ? { ...turn, level: modelLevel } : turn
}

/** An entry of a batch: a turn, or a list of a turn and its options. */
const withLevelOfEntry = (entry: BatchTurn): BatchTurn =>
  Array.isArray(entry) ? ([withLevel(entry[0]), ...entry.slice(1)] as unknown as BatchTurn) : withLevel(entry)

/** Resolves the aliases of a turn's fields. */
const turnOf = ({ auto_extract, extract = auto_extract, session_id, session = session_id, ...turn }: NewTurn) => ({
  turn: withLevel({ session, ...turn } as TurnInput),
  options: (extract === undefined ? {} : { extract }) as AppendOptions
})

export const conversation = HttpApiBuilder.group(Api, "conversation", (handlers) =>
  handlers
    .handle("append", (request) =>
      writesPlain(request, (memory, options) =>
        Effect.gen(function* () {
          const { options: own, turn } = turnOf(yield* objectBody(request.payload))
          const { captured, ...stored } = yield* memory.sessions.append(turn, { ...own, ...options })
          return { turn_id: stored.turn.id, extracted_memories: captured.map(extractedMemory), ...stored }
        })
      )
    )
    .handle("appendAll", (request) =>
      writes(request, (memory, options, query) =>
        Effect.flatMap(batchOf(options, query, request.payload), (batch) =>
          Effect.map(memory.sessions.appendAll(batch.map(withLevelOfEntry)), batchAnswer)
        )
      )
    )
    .handle("turns", ({ urlParams }) =>
      reads(urlParams, (memory, { session_id, session = session_id, ...query }) => memory.sessions.get(session!, query))
    )
    .handle("search", ({ urlParams }) => reads(urlParams, (memory, query) => memory.sessions.search(query)))
    .handle("searchByBody", (request) => asks(request, (memory, query) => memory.sessions.search(query)))
    .handle("explain", ({ urlParams }) => reads(urlParams, (memory, query) => memory.sessions.explain(query)))
    .handle("explainByBody", (request) => asks(request, (memory, query) => memory.sessions.explain(query)))
    .handle("sessions", ({ urlParams }) =>
      reads(urlParams, (memory, query) => paged(query, (page) => memory.sessions.list(page)))
    )
    .handle("forgetSession", (request) =>
      writes(request, (memory, options, { session, ...others }) =>
        Effect.zipRight(noOptions(others), memory.sessions.forget(session!, options))
      )
    )
    .handle("restoreSession", ({ urlParams }) =>
      reads(urlParams, (memory, { session, ...options }) => memory.sessions.restore(session!, options))
    )
    .handle("summaries", ({ urlParams }) =>
      reads(urlParams, (memory, query) => paged(query, (page) => memory.sessions.summaries(page)))
    )
    .handle("extract", (request) =>
      writes(request, (memory, options, { session, ...query }) =>
        Effect.zipRight(noOptions(options), memory.sessions.extract(session, query))
      )
    )
    .handle("summarize", (request) =>
      writes(request, (memory, options, { session, ...others }) =>
        Effect.zipRight(noOptions({ ...options, ...others }), memory.sessions.summarize(session!))
      )
    )
    .handle("refresh", (request) =>
      writes(request, (memory, options, { session, ...others }) =>
        Effect.gen(function* () {
          yield* requireFull("refreshing sessions")
          yield* noOptions({ ...options, ...others })
          yield* memory.sessions.refresh(session!)
          return { done: true }
        })
      )
    )
    .handle("end", (request) =>
      writes(request, (memory, options, { session, ...others }) =>
        Effect.zipRight(noOptions({ ...options, ...others }), memory.sessions.end(session!))
      )
    )
    .handle("readRolling", ({ urlParams }) =>
      reads(urlParams, (memory, { session, ...query }) => memory.sessions.rolling.read(session!, query))
    )
    .handle("writeRolling", (request) =>
      writes(request, (memory, options, { session, ...query }) =>
        memory.sessions.rolling.write(session!, request.payload, { ...query, ...options })
      )
    )
    .handle("roll", (request) =>
      writes(request, (memory, options, { session, ...query }) =>
        memory.sessions.rolling.roll(session!, { ...query, ...options })
      )
    )
    .handle("files", ({ urlParams }) =>
      reads(urlParams, (memory, query) => paged(query, (page) => memory.files.list(page)))
    )
    .handle("file", ({ urlParams }) =>
      reads(urlParams, (memory, { path, ...others }) => Effect.zipRight(noOptions(others), memory.files.get(path!)))
    )
    .handle("addFile", (request) =>
      writesPlain(request, (memory, options) => memory.files.add(request.payload, options))
    )
    .handle("forgetFile", (request) =>
      writes(request, (memory, options, { path, ...others }) =>
        Effect.zipRight(noOptions(others), memory.files.forget(path!, options))
      )
    )
)
