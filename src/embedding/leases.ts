import { join } from "node:path"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import * as Lease from "../../projections/view/lease.js"
import type { View } from "../../projections/view/Views.js"

/** Milliseconds between two looks at whether another process is done. */
const lookEvery = 200

/** Does some work while no other process does the same; `goOn` says, at each look, whether it is still to be waited for. */
export type InTurn = <A, E, F>(
  work: Effect.Effect<A, E>,
  goOn: Effect.Effect<boolean, F>
) => Effect.Effect<A | undefined, E | F>

/** One process at a time, for the vectors of an agent: who finds another at it looks on until it is done, and ends what it left. */
export const inTurn = (view: View, what: string): Effect.Effect<InTurn, never, Scope.Scope> =>
  Effect.map(
    Effect.acquireRelease(
      Effect.sync(() => Lease.make(join(view.generations.folder, `${what}.lock`))),
      (lease) => Effect.sync(lease.close)
    ),
    (lease) => (work, goOn) =>
      Effect.uninterruptibleMask((restore) => {
        type Work = Effect.Effect<
          Effect.Effect.Success<typeof work> | undefined,
          Effect.Effect.Error<typeof work | typeof goOn>
        >
        const attempt = (): Work =>
          lease.take()
            ? Effect.ensuring(restore(work), Effect.sync(lease.free))
            : Effect.flatMap(restore(Effect.zipRight(Effect.sleep(Duration.millis(lookEvery)), goOn)), (more) =>
                more ? attempt() : Effect.succeed(undefined)
              )
        return Effect.suspend(attempt)
      })
  )
