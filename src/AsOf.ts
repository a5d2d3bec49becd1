import { createHash } from "node:crypto"
import { existsSync, readdirSync, renameSync, rmSync, statSync, utimesSync } from "node:fs"
import { join } from "node:path"
import type * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import { storageError } from "../events/errors.js"
import { floorOf, type TrustLevel } from "../events/Trust.js"
import type { ViewError } from "../projections/build.js"
import { folderName } from "../projections/generations.js"
import { findTightened } from "../projections/reads.js"
import * as ViewFile from "../projections/ViewFile.js"
import type { View, Views } from "../projections/Views.js"
import { randomId } from "./ids.js"
import type { Snapshot } from "./search.js"

/** A past version, read with the same queries as the present one. */
export interface PastView {
  readonly read: <A>(f: (snapshot: Snapshot) => A) => Effect.Effect<A, ViewError>
}

/**
 * Opens the view of a past version: built from the log up to there, kept in the
 * cache folder, and closed with the scope. Below full trust the stricter of
 * then's and today's label holds, so what has been made private since is not
 * in the index that such a reader is given.
 */
export const open = (
  views: Context.Tag.Service<Views>,
  live: View,
  past: { readonly version: number; readonly hash: Uint8Array },
  level: TrustLevel,
  options: { readonly at: number | null; readonly kept: number }
): Effect.Effect<PastView, ViewError, Scope.Scope> =>
  Effect.gen(function* () {
    const { version } = past
    const stricter =
      level === "full" ? new Map<string, number>() : yield* views.read(live, (db) => findTightened(db, version))
    const folder = join(views.config.folder, "cache", folderName(live.agent))
    const file = join(folder, nameOf(views.config.projections, past, stricter, live.hasVectors))
    if (!existsSync(file)) {
      const building = `${file}.${process.pid}.${randomId()}`
      yield* Effect.onError(views.prefix(live.agent, { file: building, to: version, stricter }), () =>
        Effect.sync(() => rmSync(building, { force: true }))
      )
      yield* attempt(() => {
        renameSync(building, file)
        makeRoom(folder, options.kept)
      })
    }
    const { db } = yield* Effect.acquireRelease(
      attempt(() => {
        utimesSync(file, new Date(), new Date())
        return ViewFile.openFile(file, "read", views.config)
      }),
      (opened) => Effect.sync(() => opened.db.close())
    )
    const { recordedAt } = yield* attempt(() => ViewFile.checkpointOf(db))
    const now = options.at ?? recordedAt
    return { read: (f) => attempt(() => f({ db, now })) }
  })

/** Whoever reads at this level may name past versions: they count what all others wrote. */
export const mayNameVersions = (level: TrustLevel): boolean => floorOf(level) === 0

const nameOf = (
  projections: Context.Tag.Service<Views>["config"]["projections"],
  { hash, version }: { readonly version: number; readonly hash: Uint8Array },
  stricter: ReadonlyMap<string, number>,
  hasVectors: boolean
): string => {
  const schema = projections.map((projection) => [projection.name, projection.version])
  const key = JSON.stringify([
    Buffer.from(hash).toString("hex"),
    schema,
    hasVectors,
    [...stricter].sort(([a], [b]) => (a < b ? -1 : 1))
  ])
  return `${version}-${createHash("sha256").update(key).digest("hex").slice(0, 16)}.db`
}

/** The longest unused go first. Removing one that is being read does not disturb its reader. */
const makeRoom = (folder: string, kept: number) => {
  const files = readdirSync(folder)
    .filter((name) => name.endsWith(".db"))
    .map((name) => ({ file: join(folder, name), usedAt: statSync(join(folder, name)).mtimeMs }))
    .sort((a, b) => b.usedAt - a.usedAt)
  for (const { file } of files.slice(kept)) {
    for (const suffix of ["", "-wal", "-shm"]) rmSync(file + suffix, { force: true })
  }
}

const attempt = <A>(f: () => A) => Effect.try({ try: f, catch: storageError("view") })
