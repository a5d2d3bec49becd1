import * as Either from "effect/Either"
import type { Memory } from "../../events/Memory.js"
import { findById } from "../../projections/observations.js"
import type { Db } from "../../projections/Projection.js"
import { lastSequence } from "../../projections/sessionReads.js"
import { findSummary } from "../../projections/summaries.js"
import { type Command, type DecidedEvent, runCause } from "./Command.js"

/** A portion of what a run does. */
export interface Portion {
  readonly run: string
  readonly actor: string
  /** Stands in front of the portion where it writes anything. */
  readonly started: DecidedEvent | undefined
  readonly events: ReadonlyArray<DecidedEvent>
}

/** How many memories were changed as planned, by what was done to them; those that somebody else changed meanwhile are left. */
export interface Carried {
  readonly events: number
  readonly left: number
}

/** Makes the command that carries out a portion of a run. */
export const maintain = ({ actor, events, run, started }: Portion): Command<Carried, never> => {
  let left = 0
  return {
    actor,
    request: () => JSON.stringify(["maintain", run]),
    cause: runCause(run),
    decide: ({ db, version }) => {
      left = 0
      const sound = events.flatMap((event) => {
        const still = stillSound(db, event)
        left += still.left
        return still.event === undefined ? [] : [still.event]
      })
      if (sound.length === 0) return Either.right({ answer: { events: 0, left } })
      const first = version + (started === undefined ? 0 : 1)
      const placed = sound.map((event, at) => bornAt(event, first + at))
      const [head, ...rest] = started === undefined ? placed : [started, ...placed]
      return Either.right({ events: [head!, ...rest] })
    },
    answer: (written) => ({ events: written.length - (started === undefined ? 0 : 1), left })
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

/** An event without the memories that are not as they were when it was planned; nothing where none is left. */
const stillSound = (db: Db, event: DecidedEvent): { readonly event?: DecidedEvent; readonly left: number } => {
  const same = ({ id, revision }: Memory) => findById(db, id)?.revision === revision - 1
  switch (event.type) {
    case "UPDATE":
    case "DELETE":
      return same(event.payload.memory) ? { event, left: 0 } : { left: 1 }
    case "ARCHIVE": {
      const memories = event.payload.memories.filter(same)
      const left = event.payload.memories.length - memories.length
      return memories.length === 0 ? { left } : { event: { ...event, payload: { ...event.payload, memories } }, left }
    }
    case "COMPRESS": {
      const { sources } = event.payload
      return sources.every(same) ? { event, left: 0 } : { left: sources.length }
    }
    case "SUMMARIZE": {
      const { replaces, session, store } = event.payload
      const still = lastSequence(db, session, store) > 0 && findSummary(db, session, store)?.version === replaces
      return still ? { event, left: 0 } : { left: 1 }
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
