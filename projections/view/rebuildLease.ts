import { existsSync } from "node:fs"
import { join } from "node:path"
import * as Effect from "effect/Effect"
import { agentFolderName } from "./generations.js"
import * as Lease from "./lease.js"

/**
 * The lease of an agent whose view an erasure made useless, held until a new view is current. The next erasure waits for
 * it: erasures that follow each other faster than a view is built would otherwise keep everyone from reading. Only one
 * process builds meanwhile, and the others find its view.
 */
const leaseFile = (folder: string, agent: string): string => join(folder, "views", agentFolderName(agent), "build.lock")

/** Milliseconds between two attempts to take a lease that another process holds. */
const pollMillis = 25

/** Milliseconds that an erasure waits at most: a process may be suspended while it has the lease. */
const maxWaitMillis = 30_000

/** The leases that this process holds, by file. Its fibers share them. */
const held = new Map<string, { readonly lease: Lease.Lease; users: number }>()

/** Where a lease is, and how long to wait for it. */
export interface RebuildLease {
  /** The data folder. */
  readonly folder: string
  readonly agent: string
  /** By `performance.now`. Then the work begins without the lease. */
  readonly until: number
}

/** Runs work that builds a view again after an erasure, and holds the lease meanwhile. */
export const withRebuildLease = <A, E, R>(
  { agent, folder, until }: RebuildLease,
  work: Effect.Effect<A, E, R>
): Effect.Effect<A, E, R> => {
  const file = leaseFile(folder, agent)
  return Effect.acquireUseRelease(
    Effect.sync(() => {
      const entry = held.get(file) ?? { lease: Lease.make(file), users: 0 }
      held.set(file, entry)
      return { entry, isFirst: entry.users++ === 0 }
    }),
    ({ entry: { lease }, isFirst }) => Effect.zipRight(isFirst ? taken(lease, until) : Effect.void, work),
    ({ entry }) =>
      Effect.sync(() => {
        if (--entry.users > 0) return
        held.delete(file)
        entry.lease.release()
        entry.lease.close()
      })
  )
}

/** Waits until no process builds the view of an agent again after an earlier erasure. */
export const awaitRebuild = (folder: string, agent: string): Effect.Effect<void> => {
  const file = leaseFile(folder, agent)
  return Effect.acquireUseRelease(
    Effect.sync(() => Lease.make(file)),
    (lease) => Effect.suspend(() => (existsSync(file) ? taken(lease, performance.now() + maxWaitMillis) : Effect.void)),
    (lease) =>
      Effect.sync(() => {
        lease.release()
        lease.close()
      })
  )
}

const taken = (lease: Lease.Lease, until: number): Effect.Effect<void> =>
  Effect.suspend(() =>
    lease.tryTake() || performance.now() >= until ? Effect.void : Effect.zipRight(pause, taken(lease, until))
  )

/** Not by Effect's clock, because a test clock stands still. */
const pause = Effect.async<void>((resume) => {
  const timer = setTimeout(() => resume(Effect.void), pollMillis)
  return Effect.sync(() => clearTimeout(timer))
})
