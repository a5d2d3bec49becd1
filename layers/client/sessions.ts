import * as Effect from "effect/Effect"
import { entryOutcome, itemsOf, toCapturedMemory } from "./answers.js"
import type { Api } from "./api.js"
import { withClientErrors } from "./errors.js"
import type { RemoteMemory } from "./remote.js"
import { type HandleParameters, requestBuilder } from "./requests.js"

/** The methods of conversations and files, as functions that send requests. */
export const makeRemoteSessions = (
  { conversation }: Api,
  handle: HandleParameters
): Pick<RemoteMemory, "sessions" | "files"> => {
  const { ask: body, read, write } = requestBuilder(handle)
  const ask = withClientErrors
  return {
    sessions: {
      append: (turn, { extract, ...options } = {}) =>
        Effect.map(
          ask(conversation.append({ ...write(options), payload: { ...turn, extract } })),
          ({ extracted_memories, pending, turn }) => ({
            turn,
            pending,
            captured: extracted_memories.map(toCapturedMemory)
          })
        ),
      appendAll: (payload) =>
        Effect.map(ask(conversation.appendAll({ ...write(), payload })), (entries) => entries.map(entryOutcome)),
      extract: (session, options) => ask(conversation.extract(write({ session, ...options }))),
      list: (query) => itemsOf(ask(conversation.sessions(read(query)))),
      get: (session, query) => ask(conversation.turns(read({ session, ...query }))),
      restore: (session, options) => ask(conversation.restoreSession(read({ session, ...options }))),
      search: (query) => ask(conversation.searchByBody(body(query))),
      explain: (query) => ask(conversation.explainByBody(body(query))),
      summaries: (query) => itemsOf(ask(conversation.summaries(read(query)))),
      summarize: (session) => ask(conversation.summarize(write({ session }))),
      refresh: (session) => Effect.asVoid(ask(conversation.refresh(write({ session })))),
      end: (session) => ask(conversation.end(write({ session }))),
      forget: (session, options) => ask(conversation.forgetSession(write({ session, ...options }))),
      rolling: {
        read: (session, query) => ask(conversation.readRolling(read({ session, ...query }))),
        write: (session, payload, options) =>
          ask(conversation.writeRolling({ ...write({ session, ...options }), payload })),
        roll: (session, options) => ask(conversation.roll(write({ session, ...options })))
      }
    },
    files: {
      list: (query) => itemsOf(ask(conversation.files(read(query)))),
      get: (path) => ask(conversation.file(read({ path }))),
      add: (payload, options) => ask(conversation.addFile({ ...write(options), payload })),
      forget: (path, options) => ask(conversation.forgetFile(write({ path, ...options })))
    }
  } as Pick<RemoteMemory, "sessions" | "files">
}
