import { closeSync, existsSync, openSync } from "node:fs"
import { dirname } from "node:path"
import type * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import type { Codec } from "../../events/Codec.js"
import type { DaybookEvent, ErasedEvent } from "../../events/catalogue.js"
import { closeOnError } from "../../events/driver.js"
import type { EventLog } from "../../events/EventLog.js"
import { type InvalidEvent, type StorageError, storageError, type UnknownEvent } from "../../events/errors.js"
import { copyDatabase, runSql } from "../../events/sqlProcess.js"
import { isYieldDue, yieldIfDue, yieldToEventLoop } from "../../events/turns.js"
import type { Db, Lookup, Projection } from "../Projection.js"
import { decodePage } from "./decodePage.js"
import { removeViewFile } from "./generations.js"
import { readFileErasure, syncFile } from "./newFile.js"
import { type ViewKind, withRebuildLease } from "./rebuildLease.js"
import { attempt, countRetry, isRetryLimitReached, newRetryLimit, viewKeepsChangingError } from "./View.js"
import * as ViewFile from "./ViewFile.js"

export type ViewError = StorageError | UnknownEvent | InvalidEvent

/** Progress of a rebuild: the number of events replayed so far, and in total. */
export interface Progress {
  readonly agent: string
  readonly done: number
  readonly total: number
}

export interface BuildOptions extends ViewFile.ViewOptions {
  readonly log: Context.Tag.Service<EventLog>
  readonly codec: Codec
  readonly agent: string
  /** The data folder. */
  readonly folder: string
  /** The kind of view whose lease a restart takes. Default: `past`. */
  readonly built?: ViewKind
  readonly file: string
  readonly projections: ReadonlyArray<Projection>
  /** The last version to replay. */
  readonly to: number
  /**
   * True: the build stops before the first event that this release cannot decode. Otherwise such an event fails the
   * build.
   */
  readonly stopAtUnknown?: boolean
  /** Lower openness for some memories, by id. A past view must not show a memory that was restricted later. */
  readonly stricter?: ReadonlyMap<string, number>
  /** Copies the view in `file`, rebuilds the projections in `only` and keeps the others. */
  readonly copyOf?: { readonly file: string; readonly only: ReadonlyArray<string> }
  readonly onProgress?: (progress: Progress) => void
}

/**
 * Builds a view in a new file without journal and sync, from the log alone or from a copy (`copyOf`). If a projection
 * cannot apply an event, it is parked at that event, and the build restarts.
 *
 * The build also restarts if events were erased in the meantime. The cleaning after that erasure may have removed the
 * file, or may have run before the file existed. The next erasure waits for the restart.
 */
export const build = Effect.fnUntraced(function* (
  options: BuildOptions,
  tries = newRetryLimit()
): Effect.fn.Return<void, ViewError> {
  const { agent, copyOf, log, ...others } = options
  const fromLog = { ...others, agent, log }
  const erasure = yield* log.newestErasure(agent)
  const isCopied = copyOf !== undefined && (yield* readFileErasure(copyOf.file, options)) === erasure
  const built = yield* Effect.either(
    tryBuild({ ...(isCopied ? options : fromLog), erasure }, { poisoned: [], indexedFirst: [] })
  )
  const { version } = yield* log.head(agent)
  // An agent that was erased completely has no ERASE event, and fewer events than before.
  const isCurrent = version >= options.to && (yield* log.newestErasure(agent)) === erasure
  const isRemoved = !existsSync(options.file) && existsSync(dirname(options.file))
  // The cleaning after an erasure reads the new file, which has no write-ahead log yet. Its lock can make a transaction
  // of this build fail.
  const isDisturbed = built._tag === "Left" && built.left._tag === "StorageError" && built.left.kind === "busy"
  if (isCurrent && !isRemoved && !isDisturbed) return yield* built
  if (isRetryLimitReached(tries)) return yield* viewKeepsChangingError(agent)
  const again = build({ ...fromLog, to: Math.min(options.to, version) }, yield* countRetry(tries))
  yield* withRebuildLease({ ...options, built: options.built ?? "past" }, again)
})

/** Options of one build, and the version of the newest ERASE event before the build began. */
type Building = BuildOptions & { readonly erasure: number }

/** Events in one transaction of a replay. */
const replayPageEvents = 500

/** Problems found by earlier attempts. */
interface Findings {
  readonly poisoned: ReadonlyArray<ViewFile.ParkedProjection>
  /**
   * Projections whose rows broke a constraint of their indexes. The next attempt creates these indexes before the rows,
   * to find the event that breaks the constraint.
   */
  readonly indexedFirst: ReadonlyArray<string>
}

