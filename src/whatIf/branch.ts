import { mkdirSync, readdirSync, rmSync } from "node:fs"
import { rm } from "node:fs/promises"
import { join } from "node:path"
import type * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import type { Codec } from "../../events/Codec.js"
import type { DaybookEvent } from "../../events/catalogue.js"
import type { EventLog } from "../../events/EventLog.js"
import { storageError } from "../../events/errors.js"
import type { Db, Lookup, Projection } from "../../projections/Projection.js"
import { build, type ViewError } from "../../projections/view/buildViewFile.js"
import { isProcessAlive } from "../../projections/view/generations.js"
import * as ViewFile from "../../projections/view/ViewFile.js"
import type { ViewsConfig } from "../../projections/view/Views.js"
import { randomId } from "../model/ids.js"

/** A temporary view that diverges from the log. It has its own folder, which is removed when the scope closes. */
export interface Branch {
  readonly db: Db
  readonly apply: (event: DaybookEvent, lookup: Lookup) => void
}

export interface BranchOptions {
  readonly config: ViewsConfig
  readonly log: Context.Tag.Service<EventLog>
  readonly codec: Codec
  readonly agent: string
  /** The last version that is replayed unchanged. */
  readonly to: number
  /** True if decisions will search for similar memories. */
  readonly searchesSimilar: boolean
}

/**
 * Builds the view of a past version, from which the branch continues. Its file is in the installation's cache folder,
 * not in the system's temporary folder, because it is as private as the log. The next branch removes the folders of
 * killed processes.
 */
export const make = Effect.fnUntraced(function* ({
  agent,
  codec,
  config,
  log,
  to,
  searchesSimilar
}: BranchOptions): Effect.fn.Return<Branch, ViewError, Scope.Scope> {
  const projections = config.projections.filter(
    ({ name }) => !unreadProjections.has(name) && (searchesSimilar || !searchProjections.has(name))
  )
  const folder = yield* Effect.acquireRelease(
    attempt(() => newFolder(join(config.folder, "cache"))),
    // Asynchronous, because removing the file of a large agent takes 0.1 s.
    (folder) => Effect.promise(() => rm(folder, { recursive: true, force: true }))
  )
  const file = join(folder, "branch.db")
  yield* build({ ...config, projections, log, codec, agent, file, to })
  const { db } = yield* Effect.acquireRelease(
    attempt(() => ViewFile.openFile(file, "bulk", config)),
    ({ db }) => Effect.sync(() => db.close())
  )
  const parked = yield* attempt(() => new Map(ViewFile.writerState(db).parked))
  return { db, apply: (event, lookup) => applyTo(db, projections, parked, event, lookup) }
})

/** Projections that no decision reads. */
const unreadProjections = new Set(["people", "history", "chunkVectors", "recalls", "configuration", "runs"])
/** Projections that only decisions on similar memories read. */
const searchProjections = new Set(["fulltext", "vectors"])

/** Applies an event. A projection that fails is parked, as in a view, and the others continue. */
const applyTo = (
  db: Db,
  projections: ReadonlyArray<Projection>,
  parked: Map<string, number>,
  event: DaybookEvent,
  lookup: Lookup
): void => {
  try {
    ViewFile.applyEvent(db, projections, parked, event, lookup)
  } catch (cause) {
    if (!(cause instanceof ViewFile.Poisoned)) throw cause
    ViewFile.park(db, cause.parked)
    parked.set(cause.parked.projection, cause.parked.position)
    const index = projections.findIndex(({ name }) => name === cause.parked.projection)
    applyTo(db, projections.slice(index + 1), parked, event, lookup)
  }
}

/**
 * Creates the branch's folder. The name ends with the process id. It begins with a dot, so it differs from the name of
 * every agent's folder.
 */
const newFolder = (cache: string): string => {
  mkdirSync(cache, { recursive: true, mode: 0o700 })
  for (const name of readdirSync(cache)) {
    const [, pid] = /^\.what-if-[a-z0-9]+\.(\d+)$/.exec(name) ?? []
    if (pid !== undefined && !isProcessAlive(Number(pid))) rmSync(join(cache, name), { recursive: true, force: true })
  }
  const folder = join(cache, `.what-if-${randomId()}.${process.pid}`)
  mkdirSync(folder, { mode: 0o700 })
  return folder
}

const attempt = <A>(f: () => A) => Effect.try({ try: f, catch: storageError("view") })
