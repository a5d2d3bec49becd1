import * as Effect from "effect/Effect"
import { CurrentCodec } from "../../events/Codec.js"
import type { ViewError } from "../../projections/view/build.js"
import { checkpointOf } from "../../projections/view/ViewFile.js"
import type { AgentServices } from "../actor/Agents.js"

/**
 * Which memories other processes of the folder have changed. Whoever changes one makes its vectors, but it may end
 * before that: they are looked at by whoever makes vectors next.
 */
export interface Elsewhere {
  /** To be told that this process wrote the events after a version up to another. */
  readonly wrote: (after: number, to: number) => void
  /**
   * The memories, by row number, that were changed since it was asked last; none the first time, when nothing was looked
   * at yet. Null where too much was written meanwhile: all are to be looked at.
   */
  readonly changed: (started: AgentServices) => Effect.Effect<ReadonlyArray<number> | null, ViewError>
}

/** Events that are read of the log one by one: from more on it costs less to look at all memories. */
const mostRead = 10_000
const page = 500

export const make = (): Elsewhere => {
  /** Up to this version all changes are known, or nothing was looked at before it. */
  let known: number | undefined
  return {
    wrote: (after, to) => {
      if (known === after) known = to
    },
    changed: ({ actor, log, views }) =>
      Effect.gen(function* () {
        // Of the view, not of the log: what it does not have yet cannot be looked at.
        const head = (yield* views.read(actor.view, checkpointOf)).position
        const from = known
        if (from === undefined || head <= from) {
          known = head
          return []
        }
        const borns = new Set<number>()
        if (head - from <= mostRead) {
          const codec = yield* CurrentCodec
          for (let after = from; after < head; after += page) {
            for (const row of yield* log.read(actor.view.agent, { after, to: head, limit: page })) {
              if (row.type !== "UPDATE") continue
              const event = yield* codec.decode(row)
              if (event.type === "UPDATE" && event.payload !== null) borns.add(event.payload.memory.born)
            }
          }
        }
        known = Math.max(known ?? 0, head)
        return head - from <= mostRead ? [...borns] : null
      })
  }
}
