import * as Effect from "effect/Effect"
import { entryOutcome, itemsOf, withoutContent } from "./answers.js"
import type { Api } from "./api.js"
import { withClientErrors } from "./errors.js"
import type { RemoteMemory } from "./remote.js"
import { type HandleParameters, requestBuilder } from "./requests.js"
import { makeRemoteSessions } from "./sessions.js"

/** The methods of a memory handle, as functions that send requests. */
export const makeRemoteMemory = (api: Api, handle: HandleParameters): RemoteMemory => {
  const { archived, ...memories } = api.memories
  const { maintenance, notes, recalls, schedules } = api
  const { ask: body, read, write } = requestBuilder(handle)
  const ask = withClientErrors
  return {
    remember: (payload, options) => ask(memories.remember({ ...write(options), payload })),
    rememberAll: (payload) =>
      Effect.map(ask(memories.rememberAll({ ...write(), payload })), (entries) => entries.map(entryOutcome)),
    update: (id, payload, options) => ask(memories.update({ ...write(options), path: { id }, payload })),
    updatePerson: (name, payload, options) =>
      ask(memories.updatePerson({ ...write(options), path: { name }, payload })),
    forget: (id, options) => ask(memories.forget({ ...write(options), path: { id } })),
    vouch: (ids, options) => ask(memories.vouch({ ...write(options), payload: { ids } })),
    decide: (id, choice, options) => ask(memories.decide({ ...write(options), path: { id }, payload: { choice } })),
    observeTool: (payload, options) => ask(memories.observeTool({ ...write(options), payload })),
    undo: (payload, options) => ask(memories.undo({ ...write(options), payload: payload as never })),
    search: (query) => ask(memories.searchByBody(body(query))),
    explain: (query) => ask(memories.explainByBody(body(query))),
    timeline: ({ anchor, ...span }) => ask(memories.timeline({ ...read(span), path: { id: anchor } })),
    get: (id) => Effect.map(ask(memories.getAll(read({ id }))), (found) => found.map(withoutContent)),
    list: (query) => Effect.map(ask(memories.list(read(query))), ({ items }) => items.map(withoutContent)),
    decisions: (query) => itemsOf(ask(memories.decisions(read(query)))),
    people: (query) => itemsOf(ask(memories.people(read(query)))),
    why: (id, options) => ask(memories.why({ ...read(options), path: { id } })),
    history: (id) => ask(memories.history({ ...read(), path: { id } })),
    profile: (query) => ask(memories.profile(read(query))),
    context: (query) =>
      Effect.map(
        ask(memories.contextByBody({ urlParams: handle, payload: query ?? {} })),
        ({ long_term_hint: _, mid_term: __, short_term: ___, ...context }) => context
      ),
    ...makeRemoteSessions(api, handle),
    notes: {
      save: (payload, options) => ask(notes.save({ ...write(options), payload })),
      get: (id) => ask(notes.get({ ...read(), path: { id } })),
      update: (id, payload, options) => ask(notes.update({ ...write(options), path: { id }, payload })),
      delete: (id, options) => Effect.map(ask(notes.delete({ ...write(options), path: { id } })), ({ done }) => done),
      search: (query) => ask(notes.search(read(query))),
      list: (query) => itemsOf(ask(notes.list(read(query))))
    },
    scratchpad: {
      read: (session, query) => ask(notes.readScratchpad(read({ session, ...query }))),
      history: (session, query) => ask(notes.scratchpadHistory(read({ session, ...query }))),
      write: (session, items, options) =>
        ask(notes.writeScratchpad({ ...write({ session, ...options }), payload: { items } })),
      clear: (session, options) =>
        Effect.map(ask(notes.clearScratchpad(write({ session, ...options }))), ({ done }) => done)
    },
    archive: {
      list: (query) => itemsOf(ask(archived(read(query)))),
      add: (id, options) => ask(memories.archive({ ...write(options), path: { id } })),
      restore: (id, options) => ask(memories.restore({ ...write(options), path: { id } }))
    },
    maintenance: {
      run: (options) => ask(maintenance.run(write(options))),
      list: (query) => itemsOf(ask(maintenance.list(read(query)))),
      get: (run) => ask(maintenance.get({ ...read(), path: { run } })),
      tiers: (query) => ask(maintenance.tiers(read(query)))
    },
    recalls: {
      list: (query) => itemsOf(ask(recalls.list(read(query)))),
      get: (number) => ask(recalls.get({ ...read(), path: { number: String(number) } })),
      rerun: (number) => ask(recalls.rerun({ ...read(), path: { number: String(number) } }))
    },
    schedules: {
      list: (query) => itemsOf(ask(schedules.list(read(query)))),
      count: (filter) => Effect.map(ask(schedules.count(read(filter))), ({ count }) => count),
      get: (id) => ask(schedules.get({ ...read(), path: { id } })),
      runs: (id, query) => itemsOf(ask(schedules.runs({ ...read(query), path: { id } }))),
      run: (run) => ask(schedules.run({ ...read(), path: { run } })),
      add: (payload, options) => ask(schedules.add({ ...write(options), payload })),
      update: (id, payload, options) => ask(schedules.update({ ...write(options), path: { id }, payload })),
      delete: (id, options) => ask(schedules.delete({ ...write(options), path: { id } }))
    }
  } as RemoteMemory
}
