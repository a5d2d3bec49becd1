import { createHash } from "node:crypto"
import { existsSync, readdirSync, renameSync, statSync, utimesSync } from "node:fs"
import { join } from "node:path"
import type * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import { storageError } from "../../events/errors.js"
import { minOpennessOf, type TrustLevel } from "../../events/Trust.js"
import { findRestrictedOpenness } from "../../projections/observationReads.js"
import type { ViewError } from "../../projections/view/buildViewFile.js"
import { agentFolderName, builderPid, isProcessAlive, removeViewFile } from "../../projections/view/generations.js"
import { readFileErasure } from "../../projections/view/newFile.js"
import * as ViewFile from "../../projections/view/ViewFile.js"
import type { View, Views } from "../../projections/view/Views.js"
import { randomId } from "../model/ids.js"
import type { Snapshot } from "./ReaderSource.js"

/** A past version of an agent, and how to read it. */
export interface PastRead {
  readonly views: Context.Tag.Service<Views>
  /** The agent's live view. */
  readonly liveView: View
  /**
   * `erasure` is the version of the newest ERASE event, or 0 if there is none. A view that was built before that event
   * is not read.
   */
  readonly target: { readonly version: number; readonly hash: Uint8Array; readonly erasure: number }
  readonly level: TrustLevel
  /** The time of the read, milliseconds since the epoch. */
  readonly at: number
  /** Maximum past views in the cache. */
  readonly maxCached: number
}

/**
 * Reads a past version with today's queries. The view of that version is built from the log and cached in a file. Below
 * full trust, a memory is treated as if it were in the stricter of its past and present stores. So a memory that became
 * private later stays hidden. A cached view that is damaged or missing is rebuilt.
 */
export const read = <A>(
  { at, maxCached, level, liveView, target, views }: PastRead,
  f: (snapshot: Snapshot) => A
): Effect.Effect<A, ViewError> =>
  Effect.gen(function* () {
    const { version } = target
    const stricter =
      level === "full"
        ? new Map<string, number>()
        : yield* views.read(liveView, (db) => findRestrictedOpenness(db, version))
    const folder = join(views.config.folder, "cache", agentFolderName(liveView.agent))
    const file = join(folder, nameOf(views.config.projections, target, stricter, liveView.hasVectors))
    const attemptRead: Effect.Effect<A, ViewError> = Effect.gen(function* () {
      if (!existsSync(file)) {
        const building = `${file}.${randomId()}.${process.pid}.db`
        yield* Effect.onError(views.buildPast(liveView.agent, { file: building, to: version, stricter }), () =>
          Effect.sync(() => removeViewFile(building))
        )
        yield* attempt(() => {
          renameSync(building, file)
          evict(folder, maxCached)
        })
        // If events were erased after the view was built, the view still contains them. The cleaning may have run
        // before the file was renamed.
        const newest = yield* views.newestErasure(liveView.agent)
        if (newest > (yield* readFileErasure(file, views.config))) return yield* ViewFile.damagedView("ERASED")
      }
      return yield* attempt(() => {
        utimesSync(file, new Date(), new Date())
        return views.pastFiles.read(file, target.erasure, (db) => f({ db, now: at }))
      })
    })
    const attemptAndClean: Effect.Effect<A, ViewError> = Effect.tapError(attemptRead, (error) =>
      mayRebuild(error) ? Effect.ignore(attempt(() => removeViewFile(file))) : Effect.void
    )
    return yield* Effect.retry(attemptAndClean, { while: mayRebuild, times: maxRebuilds })
  })

/** Maximum rebuilds of a past view that is damaged or that other processes removed. */
const maxRebuilds = 5

const mayRebuild = (error: ViewError): boolean =>
  error._tag === "StorageError" && (error.kind === "damaged" || evictedCodes.has(error.code))

/** Error codes of opening a cached file that another process has just removed. */
const evictedCodes = new Set(["SQLITE_CANTOPEN", "SQLITE_IOERR_FSTAT", "ENOENT"])

/**
 * Returns true if a caller with this level may refer to past versions. Version numbers count the writes of all levels,
 * so only a level that can read everything may use them.
 */
export const mayReadPastVersions = (level: TrustLevel): boolean => minOpennessOf(level) === 0

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

/**
 * Removes the least recently used views beyond `maxCached`, and half-built views of dead processes. A reader that has
 * a removed file open is not disturbed.
 */
const evict = (folder: string, maxCached: number) => {
  const names = readdirSync(folder).filter((name) => name.endsWith(".db"))
  const unfinished = names.filter((name) => builderPid(name) !== undefined)
  for (const name of unfinished) if (!isProcessAlive(builderPid(name)!)) removeViewFile(join(folder, name))
  const views = names
    .filter((name) => builderPid(name) === undefined)
    .map((name) => ({ file: join(folder, name), usedAt: statSync(join(folder, name)).mtimeMs }))
    .sort((a, b) => b.usedAt - a.usedAt)
  for (const { file } of views.slice(maxCached)) removeViewFile(file)
}

const attempt = <A>(f: () => A) => Effect.try({ try: f, catch: storageError("view") })
