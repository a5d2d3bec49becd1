import type * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import { codec } from "../../events/Codec.js"
import type { Decision, EventType, Payload } from "../../events/catalogue.js"
import type { CachedVector, EventLog } from "../../events/EventLog.js"
import { embeddingText, type Memory } from "../../events/Memory.js"
import type { Recall } from "../../events/Recall.js"
import { textDigest } from "../../projections/vectors.js"

/** An event of a story, in the order in which it was told. */
export type Told = {
  readonly [T in EventType]: {
    readonly type: T
    readonly payload: Payload<T>
    /** Vectors that the cache has by the time of the event. */
    readonly vectors?: ReadonlyArray<CachedVector>
  }
}[EventType]

type Fields = Partial<Omit<Memory, "id" | "born" | "revision">>

/** When the event of a version was recorded: a minute apart. */
export const timeOf = (version: number): number => Date.UTC(2026, 2, 14) + version * 60_000

export const dimensions = 4

/** A direction for each number: 0 to 3 are at right angles. */
export const direction = (number: number): Float32Array => {
  const vector = new Float32Array(dimensions)
  vector[number % dimensions] = 1
  return vector
}

const decision: Decision = { action: "ADD", by: { kind: "rule", name: "test" }, reason: "told so", candidates: [] }

/** Makes the events of one stream, each with the after-images that follow from those before it. */
export const story = () => {
  const memories = new Map<string, Memory>()
  let version = 0
  const born = (id: string, fields: Fields): Memory => {
    const now = timeOf(version)
    return {
      id,
      born: version,
      revision: 1,
      status: "active",
      type: "discovery",
      title: id,
      facts: [],
      tags: [],
      people: [],
      files: [],
      source: { kind: "agent" },
      store: "private",
      tier: "long",
      importance: 0,
      tokens: 1,
      mentions: 1,
      lastMentionedAt: now,
      createdAt: now,
      updatedAt: now,
      ...fields
    }
  }
  const keep = (memory: Memory): Memory => {
    memories.set(memory.id, memory)
    return memory
  }
  const changed = (id: string, fields: Fields): Memory => {
    const memory = memories.get(id)!
    return keep({ ...memory, ...fields, revision: memory.revision + 1, updatedAt: timeOf(version) })
  }
  const next = (make: () => Told): Told => {
    version++
    return make()
  }
  return {
    add: (id: string, fields: Fields = {}) =>
      next(() => ({ type: "ADD", payload: { memory: keep(born(id, fields)), decision } })),
    update: (id: string, fields: Fields, reason: Payload<"UPDATE">["reason"] = "edited") =>
      next(() => ({ type: "UPDATE", payload: { memory: changed(id, fields), reason, decision } })),
    /** What a memory says was said once more, in the words of `input`. */
    mention: (id: string, input: Readonly<Record<string, unknown>>) =>
      next(() => ({
        type: "UPDATE",
        payload: { memory: changed(id, { lastMentionedAt: timeOf(version) }), reason: "reconciled", input, decision }
      })),
    undo: (id: string, ...undoes: ReadonlyArray<number>) =>
      next(() => ({ type: "UPDATE", payload: { memory: changed(id, {}), reason: "undone", undoes, decision } })),
    forget: (id: string) =>
      next(() => ({
        type: "DELETE",
        payload: { memory: changed(id, { status: "forgotten" }), reason: "forgotten", decision }
      })),
    replace: (id: string, by: string, fields: Fields = {}) =>
      next(() => ({
        type: "DELETE",
        payload: {
          memory: changed(id, { status: "superseded" }),
          replacement: keep(
            born(by, { ...fields, lineage: [{ kind: "supersedes", to: id, reason: "conflict" as const }] })
          ),
          reason: "replaced",
          decision
        }
      })),
    compress: (id: string, sources: ReadonlyArray<string>, fields: Fields = {}) =>
      next(() => ({
        type: "COMPRESS",
        payload: {
          sources: sources.map((source) => changed(source, { status: "compressed" })),
          memory: keep(born(id, fields)),
          decision
        }
      })),
    archive: (...ids: ReadonlyArray<string>) =>
      next(() => ({
        type: "ARCHIVE",
        payload: { memories: ids.map((id) => changed(id, { status: "archived" })), decision }
      })),
    embed: (directions: Readonly<Record<string, number>>, options: { model?: string; cached?: boolean } = {}) =>
      next(() => {
        const model = options.model ?? "test-4"
        const entries = Object.keys(directions).map((id) => {
          const { born, store, ...memory } = memories.get(id)!
          return { memory: id, born, store, digest: textDigest(embeddingText(memory)) }
        })
        const vectors = entries.map(({ digest, memory }) => ({
          model,
          dimensions,
          digest,
          vector: direction(directions[memory]!)
        }))
        return {
          type: "EMBED",
          payload: { model, dimensions, entries },
          ...(options.cached === false ? {} : { vectors })
        }
      }),
    recall: (first: number, ...recalls: ReadonlyArray<Partial<Recall> & { readonly ids: ReadonlyArray<string> }>) =>
      next(() => ({
        type: "RECALL",
        payload: {
          first,
          recalls: recalls.map(({ ids, ...recall }) => ({
            kind: "memories",
            level: "full",
            text: "tea",
            filters: { limit: 10 },
            mode: "enhanced",
            gated: false,
            reranker: null,
            askedAt: timeOf(version),
            position: version - 1,
            vector: null,
            hits: ids.map((id) => ({ id, score: 0.5 })),
            ...recall
          })),
          ranker: 1,
          embedder: { model: "test-4", dimensions, weight: 0.5, floor: 0.5 },
          policy: { pool: 200 },
          dropped: 0
        }
      })),
    schedule: (payload: Payload<"SCHEDULE">) => next(() => ({ type: "SCHEDULE", payload })),
    run: (payload: Payload<"RUN">) => next(() => ({ type: "RUN", payload })),
    imported: () =>
      next(() => ({ type: "IMPORT", payload: { files: [], added: 0, duplicates: 0, unchanged: 0, refused: 0 } }))
  }
}

/** Stores events as a writer would, a command each, a minute apart. */
export const tell = (log: Context.Tag.Service<EventLog>, stream: string, told: ReadonlyArray<Told>) =>
  Effect.gen(function* () {
    let { version } = yield* log.head(stream)
    for (const one of told) {
      yield* log.append({
        stream,
        expected: version,
        now: timeOf(++version),
        commands: [commandOf(one)],
        vectors: one.vectors ?? []
      })
    }
  })

/** Stores many events with one append. */
export const tellAtOnce = (log: Context.Tag.Service<EventLog>, stream: string, told: ReadonlyArray<Told>) =>
  Effect.flatMap(log.head(stream), ({ version }) =>
    log.append({ stream, expected: version, now: timeOf(version + 1), commands: told.map(commandOf) })
  )

const commandOf = ({ payload, type }: Told) => ({
  actor: "test",
  events: [{ type, ...codec.encode(type, payload) }]
})
