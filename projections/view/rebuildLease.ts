import { existsSync } from "node:fs"
import { join } from "node:path"
import * as Effect from "effect/Effect"
import { sleepRealTime } from "../../events/turns.js"
import { agentFolderName } from "./generations.js"
import * as Lease from "./lease.js"

/** The kind of view that is built: the agent's live view, or another view, such as that of a past version. */
export type ViewKind = "live" | "past"

const builtViews: ReadonlyArray<ViewKind> = ["live", "past"]

/** Milliseconds between two attempts to take a lease that another process holds. */
const pollMillis = 25

/**
 * Maximum milliseconds to wait for a lease, because the process that has it may be suspended. So if a view takes longer
 * than this to build, an erasure can still outdate it before it is ready.
 */
const maxWaitMillis = 30_000

/** The leases that this process has or waits for, by file. All fibers of the process share them. */
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
  readonly built: ViewKind
}

const fileOf = ({ agent, built, folder }: RebuildLease): string =>
  join(folder, "views", agentFolderName(agent), `${built}.lock`)

/**
 * Runs work that builds a view again after an erasure, and holds a lease during the work. The next erasure waits for
 * the lease. Otherwise frequent erasures would outdate each view before it is ready.
 *
 * Another process that needs the same view waits for the lease too. So the work first looks for a view that another
 * process has built. If the lease is not available within 30 s, the work runs without it.
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

/**
 * Waits until no process is building a view of an agent again after an earlier erasure. Waits at most 30 s for each
 * kind of view.
 */
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
        : Effect.zipRight(sleepRealTime(pollMillis), attempt)
    })
    return attempt
  })
