import { mkdirSync, readdirSync, rmSync } from "node:fs"
import { join } from "node:path"
import type * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import type { Codec } from "../../events/Codec.js"
import type { DaybookEvent } from "../../events/catalogue.js"
import type { EventLog } from "../../events/EventLog.js"
import { storageError } from "../../events/errors.js"
import type { Db, Lookup, Projection } from "../../projections/Projection.js"
import { build, type ViewError } from "../../projections/view/build.js"
import { isAlive } from "../../projections/view/generations.js"
import * as ViewFile from "../../projections/view/ViewFile.js"
import type { ViewsConfig } from "../../projections/view/Views.js"
import { randomId } from "../model/ids.js"

/** A view that goes another way than the log: in a folder of its own, and gone with the scope. */
export interface Branch {
  readonly db: Db
  readonly apply: (event: DaybookEvent, lookup: Lookup) => void
}

export interface BranchOptions {
  readonly config: ViewsConfig
  readonly log: Context.Tag.Service<EventLog>
  readonly codec: Codec
  readonly agent: string
  /** The last version that is taken as it was. */
  readonly to: number
  /** Whether anything will be looked up by likeness. */
  readonly weighs: boolean
}

/**
 * Makes the view of a past version to go on from. It lies in the cache folder of
 * the installation, not in the system's: what it holds is as private as the log,
 * and what a killed process left there goes with the next branch, or with the cache.
 */
export const make = ({
  agent,
  codec,
  config,
  log,
  to,
  weighs
}: BranchOptions): Effect.Effect<Branch, ViewError, Scope.Scope> =>
  Effect.gen(function* () {
    const projections = config.projections.filter(({ name }) => !unread.has(name) && (weighs || !forWeighing.has(name)))
    const folder = yield* Effect.acquireRelease(
      attempt(() => newFolder(join(config.folder, "cache"))),
      (folder) => Effect.sync(() => rmSync(folder, { recursive: true, force: true }))
    )
    const file = join(folder, "branch.db")
    yield* build({ ...config, projections, log, codec, agent, file, to })
    const { db } = yield* Effect.acquireRelease(
      attempt(() => ViewFile.openFile(file, "bulk", config)),
      ({ db }) => Effect.sync(() => db.close())
    )
    const parked = yield* attempt(() => new Map(ViewFile.standing(db).parked))
    return { db, apply: (event, lookup) => applyTo(db, projections, parked, event, lookup) }
  })

/** What no decision looks at. */
const unread = new Set(["people", "history", "chunkVectors", "recalls", "configuration", "runs"])
const forWeighing = new Set(["fulltext", "vectors"])

/** A projection that cannot apply an event stops there, as it does in a view, and the others go on. */
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
    const at = projections.findIndex(({ name }) => name === cause.parked.projection)
    applyTo(db, projections.slice(at + 1), parked, event, lookup)
  }
}

/** No folder of an agent begins with a dot. The name says which process made it. */
const newFolder = (cache: string): string => {
  mkdirSync(cache, { recursive: true, mode: 0o700 })
  for (const name of readdirSync(cache)) {
    const [, pid] = /^\.what-if-[a-z0-9]+\.(\d+)$/.exec(name) ?? []
    if (pid !== undefined && !isAlive(Number(pid))) rmSync(join(cache, name), { recursive: true, force: true })
  }
  const folder = join(cache, `.what-if-${randomId()}.${process.pid}`)
  mkdirSync(folder, { mode: 0o700 })
  return folder
}

const attempt = <A>(f: () => A) => Effect.try({ try: f, catch: storageError("view") })