const tryBuild = (options: Building, findings: Findings): Effect.Effect<void, ViewError> =>
  Effect.acquireUseRelease(
    openNew(options),
    ({ db, hasVectors }) => fillView(db, hasVectors, options, findings),
    ({ db }) => Effect.sync(() => db.close())
  ).pipe(
    Effect.flatMap((next) => (next === undefined ? Effect.void : tryBuild(options, next))),
    Effect.zipLeft(syncFile(options.file))
  )

const openNew = (options: Building) =>
  Effect.gen(function* () {
    // Each attempt writes a new file, because a process that still reads the previous file would block every later
    // commit. On systems that cannot remove an open file, the attempt truncates it.
    yield* Effect.ignore(Effect.try(() => removeViewFile(options.file)))
    if (options.copyOf !== undefined) {
      const { db } = yield* Effect.try(() => ViewFile.openFile(options.copyOf!.file, "read", options))
      yield* Effect.ensuring(
        copyDatabase(db, options.file),
        Effect.sync(() => db.close())
      )
    } else {
      yield* Effect.try(() => closeSync(openSync(options.file, "w", 0o600)))
    }
    return yield* Effect.try(() => {
      const opened = ViewFile.openFile(options.file, "bulk", options)
      // Set at the start, so that the cleaning after an erasure keeps a file whose build began after that erasure.
      closeOnError(opened.db, () => ViewFile.setErasure(opened.db, options.erasure))
      return opened
    })
  }).pipe(Effect.mapError(storageError("view")))

/** Makes one attempt. Returns the findings for the next attempt; undefined if the view is complete. */
const fillView = Effect.fnUntraced(function* (db: Db, hasVectors: boolean, options: Building, findings: Findings) {
  const { indexedFirst, poisoned } = findings
  const { agent, copyOf, log, projections } = options
  const rebuilt = copyOf === undefined ? projections : projections.filter(({ name }) => copyOf.only.includes(name))
  const indexedEarly = rebuilt.filter(({ name }) => indexedFirst.includes(name))
  if (copyOf !== undefined) yield* dropTables(db, rebuilt, options)
  const copiedTo = yield* attempt(() => createTables({ db, hasVectors, options, rebuilt, indexedEarly }))
  // Always yields here: `isYieldDue` does not count the time of earlier work, which may include the start of the
  // program.
  yield* yieldToEventLoop
  const parkedAt = new Map(
    [...(yield* attempt(() => ViewFile.findParkedProjections(db))), ...poisoned].map(({ position, projection }) => [
      projection,
      position
    ])
  )
  const { last, poison } = yield* replayEvents({ db, options, rebuilt, copiedTo, parkedAt })
  if (poison !== undefined) return { ...findings, poisoned: [...poisoned, poison] }
  const failedProjection = yield* finishTables(db, rebuilt, indexedEarly)
  if (failedProjection !== undefined) return { ...findings, indexedFirst: [...indexedFirst, failedProjection.name] }
  yield* yieldIfDue
  const [lastEvent] = last > copiedTo ? yield* log.at(agent, [last]) : []
  yield* attempt(() => {
    db.exec("BEGIN")
    for (const parked of poisoned) ViewFile.park(db, parked)
    if (lastEvent !== undefined) ViewFile.moveCheckpoint(db, last, lastEvent.hash, lastEvent.recordedAt)
    db.exec("COMMIT")
    // No process writes to a view of the past. Without a write-ahead log, the file opens and closes in a fraction of
    // the time.
    if (options.stricter === undefined) db.pragma("journal_mode = WAL")
  })
  return undefined
})

/** Drops the copied tables of the projections to rebuild, in a child process if the view is large. */
const dropTables = Effect.fnUntraced(function* (
  db: Db,
  rebuilt: ReadonlyArray<Projection>,
  { vectorExtension }: BuildOptions
) {
  const drops = yield* attempt(() =>
    rebuilt.filter((projection) => ViewFile.hasProjection(db, projection)).map(({ drop }) => drop(db))
  )
  const statements = [ViewFile.bulkSettings, "BEGIN", ...drops, "COMMIT"]
  const answer = yield* runSql(db, { statements, extension: vectorExtension })
  if ("failedAt" in answer) yield* storageError("view")(answer)
})

