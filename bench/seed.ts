import * as Effect from "effect/Effect"
import { codec } from "../events/Codec.js"
import type { EventType, Payload } from "../events/catalogue.js"
import { EventLog } from "../events/EventLog.js"
import * as EventLogSqlite from "../events/EventLogSqlite.js"
import { embeddingText, type Memory } from "../events/Memory.js"
import type { Turn } from "../events/Turn.js"
import { textDigest } from "../projections/vectors.js"
import { callerDecision } from "../src/actor/Command.js"
import type { TurnInput } from "../src/conversation/turnInput.js"
import { type GeneratedMemory, imageOf, vectorOf } from "./data.js"

/** The time of the first batch. Each later batch of 1,000 memories is one hour later. */
const start = Date.UTC(2025, 0, 1)
const batch = 1_000

/** Changes to the seeded memories. Without changes, they are as `remember` would store them. */
export interface SeedOptions {
  /** The time of a batch in milliseconds since the epoch, by the index of its first memory. */
  readonly timeOf?: (from: number) => number
  /** Changes the after-image of the memory at an index. */
  readonly lived?: (image: Memory, at: number) => Memory
  /** The RECALL event to add after a batch. */
  readonly recalled?: (images: ReadonlyArray<Memory>, now: number) => Payload<"RECALL">
}

/**
 * Writes the logs of agents that remembered and embedded these memories. The events are those of `remember`, but no
 * view is opened. Opening a view builds it from the log.
 */
export const seed = (
  folder: string,
  agents: ReadonlyMap<string, ReadonlyArray<GeneratedMemory>>,
  { lived = (image) => image, recalled, timeOf = (from) => start + (from / batch) * 3_600_000 }: SeedOptions = {}
): Promise<void> =>
  Effect.gen(function* () {
    const log = yield* EventLog
    for (const [stream, memories] of agents) {
      let version = 0
      for (let from = 0; from < memories.length; from += batch) {
        const now = timeOf(from)
        const images = memories.slice(from, from + batch).map((made, at) => {
          const born = version + at + 1
          return lived(imageOf(made, born.toString(36).padStart(10, "0"), born, now), from + at)
        })
        const entries = images.map((image) => {
          const text = embeddingText(image)
          return { memory: image.id, born: image.born, store: image.store, digest: textDigest(text), text }
        })
        const event = <T extends EventType>(type: T, payload: Payload<T>) => ({ type, ...codec.encode(type, payload) })
        const decision = callerDecision("ADD", "remember", "no exact duplicate in the store")
        const added = images.map((memory) => ({ actor: "program", events: [event("ADD", { memory, decision })] }))
        const pages = [0, 256, 512, 768].map((at) => entries.slice(at, at + 256)).filter((page) => page.length > 0)
        const embedded = pages.map((page) => ({
          actor: "embedder",
          events: [event("EMBED", { ...model, entries: page.map(({ text: _, ...entry }) => entry) })]
        }))
        const vectors = entries.map(({ digest, text }) => ({ ...model, digest, vector: vectorOf(text) }))
        const shown =
          recalled === undefined ? [] : [{ actor: "program", events: [event("RECALL", recalled(images, now))] }]
        yield* log.append({ stream, expected: version, now, commands: [...added, ...embedded, ...shown], vectors })
        version += added.length + embedded.length + shown.length
      }
    }
  }).pipe(Effect.provide(EventLogSqlite.layer(folder)), Effect.runPromise)

/** Writes the log of an agent with these turns. The events are those of `addTurns`, without embeddings. */
export const seedTurns = (folder: string, stream: string, turns: ReadonlyArray<TurnInput>): Promise<void> =>
  Effect.gen(function* () {
    const log = yield* EventLog
    const sequences = new Map<string, number>()
    for (let from = 0; from < turns.length; from += batch) {
      const commands = turns.slice(from, from + batch).map(({ at, role = "user", session, speaker, text }, index) => {
        const sequence = (sequences.get(session) ?? 0) + 1
        sequences.set(session, sequence)
        const id = (from + index + 1).toString(36).padStart(10, "0")
        const turn: Turn = {
          id,
          session,
          sequence,
          role,
          ...(speaker === undefined ? {} : { speaker }),
          text,
          store: "private",
          tokens: Math.ceil(text.length / 4),
          occurredAt: Number(at)
        }
        return { actor: "program", events: [{ type: "TURN", ...codec.encode("TURN", { turn }) }] }
      })
      yield* log.append({ stream, expected: from, now: start + from, commands })
    }
  }).pipe(Effect.provide(EventLogSqlite.layer(folder)), Effect.runPromise)

const model = { model: "hash-256-v1", dimensions: 256 }
