import { existsSync } from "node:fs"
import { join } from "node:path"
import * as Effect from "effect/Effect"
import { realPause } from "../../events/turns.js"
import { agentFolderName } from "./generations.js"
import * as Lease from "./lease.js"

/** Which views of an agent are built: the live one, or others, such as those of past versions. */
export type BuiltView = "live" | "past"

const builtViews: ReadonlyArray<BuiltView> = ["live", "past"]

/** Milliseconds between two attempts to take a lease that another process holds. */
const pollMillis = 25

/**
 * Milliseconds to wait for a lease at most: the process that has it may be suspended. So a view that takes longer than
 * this to build can still be outdated again before it is ready.
 */
const maxWaitMillis = 30_000

/** The leases that this process takes or has, by file. Its fibers share them. */
const held = new Map<string, SharedLease>()

interface SharedLease {
  readonly lease: Lease.Lease
  isTaken: boolean
  users: number
}

export interface RebuildLease {
  /** The data folder. */
  readonly folder: string
  readonly agent: string
  readonly built: BuiltView
}

const fileOf = ({ agent, built, folder }: RebuildLease): string =>
  join(folder, "views", agentFolderName(agent), `${built}.lock`)

/**
 * Runs work that builds a view again after an erasure, and holds a lease meanwhile, for which the next erasure waits.
 * Otherwise frequent erasures would outdate each view before it is ready. Another process that needs the same view waits
 * too; look for its view before building another one. If the lease cannot be had in 30 s, the work runs without it.
 */
export const withRebuildLease = <A, E, R>(
  where: RebuildLease,
  work: Effect.Effect<A, E, R>
): Effect.Effect<A, E, R> => {
  const file = fileOf(where)
  return Effect.acquireUseRelease(
    Effect.sync(() => {
      const shared = held.get(file) ?? { lease: Lease.make(file), isTaken: false, users: 0 }
      held.set(file, shared)
      shared.users++
      return shared
    }),
    (shared) => Effect.zipRight(take(shared), work),
    (shared) =>
      Effect.sync(() => {
        if (--shared.users > 0) return
        held.delete(file)
        shared.lease.close()
      })
  )
}

/** Waits until no process builds a view of an agent again after an earlier erasure, for 30 s at most. */
export const awaitRebuild = (folder: string, agent: string): Effect.Effect<void> =>
  Effect.forEach(builtViews, (built) => awaitLease(fileOf({ folder, agent, built })), { discard: true })

const awaitLease = (file: string): Effect.Effect<void> =>
  existsSync(file)
    ? Effect.acquireUseRelease(
        Effect.sync(() => ({ lease: Lease.make(file), isTaken: false })),
        take,
        ({ lease }) => Effect.sync(lease.close)
      )
    : Effect.void

/** Takes a lease, or gives up after `maxWaitMillis`. */
const take = (shared: Pick<SharedLease, "lease" | "isTaken">): Effect.Effect<void> =>
  Effect.suspend(() => {
    const until = performance.now() + maxWaitMillis
    const attempt: Effect.Effect<void> = Effect.suspend(() => {
      if (shared.isTaken) return Effect.void
      shared.isTaken = shared.lease.tryTake()
      return shared.isTaken || performance.now() >= until
        ? Effect.void
        : Effect.zipRight(realPause(pollMillis), attempt)
    })
    return attempt
  })
