import { existsSync } from "node:fs"
import type * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import { sameBytes } from "../../events/Chain.js"
import type { Codec } from "../../events/Codec.js"
import type { EventLog, Head } from "../../events/EventLog.js"
import { type StorageError, storageError } from "../../events/errors.js"
import type { Mutex } from "../../events/Mutex.js"
import { untilFree } from "../../events/sqlite.js"
import { type Db, type Projection, sql } from "../Projection.js"
import { type BuildOptions, build, type Progress, prepare, type ViewError } from "./build.js"
import type * as Generations from "./generations.js"
import * as ViewFile from "./ViewFile.js"

/** One agent's read models, open in this process. Reads use `reader`; only `write` and catching up write. */
export interface View {
  readonly agent: string
  readonly generations: Generations.Generations
  /** One writer at a time in this process; SQLite sees to the other processes. */
  readonly lock: Mutex
  file: string
  reader: Db
  /** Opened when something is to be written, which most short-lived programs never do. */
  writer: Db | null
  hasVectors: boolean
  /** Whether this process is between the log's commit and the view's: then lagging behind is as it should be. */
  writing: boolean
  /** How the newest write left the view; undefined once anything else was done to it. */
  left: Begun | undefined
}

/** A view whose write lock is held, and where it stands. */
export interface Begun {
  readonly db: Db
  /** Another number once another process wrote to the view. */
  readonly dataVersion: number
  readonly head: ViewFile.Checkpoint
  readonly parked: ViewFile.ParkedAt
}

export interface ViewsConfig {
  /** The data folder: views live below `views/`, views of past versions below `cache/`. */
  readonly folder: string
  /** Path of the sqlite-vec extension, null for none. */
  readonly vectorExtension: string | null
  readonly projections: ReadonlyArray<Projection>
}

/**
 * How a view follows its stream, from generation to generation. Whatever
 * touches a view first brings it to the head of the log, so that a crash
 * between the two heals, and any process may be the one to do it.
 */
