import type * as Effect from "effect/Effect"
import { afterImages, type DaybookEvent, type Decision, type EventType } from "../events/catalogue.js"
import type { Memory as Image } from "../events/Memory.js"
import { findChanges } from "../projections/history.js"
import { findReadableMemories } from "../projections/lineageReads.js"
import { findRowNumber } from "../projections/observationReads.js"
import { visibleVersion } from "./actor/Command.js"
import type { ReaderServices, ReaderSource } from "./actor/ReaderSource.js"
import { MemoryNotFound } from "./model/errors.js"
import type { ReadError } from "./model/filters.js"
import { decodeKey } from "./model/input.js"
import { defineMethod } from "./model/operation.js"
import { toWholeMemory, type WholeMemory } from "./model/wholeMemory.js"
import { hideUnreadableMemories } from "./visibleDecision.js"
import type { Why, WhyOptions } from "./why.js"
import { makeWhy } from "./whyOf.js"

/** One version of a memory: the event, its actor, time and decision, and the memory after it. */
export interface HistoryEntry {
  /** The memory's own change counter, from 1. */
  readonly revision: number
  /** The stream version of the event; only at full trust. */
  readonly version?: number
  readonly type: EventType
  /** The recording time, milliseconds since the epoch. */
  readonly recordedAt: number
  readonly actor: string
  readonly decision: Decision | null
  readonly memory: WholeMemory & { readonly status: Image["status"] }
}

/** Reads the history of a memory. */
export interface HistoryReader {
  /**
   * Explains how a memory was created and changed: its versions with their decisions, its predecessors and its
   * sources. See `Why`.
   */
  readonly why: (id: string, options?: WhyOptions) => Effect.Effect<Why, ReadError | MemoryNotFound>
  /** All versions of a memory, oldest first. At full trust this includes forgotten memories. */
  readonly history: (id: string) => Effect.Effect<ReadonlyArray<HistoryEntry>, ReadError | MemoryNotFound>
}

/** @internal */
export const makeHistoryReader = (source: ReaderSource, services: ReaderServices): HistoryReader => ({
  why: defineMethod("Memory.why")(makeWhy(source, services)),
  history: defineMethod("Memory.history")(historyOf(source, services))
})

/** Reads every version of a memory from the log, oldest first. Omits versions whose content was erased. */
const historyOf = ({ agent, level, read }: ReaderSource, { codec, log }: ReaderServices) =>
  function* (id: string) {
    yield* decodeKey("id", id)
    const changes = yield* read(({ db, now }) => {
      const born = findRowNumber(db, level, id, now)
      return born === undefined ? [] : findChanges(db, level, born)
    })
    if (changes.length === 0) return yield* new MemoryNotFound({ id })
    const rows = yield* log.at(
      agent,
      changes.map(({ version }) => version)
    )
    const entries: Array<HistoryEntry> = []
    const images: Array<readonly [DaybookEvent, Image]> = []
    for (const row of rows) {
      const event = yield* codec.decode(row)
      const image = event.payload === null ? undefined : afterImages(event).find((memory) => memory.id === id)
      if (image !== undefined) images.push([event as DaybookEvent, image])
    }
    const others = images.flatMap(([{ payload }, { disputes = [] }]) => [
      ...disputes.map((dispute) => dispute.id),
      ...(payload !== null && "decision" in payload ? payload.decision.candidates.map((candidate) => candidate.id) : [])
    ])
    const readable = yield* read(({ db, now }) => findReadableMemories(db, level, others, now))
    const isReadable = (other: string) => level === "full" || readable.has(other)
    for (const [event, image] of images) {
      entries.push({
        revision: image.revision,
        ...visibleVersion(level, event.version),
        type: event.type,
        recordedAt: event.recordedAt,
        actor: event.actor,
        decision:
          "decision" in event.payload ? hideUnreadableMemories(event.payload.decision, image, isReadable) : null,
        memory: { ...toWholeMemory(image), status: image.status }
      })
    }
    return entries
  }
