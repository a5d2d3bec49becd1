import * as Either from "effect/Either"
import type { DaybookEvent } from "../../events/catalogue.js"
import type { Memory } from "../../events/Memory.js"
import { findById } from "../../projections/observations.js"
import type { Db } from "../../projections/Projection.js"
import { findAccesses } from "../../projections/recalls.js"
import { findSummary, isFounded } from "../../projections/summaries.js"
import { type Command, type DecidedEvent, runCause } from "../actor/Command.js"

/** A portion of what a run does. */
export interface Portion {
  readonly run: string
  readonly actor: string
  /** Stands in front of the portion where it writes anything. */
  readonly started: DecidedEvent | undefined
  readonly events: ReadonlyArray<DecidedEvent>
  /** How often memories had been shown when it was planned, those that had been; absent where that does not matter. */
  readonly shown?: ReadonlyMap<string, number> | undefined
}

/** What was written, and of how many memories nothing: those that somebody else changed meanwhile are left. */
export interface Carried {
  readonly events: ReadonlyArray<DaybookEvent>
  readonly left: number
}

/** Makes the command that carries out a portion of a run. */
export const maintain = ({ actor, events, run, shown, started }: Portion): Command<Carried, never> => {
  let left = 0
  return {
    actor,
    request: () => JSON.stringify(["maintain", run]),
    cause: runCause(run),
    decide: ({ db, version }) => {
      left = 0
      const sound = events.flatMap((event) => {
        const still = stillSound(db, event, shown)
        left += still.left
        return still.event === undefined ? [] : [still.event]
      })
      if (sound.length === 0) return Either.right({ answer: { events: [], left } })
      const first = version + (started === undefined ? 0 : 1)
      const placed = sound.map((event, at) => bornAt(event, first + at))
      const [head, ...rest] = started === undefined ? placed : [started, ...placed]
      return Either.right({ events: [head!, ...rest] })
    },
    answer: (written) => ({ events: written.filter(({ type }) => type !== "RUN"), left })
  }
}

/** Makes the command that puts one event of a run on record. */
export const recordRun = (actor: string, run: string, event: DecidedEvent): Command<void, never> => ({
  actor,
  request: () => JSON.stringify(["run", run]),
  cause: runCause(run),
  decide: () => Either.right({ events: [event] }),
  answer: () => undefined
})

/**
 * An event without the memories that are not as they were when it was planned; nothing where none is left. What was
 * shown meanwhile is in use: it is neither taken away nor demoted. That counts for private memories alone, as it does
 * where it is planned.
 */
const stillSound = (
  db: Db,
  event: DecidedEvent,
  shown: Portion["shown"]
): { readonly event?: DecidedEvent; readonly left: number } => {
  const same = ({ id, revision }: Memory) => findById(db, id)?.revision === revision - 1
  const unseen = ({ id, store }: Memory) =>
    shown === undefined ||
    store !== "private" ||
    (findAccesses(db, [id]).get(id)?.accesses ?? 0) === (shown.get(id) ?? 0)
  const alone = (memory: Memory) => same(memory) && unseen(memory)
  switch (event.type) {
    case "DELETE":
      // What was said since contradicts it, however often it was shown.
      return same(event.payload.memory) ? { event, left: 0 } : { left: 1 }
    case "UPDATE": {
      const { memory, reason } = event.payload
      const sound = reason === "demoted" || reason === "expired" ? alone(memory) : same(memory)
      return sound ? { event, left: 0 } : { left: 1 }
    }
    case "ARCHIVE": {
      const memories = event.payload.memories.filter(alone)
      const left = event.payload.memories.length - memories.length
      return memories.length === 0 ? { left } : { event: { ...event, payload: { ...event.payload, memories } }, left }
    }
    case "COMPRESS": {
      const { sources } = event.payload
      return sources.every(alone) ? { event, left: 0 } : { left: sources.length }
    }
    case "SUMMARIZE": {
      const { replaces, session, store, summary } = event.payload
      // What was forgotten while it was written must not come back in other words.
      const founded = summary === null || isFounded(db, summary)
      return founded && findSummary(db, session, store)?.version === replaces ? { event, left: 0 } : { left: 1 }
    }
    default:
      return { event, left: 0 }
  }
}

/** What an event adds is born with it. */
export const bornAt = (event: DecidedEvent, version: number): DecidedEvent =>
  event.type === "COMPRESS" || event.type === "ADD"
    ? ({
        ...event,
        payload: { ...event.payload, memory: { ...event.payload.memory, born: version } }
      } as DecidedEvent)
    : event