export const follow = (config: ViewsConfig, log: Context.Tag.Service<EventLog>, codec: Codec) => {
  const { projections } = config
  const building = (agent: string, file: string, to: number): BuildOptions => ({
    ...config,
    log,
    codec,
    agent,
    file,
    to
  })

  /** The file in force, made from the log where there is none. */
  const locate = (generations: Generations.Generations, agent: string): Effect.Effect<string, ViewError> =>
    Effect.gen(function* () {
      const current = generations.current()
      if (current !== undefined) return current
      const file = yield* attempt(generations.fresh)
      const { version } = yield* log.head(agent)
      yield* Effect.onError(build(building(agent, file, version)), () => Effect.sync(() => generations.remove(file)))
      if (yield* attempt(() => generations.claim(file))) return file
      generations.remove(file)
      return yield* locate(generations, agent)
    })

  const openReader = (file: string) => attempt(() => ViewFile.openFile(file, "read", config))

  const close = (view: Pick<View, "reader" | "writer">) =>
    Effect.sync(() => {
      view.reader.close()
      view.writer?.close()
    })

  /** Moves a handle to the generation in force. */
  const reopen = (view: View): Effect.Effect<void, ViewError> =>
    Effect.gen(function* () {
      const file = yield* locate(view.generations, view.agent)
      const { db, hasVectors } = yield* openReader(file)
      // Swapped first, closed then: whoever reads meanwhile finds an open one.
      const { reader, writer } = view
      Object.assign(view, { file, reader: db, hasVectors, writer: null })
      yield* close({ reader, writer })
    })

  /** A view that is damaged, or of another log, is thrown away: everything in it can be made again. */
  const discard = (view: View) =>
    Effect.gen(function* () {
      const damaged = view.file
      const file = yield* attempt(view.generations.fresh)
      const { version } = yield* log.head(view.agent)
      yield* build(building(view.agent, file, version))
      yield* attempt(() => view.generations.point(file))
      yield* reopen(view)
      view.generations.remove(damaged)
    })

  const writerOf = (view: View): Effect.Effect<Db, StorageError> =>
    attempt(() => {
      view.writer ??= ViewFile.openFile(view.file, "write", config).db
      return view.writer
    })

  /** Takes the write lock of a view, at once; answers where the view stands, now that nobody else can move it. */
  const begin = (view: View): Effect.Effect<Begun, StorageError> =>
    untilFree("view", () => {
      view.writer ??= ViewFile.openFile(view.file, "write", config).db
      const db = view.writer
      sql(db, "BEGIN IMMEDIATE").run()
      const { left } = view
      view.left = undefined
      try {
        const { data_version: dataVersion } = sql(db, "PRAGMA data_version").get()
        if (left !== undefined && left.db === db && left.dataVersion === dataVersion) return left
        return { db, dataVersion, ...ViewFile.standing(db) }
      } catch (cause) {
        db.exec("ROLLBACK")
        throw cause
      }
    })

  const rollback = (db: Db) =>
    Effect.sync(() => {
      if (db.inTransaction) db.exec("ROLLBACK")
    })

  const inForce = (view: View, checkpoint: ViewFile.Checkpoint) => !checkpoint.retired && existsSync(view.file)

  /** Applies what the log has and the view has not, with the view's lock held. Parks what is poisoned. */
  const catchUp = (view: View): Effect.Effect<void, ViewError> =>
    Effect.gen(function* () {
      const at = yield* attempt(() => ViewFile.checkpointOf(view.reader))
      if (!inForce(view, at)) return yield* Effect.zipRight(reopen(view), catchUp(view))
      const head = yield* log.head(view.agent)
      if (isAt(at, head)) return
      if (head.version - at.position > rebuildAbove) return yield* replace(view, null)
      const rows = yield* log.read(view.agent, { after: Math.max(at.position - 1, 0), limit: catchUpPage })
      const known = at.position === 0 || sameBytes(rows[0]?.hash ?? null, at.hash)
      if (!known) return yield* Effect.zipRight(discard(view), catchUp(view))
      const missing = at.position === 0 ? rows : rows.slice(1)
      if (missing.length === 0) return
      const { events, lookup } = yield* prepare(log, codec, missing)
      const { db, head: now, parked } = yield* begin(view)
      const poisoned = yield* attempt(() => {
        if (now.position !== at.position || now.retired) return null
        try {
          for (const event of events) ViewFile.applyEvent(db, projections, parked, event, lookup)
        } catch (cause) {
          if (cause instanceof ViewFile.Poisoned) return cause.parked
          throw cause
        }
        const last = missing.at(-1)!
        ViewFile.moveCheckpoint(db, last.version, last.hash, last.recordedAt)
        db.exec("COMMIT")
        return null
      }).pipe(Effect.ensuring(rollback(db)))
      if (poisoned !== null) yield* parkIn(view, poisoned)
      yield* catchUp(view)
    })

  const parkIn = (view: View, parked: ViewFile.Parked) =>
    Effect.flatMap(writerOf(view), (db) => attempt(() => ViewFile.park(db, parked)))

  /** Makes a new generation from the log while the old one serves, as far as the log goes by then. */
  const successorOf = (
    view: View,
    which: ReadonlyArray<string> | null,
    onProgress?: (progress: Progress) => void
  ): Effect.Effect<View, ViewError> =>
    Effect.gen(function* () {
      const file = yield* attempt(view.generations.fresh)
      const { version } = yield* log.head(view.agent)
      yield* build({
        ...building(view.agent, file, version),
        ...(which === null ? {} : { copyOf: { file: view.file, only: which } }),
        ...(onProgress === undefined ? {} : { onProgress })
      }).pipe(Effect.onError(() => Effect.sync(() => view.generations.remove(file))))
      const { db, hasVectors } = yield* openReader(file)
      const successor: View = { ...view, file, reader: db, writer: null, hasVectors, left: undefined }
      yield* Effect.onError(catchUp(successor), () => close(successor))
      return successor
    }).pipe(afterOthers(view, () => successorOf(view, which, onProgress)))

  /** Brings a successor to the head under the lock of the generation in force, and puts it in its place. */
  const switchTo = (view: View, successor: View): Effect.Effect<void, ViewError> =>
    Effect.onError(takeOver(view, successor), () => close(successor))

  const takeOver = (view: View, successor: View): Effect.Effect<void, ViewError> =>
    Effect.gen(function* () {
      const at = yield* attempt(() => ViewFile.checkpointOf(view.reader))
      if (!inForce(view, at)) yield* reopen(view)
      const { db: old, head } = yield* begin(view)
      const retired = view.file
      const done = yield* Effect.gen(function* () {
        // Another process put its own successor in force while this one waited for the lock.
        if (!inForce(view, head)) return false
        // Nobody writes to this agent while its view is locked: the successor gets to the very head.
        yield* catchUp(successor)
        yield* attempt(() => {
          ViewFile.retire(old)
          view.generations.point(successor.file)
          old.exec("COMMIT")
        })
        return true
      }).pipe(Effect.ensuring(rollback(old)))
      if (!done) return yield* takeOver(view, successor)
      const before = { reader: view.reader, writer: view.writer }
      const { file, hasVectors, reader, writer } = successor
      Object.assign(view, { file, reader, writer, hasVectors })
      yield* close(before)
      view.generations.remove(retired)
    }).pipe(afterOthers(view, () => takeOver(view, successor)))

  /** Another process has taken the view's file away meanwhile, having put a newer one in force: once more with that. */
  const afterOthers =
    <A>(view: View, again: () => Effect.Effect<A, ViewError>) =>
    (effect: Effect.Effect<A, ViewError>) =>
      Effect.catchIf(
        effect,
        (error) => error._tag === "StorageError" && error.code === "SQLITE_CANTOPEN" && !existsSync(view.file),
        () => Effect.zipRight(reopen(view), again())
      )

  const replace = (view: View, which: ReadonlyArray<string> | null) =>
    Effect.flatMap(successorOf(view, which), (successor) => switchTo(view, successor))

  return {
    begin,
    building,
    catchUp,
    close,
    discard,
    inForce,
    locate,
    openReader,
    parkIn,
    replace,
    rollback,
    successorOf,
    switchTo,
    writerOf
  }
}

/** A view that is further behind than this is replayed into a new file, which is faster than row by row. */
const rebuildAbove = 20_000
const catchUpPage = 1_001

export const attempt = <A>(f: () => A) => Effect.try({ try: f, catch: storageError("view") })

/** Whether a view has followed its stream to the head. */
export const isAt = (checkpoint: ViewFile.Checkpoint, head: Head) =>
  checkpoint.position === head.version && (head.version === 0 || sameBytes(checkpoint.hash, head.hash))
