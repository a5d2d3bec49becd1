import * as HttpApiBuilder from "@effect/platform/HttpApiBuilder"
import * as Effect from "effect/Effect"
import type { AppendOptions } from "../../../src/capture/CaptureWriter.js"
import type { SessionWriter, TurnInput } from "../../../src/conversation/Sessions.js"
import { modelLevel } from "../../access/modelLevel.js"
import { Api } from "../api/Api.js"
import type { NewTurn } from "../api/types.js"
import { batchAnswer, checkBatchEntries } from "./batch.js"
import {
  handleBodyRead,
  handlePlainWrite,
  handleRead,
  handleWrite,
  refuseOptions,
  requireFullTrust,
  requireObject
} from "./call.js"
import { extractedMemory } from "./content.js"
import { answerPage } from "./pages.js"

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

// Longer than 80 lines: a handler for each operation of the group.
export const conversationHandlers = HttpApiBuilder.group(Api, "conversation", (handlers) =>
  handlers
    .handle("append", (request) =>
      handlePlainWrite(request, (memory, options) =>
        Effect.gen(function* () {
          const { options: own, turn } = turnOf(yield* requireObject(request.payload))
          const { captured, ...stored } = yield* memory.sessions.append(turn, { ...own, ...options })
          return { turn_id: stored.turn.id, extracted_memories: captured.map(extractedMemory), ...stored }
        })
      )
    )
    .handle("appendAll", (request) =>
      handleWrite(request, (memory, options, query) =>
        Effect.flatMap(checkBatchEntries(options, query, request.payload), (batch) =>
          Effect.map(memory.sessions.appendAll(batch.map(withLevelOfEntry)), batchAnswer)
        )
      )
    )
    .handle("turns", ({ urlParams }) =>
      handleRead(urlParams, (memory, { session_id, session = session_id, ...query }) =>
        memory.sessions.get(session!, query)
      )
    )
    .handle("search", ({ urlParams }) => handleRead(urlParams, (memory, query) => memory.sessions.search(query)))
    .handle("searchByBody", (request) => handleBodyRead(request, (memory, query) => memory.sessions.search(query)))
    .handle("explain", ({ urlParams }) => handleRead(urlParams, (memory, query) => memory.sessions.explain(query)))
    .handle("explainByBody", (request) => handleBodyRead(request, (memory, query) => memory.sessions.explain(query)))
    .handle("sessions", ({ urlParams }) =>
      handleRead(urlParams, (memory, query) => answerPage(query, (page) => memory.sessions.list(page)))
    )
    .handle("forgetSession", (request) =>
      handleWrite(request, (memory, options, { session, ...others }) =>
        Effect.zipRight(refuseOptions(others), memory.sessions.forget(session!, options))
      )
    )
    .handle("restoreSession", ({ urlParams }) =>
      handleRead(urlParams, (memory, { session, ...options }) => memory.sessions.restore(session!, options))
    )
    .handle("summaries", ({ urlParams }) =>
      handleRead(urlParams, (memory, query) => answerPage(query, (page) => memory.sessions.summaries(page)))
    )
    .handle("extract", (request) =>
      handleWrite(request, (memory, options, { session, ...query }) =>
        Effect.zipRight(refuseOptions(options), memory.sessions.extract(session, query))
      )
    )
    .handle("summarize", (request) =>
      handleWrite(request, (memory, options, { session, ...others }) =>
        Effect.zipRight(refuseOptions({ ...options, ...others }), memory.sessions.summarize(session!))
      )
    )
    .handle("refresh", (request) =>
      handleWrite(request, (memory, options, { session, ...others }) =>
        Effect.gen(function* () {
          yield* requireFullTrust("refreshing sessions")
          yield* refuseOptions({ ...options, ...others })
          yield* memory.sessions.refresh(session!)
          return { done: true }
        })
      )
    )
    .handle("end", (request) =>
      handleWrite(request, (memory, options, { session, ...others }) =>
        Effect.zipRight(refuseOptions({ ...options, ...others }), memory.sessions.end(session!))
      )
    )
    .handle("readRolling", ({ urlParams }) =>
      handleRead(urlParams, (memory, { session, ...query }) => memory.sessions.rolling.read(session!, query))
    )
    .handle("writeRolling", (request) =>
      handleWrite(request, (memory, options, { session, ...query }) =>
        memory.sessions.rolling.write(session!, request.payload, { ...query, ...options })
      )
    )
    .handle("roll", (request) =>
      handleWrite(request, (memory, options, { session, ...query }) =>
        memory.sessions.rolling.roll(session!, { ...query, ...options })
      )
    )
    .handle("files", ({ urlParams }) =>
      handleRead(urlParams, (memory, query) => answerPage(query, (page) => memory.files.list(page)))
    )
    .handle("file", ({ urlParams }) =>
      handleRead(urlParams, (memory, { path, ...others }) =>
        Effect.zipRight(refuseOptions(others), memory.files.get(path!))
      )
    )
    .handle("addFile", (request) =>
      handlePlainWrite(request, (memory, options) => memory.files.add(request.payload, options))
    )
    .handle("forgetFile", (request) =>
      handleWrite(request, (memory, options, { path, ...others }) =>
        Effect.zipRight(refuseOptions(others), memory.files.forget(path!, options))
      )
    )
)
