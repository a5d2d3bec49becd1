import * as Arr from "effect/Array"
import type * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import type { Memory } from "../../events/Memory.js"
import { findUnembedded, findUnembeddedOf, type VectorSet } from "../../projections/vectors.js"
import type { ViewError } from "../../projections/view/build.js"
import type { View, Views } from "../../projections/view/Views.js"
import { pause } from "../model/pause.js"

/** Where an agent's memories are read. */
export interface Source {
  readonly actor: { readonly view: View }
  readonly views: Context.Tag.Service<Views>
}

/** Which memories of an agent may lack a vector: found a few at a time, so that nobody waits while many are looked at. */
export interface Pending {
  /** Memories, by row number, whose text has changed. */
  readonly note: (borns: ReadonlyArray<number>) => void
  /** All are to be looked at once more. */
  readonly again: () => void
  /** Serves the next batch of memories without a vector, none where there are none; the number that it served. */
  readonly batch: <E>(
    source: Source,
    serve: (memories: ReadonlyArray<Memory>) => Effect.Effect<void, E>
  ) => Effect.Effect<number, E | ViewError>
}

/** Memories that are looked at without a pause. */
const lookedAtOnce = 2_000
/** Memories that have changed and are remembered one by one. */
const mostNoted = 10_000

/** `size` is how many make a batch. */
export const make = (set: VectorSet, size: number): Pending => {
  /** Every memory born up to here has its vector or cannot have one, unless it has changed since. */
  let done = 0
  /** Memories up to there that have changed since they were last looked at. */
  let changed = new Set<number>()

  const note = (borns: ReadonlyArray<number>) => {
    for (const born of borns) changed.add(born)
    if (changed.size <= mostNoted) return
    // Too many to be remembered: all from the first of them on are looked at.
    for (const born of changed) done = Math.min(done, born - 1)
    changed = new Set()
  }

  /** Those of some that have changed, then those that nobody looked at yet. */
  const gather = ({ actor: { view }, views }: Source, among: ReadonlyArray<number>) =>
    Effect.gen(function* () {
      const found: Array<Memory> = []
      let looked = 0
      for (const some of Arr.chunksOf(among, lookedAtOnce)) {
        if (found.length >= size) break
        found.push(...(yield* views.read(view, (db) => findUnembeddedOf(db, set, some))))
        looked += some.length
        yield* pause
      }
      let last = done
      while (found.length < size) {
        const page = { after: last, limit: size - found.length, look: lookedAtOnce }
        const next = yield* views.read(view, (db) => findUnembedded(db, set, page))
        if (next.last === undefined) break
        found.push(...next.memories)
        last = next.last
        yield* pause
      }
      const rest = found.slice(size).map(({ born }) => born)
      return { memories: found.slice(0, size), left: [...rest, ...among.slice(looked)], last }
    })

  return {
    note,
    again: () => {
      done = 0
      changed = new Set()
    },
    batch: (source, serve) =>
      Effect.suspend(() => {
        const from = done
        // Those behind are looked at in any case. Who is changed from now on is noted anew.
        const among = [...changed].filter((born) => born <= from).sort((a, b) => a - b)
        changed = new Set()
        return Effect.gen(function* () {
          const { last, left, memories } = yield* gather(source, among)
          yield* serve(memories)
          // Unless others moved it back meanwhile.
          if (done === from) done = last
          note(left)
          return memories.length
        }).pipe(Effect.onExit((exit) => Effect.sync(() => (exit._tag === "Success" ? undefined : note(among)))))
      })
  }
}