/** Creates the tables to fill. Returns the last event version in the copied rows; 0 without a copy. */
const createTables = ({
  db,
  indexedEarly,
  hasVectors,
  options,
  rebuilt
}: {
  readonly db: Db
  readonly hasVectors: boolean
  readonly options: BuildOptions
  readonly rebuilt: ReadonlyArray<Projection>
  /** Projections whose indexes are created before their rows. */
  readonly indexedEarly: ReadonlyArray<Projection>
}): number => {
  db.exec("BEGIN")
  if (options.copyOf === undefined) ViewFile.createView(db, options.projections, hasVectors)
  else {
    // The original may be marked as retired. The copy must not be.
    ViewFile.retire(db, false)
    for (const projection of rebuilt) ViewFile.createProjection(db, projection, hasVectors)
  }
  for (const projection of indexedEarly) db.exec(projection.indexes)
  db.exec("COMMIT")
  return options.copyOf === undefined ? 0 : ViewFile.checkpointOf(db).position
}

/** Applies all events, page by page. Returns the last version applied, or the projection to park. */
const replayEvents = Effect.fnUntraced(function* ({
  copiedTo,
  db,
  options,
  parkedAt,
  rebuilt
}: {
  readonly db: Db
  readonly options: BuildOptions
  readonly rebuilt: ReadonlyArray<Projection>
  /**
   * Version of the last event in the copied projections. The rebuilt projections still need the events up to this
   * version.
   */
  readonly copiedTo: number
  readonly parkedAt: ViewFile.ParkedAt
}) {
  const { agent, codec, log, onProgress, projections, stopAtUnknown = false, stricter, to } = options
  const filledLater = new Set(rebuilt.filter(({ fill }) => fill !== undefined).map(({ name }) => name))
  let last = 0
  while (last < to) {
    const rows = yield* log.replay(agent, { after: last, to, limit: replayPageEvents })
    if (rows.length === 0) break
    const page = yield* decodePage(log, codec, rows, stricter)
    const lookup: Lookup = { ...page.lookup, isFilledLater: (name) => filledLater.has(name) }
    const applyEvent = (event: DaybookEvent | ErasedEvent) =>
      ViewFile.applyEvent(db, event.version <= copiedTo ? rebuilt : projections, parkedAt, event, lookup)
    const poison = yield* applyPage(db, page.events, applyEvent)
    if (poison !== undefined) return { last, poison }
    last = page.events.at(-1)?.version ?? last
    if (page.unknown !== undefined) {
      // The copied projections have applied later events, and the rebuilt projections cannot apply those.
      if (!stopAtUnknown || last < copiedTo) return yield* page.unknown
      break
    }
    onProgress?.({ agent, done: last, total: to })
  }
  return { last, poison: undefined }
})

/**
 * Applies events in one transaction, and lets the event loop run when due. If a projection cannot apply an event,
 * returns it to be parked; the file is then discarded.
 */
const applyPage = Effect.fnUntraced(function* (
  db: Db,
  events: ReadonlyArray<DaybookEvent | ErasedEvent>,
  applyEvent: (event: DaybookEvent | ErasedEvent) => void
) {
  yield* attempt(() => db.exec("BEGIN"))
  for (let index = 0; index < events.length; ) {
    const poison = yield* attempt(() => {
      try {
        do applyEvent(events[index++]!)
        while (index < events.length && !isYieldDue())
        return undefined
      } catch (cause) {
        if (cause instanceof ViewFile.Poisoned) return cause.parked
        throw cause
      }
    })
    if (poison !== undefined) return poison
    if (isYieldDue()) yield* yieldToEventLoop
  }
  yield* attempt(() => db.exec("COMMIT"))
  return undefined
})

/**
 * Runs `fill` of the rebuilt projections and creates their indexes, in a child process if the view is large. Returns
 * the projection whose rows break a constraint of its indexes, if there is one.
 */
const finishTables = Effect.fnUntraced(function* (
  db: Db,
  rebuilt: ReadonlyArray<Projection>,
  indexedEarly: ReadonlyArray<Projection>
) {
  const fills = rebuilt.flatMap(({ fill = [] }) => fill)
  const indexed = rebuilt.filter((projection) => !indexedEarly.includes(projection))
  const first = [ViewFile.bulkSettings, "BEGIN", ...fills, "COMMIT"]
  const answer = yield* runSql(db, { statements: [...first, ...indexed.map(({ indexes }) => indexes)] })
  if ("rows" in answer) return undefined
  const broken = indexed[answer.failedAt - first.length]
  if (broken !== undefined && /^SQLITE_CONSTRAINT/.test(answer.code)) return broken
  return yield* storageError("view")(answer)
})
