import { createHash } from "node:crypto"
import { existsSync, readdirSync, renameSync, statSync, utimesSync } from "node:fs"
import { join } from "node:path"
import type * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import { storageError } from "../../events/errors.js"
import { floorOf, type TrustLevel } from "../../events/Trust.js"
import { findTightened } from "../../projections/reads.js"
import type { ViewError } from "../../projections/view/build.js"
import { folderName, isAlive, makerOf, removeView } from "../../projections/view/generations.js"
import * as ViewFile from "../../projections/view/ViewFile.js"
import type { View, Views } from "../../projections/view/Views.js"
import { randomId } from "../model/ids.js"
import type { Snapshot } from "./ReaderSource.js"

/**
 * Reads the view of a past version with the queries of the present one: built
 * from the log up to there, and kept in the cache folder. Below full trust the
 * stricter of then's and today's label holds, so what has been made private
 * since is not in the index that such a reader is given. A cached view that is
 * damaged, or was taken away, is made again.
 */
export const read = <A>(
  views: Context.Tag.Service<Views>,
  live: View,
  past: { readonly version: number; readonly hash: Uint8Array },
  level: TrustLevel,
  options: { readonly at: number | null; readonly kept: number },
  f: (snapshot: Snapshot) => A
): Effect.Effect<A, ViewError> =>
  Effect.gen(function* () {
    const { version } = past
    const stricter =
      level === "full" ? new Map<string, number>() : yield* views.read(live, (db) => findTightened(db, version))
    const folder = join(views.config.folder, "cache", folderName(live.agent))
    const file = join(folder, nameOf(views.config.projections, past, stricter, live.hasVectors))
    const once = Effect.gen(function* () {
      if (!existsSync(file)) {
        const building = `${file}.${randomId()}.${process.pid}.db`
        yield* Effect.onError(views.prefix(live.agent, { file: building, to: version, stricter }), () =>
          Effect.sync(() => removeView(building))
        )
        yield* attempt(() => {
          renameSync(building, file)
          makeRoom(folder, options.kept)
        })
      }
      return yield* attempt(() => {
        utimesSync(file, new Date(), new Date())
        const { db } = ViewFile.openFile(file, "read", views.config)
        try {
          return f({ db, now: options.at ?? ViewFile.checkpointOf(db).recordedAt })
        } finally {
          db.close()
        }
      })
    })
    return yield* Effect.catchIf(
      once,
      (error) => error._tag === "StorageError" && (error.kind === "damaged" || gone.has(error.code)),
      () =>
        Effect.zipRight(
          attempt(() => removeView(file)),
          once
        )
    )
  })

/** Another process made room for other versions just now. */
const gone = new Set(["SQLITE_CANTOPEN", "ENOENT"])

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

/**
 * The longest unused go first; removing one that is being read does not disturb
 * its reader. What a process that is gone left half built goes too.
 */
const makeRoom = (folder: string, kept: number) => {
  const names = readdirSync(folder).filter((name) => name.endsWith(".db"))
  const halves = names.filter((name) => makerOf(name) !== undefined)
  for (const name of halves) if (!isAlive(makerOf(name)!)) removeView(join(folder, name))
  const whole = names
    .filter((name) => makerOf(name) === undefined)
    .map((name) => ({ file: join(folder, name), usedAt: statSync(join(folder, name)).mtimeMs }))
    .sort((a, b) => b.usedAt - a.usedAt)
  for (const { file } of whole.slice(kept)) removeView(file)
}

const attempt = <A>(f: () => A) => Effect.try({ try: f, catch: storageError("view") })
