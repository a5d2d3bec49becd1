import { existsSync, mkdirSync } from "node:fs"
import { dirname, join } from "node:path"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type * as Scope from "effect/Scope"
import { type StoredEvent, sameBytes } from "../events/Chain.js"
import { CurrentCodec } from "../events/Codec.js"
import type { DaybookEvent } from "../events/catalogue.js"
import { EventLog, type Head } from "../events/EventLog.js"
import { type StorageError, storageError } from "../events/errors.js"
import { busyRetry } from "../events/sqlite.js"
import { projections as all } from "./all.js"
import { type BuildOptions, build, type Progress, prepare, type ViewError } from "./build.js"
import * as Generations from "./generations.js"
import type { Db, Lookup, Projection } from "./Projection.js"
import * as ViewFile from "./ViewFile.js"

/** One agent's read models, open in this process. Reads use `reader`; only `write` and catching up write. */
export interface View {
  readonly agent: string
  readonly generations: Generations.Generations
  /** One writer at a time in this process; SQLite sees to the other processes. */
  readonly lock: Effect.Semaphore
  file: string
  reader: Db
  /** Opened when something is to be written, which most short-lived programs never do. */
  writer: Db | null
  hasVectors: boolean
  /** Whether this process is between the log's commit and the view's: then lagging behind is as it should be. */
  writing: boolean
}

export interface ViewsConfig {
  /** The data folder: views live below `views/`, views of past versions below `cache/`. */
  readonly folder: string
  /** Path of the sqlite-vec extension, null for none. */
  readonly vectorExtension: string | null
  readonly projections: ReadonlyArray<Projection>
}

export class Views extends Context.Tag("daybook/Views")<
  Views,
  {
    readonly config: ViewsConfig
    /** Opens an agent's view, made or rebuilt first where need be; closed with the scope. */
    readonly open: (agent: string) => Effect.Effect<View, ViewError, Scope.Scope>
    /** Reads one snapshot of a view, brought to the newest event first. A damaged view is made again and read then. */
    readonly read: <A>(view: View, f: (db: Db) => A) => Effect.Effect<A, ViewError>
    /**
     * Runs `use` inside the view's write transaction, on top of the newest
     * event, and commits where it succeeds. Whoever holds it is the agent's one
     * writer, in this process and in others. Run again after a projection that
     * cannot apply one of the events was parked.
     */
    readonly write: <A, E, R>(
      view: View,
      use: (transaction: Transaction) => Effect.Effect<A, E | ViewFile.Poisoned, R>
    ) => Effect.Effect<A, Exclude<E, ViewFile.Poisoned> | ViewError, R>
    /** Replays the log into a new generation, all projections or some, and puts it in force. */
    readonly rebuild: (
      view: View,
      which: ReadonlyArray<string> | null,
      onProgress?: (progress: Progress) => void
    ) => Effect.Effect<void, ViewError>
    /** Builds the view of a past version in `file`. */
    readonly prefix: (
      agent: string,
      options: { readonly file: string; readonly to: number; readonly stricter: ReadonlyMap<string, number> }
    ) => Effect.Effect<void, ViewError>
  }
>() {}

/** The view of one agent while this process is its only writer. Nothing of it stays where `write` fails. */
export interface Transaction {
  readonly db: Db
  /** The newest event of the stream, as far as the view has followed it. */
  readonly head: ViewFile.Checkpoint
  /** Gives an event to all projections, before the log has it. */
  readonly apply: (event: DaybookEvent, lookup: Lookup) => Effect.Effect<void, ViewFile.Poisoned | StorageError>
  /** What to remember of the last event that was applied, once the log has it. */
  readonly moveTo: (event: Pick<StoredEvent, "version" | "recordedAt" | "hash">) => Effect.Effect<void, StorageError>
}

export const layer = (
  config: Partial<ViewsConfig> & Pick<ViewsConfig, "folder">
): Layer.Layer<Views, never, EventLog> => Layer.effect(Views, make(config))

export const make = (options: Partial<ViewsConfig> & Pick<ViewsConfig, "folder">) =>
  Effect.gen(function* () {
    const log = yield* EventLog
    const codec = yield* CurrentCodec
    const config: ViewsConfig = {
      projections: all,
      vectorExtension: ViewFile.bundledVectorExtension(),
      ...options
    }
    const { projections } = config
    const viewsFolder = join(config.folder, "views")
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
        yield* close(view)
        Object.assign(view, { file, reader: db, hasVectors, writer: null })
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

    const begin = (view: View) =>
      Effect.flatMap(writerOf(view), (db) =>
        Effect.as(
          Effect.retry(
            attempt(() => void db.exec("BEGIN IMMEDIATE")),
            { schedule: busyRetry, while: (error) => error.kind === "busy" }
          ),
          db
        )
      )

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
        const db = yield* begin(view)
        const poisoned = yield* attempt(() => {
          const now = ViewFile.checkpointOf(db)
          if (now.position !== at.position || now.retired) return null
          const parked = new Set(ViewFile.parkedOf(db).map(({ projection }) => projection))
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
        const successor: View = { ...view, file, reader: db, writer: null, hasVectors }
        yield* Effect.onError(catchUp(successor), () => close(successor))
        return successor
      })

    /** Brings a successor to the head under the lock of the generation in force, and puts it in its place. */
    const switchTo = (view: View, successor: View): Effect.Effect<void, ViewError> =>
      Effect.gen(function* () {
        const old = yield* begin(view)
        const retired = view.file
        yield* Effect.gen(function* () {
          // Nobody writes to this agent while its view is locked: the successor gets to the very head.
          yield* catchUp(successor)
          yield* attempt(() => {
            ViewFile.retire(old)
            view.generations.point(successor.file)
            old.exec("COMMIT")
          })
        }).pipe(Effect.ensuring(rollback(old)))
        yield* close(view)
        const { file, hasVectors, reader, writer } = successor
        Object.assign(view, { file, reader, writer, hasVectors })
        view.generations.remove(retired)
      }).pipe(Effect.onError(() => close(successor)))

    const replace = (view: View, which: ReadonlyArray<string> | null) =>
      Effect.flatMap(successorOf(view, which), (successor) => switchTo(view, successor))

    /** Makes a view again where SQLite found it damaged, and then does what was to be done. */
    const healed = <A>(view: View, effect: Effect.Effect<A, ViewError>) =>
      Effect.catchIf(effect, isDamaged, () => Effect.zipRight(discard(view), effect))

    const snapshot = <A>(view: View, f: (db: Db) => A) =>
      attempt(() => {
        const { reader } = view
        reader.exec("BEGIN")
        try {
          return f(reader)
        } finally {
          reader.exec("COMMIT")
        }
      })

    const touch = (view: View) =>
      Effect.gen(function* () {
        const at = yield* Effect.either(attempt(() => ViewFile.checkpointOf(view.reader)))
        if (at._tag === "Right" && inForce(view, at.right)) {
          if (view.writing) return
          const head = yield* log.head(view.agent)
          if (isAt(at.right, head)) return
        }
        yield* view.lock.withPermits(1)(Effect.uninterruptible(healed(view, catchUp(view))))
      })

    const writeLocked = <A, E, R>(
      view: View,
      use: (transaction: Transaction) => Effect.Effect<A, E | ViewFile.Poisoned, R>
    ): Effect.Effect<A, Exclude<E, ViewFile.Poisoned> | ViewError, R> =>
      Effect.gen(function* () {
        yield* healed(view, catchUp(view))
        const db = yield* begin(view)
        const outcome = yield* Effect.gen(function* () {
          const head = yield* attempt(() => ViewFile.checkpointOf(db))
          // Another process put a new generation in force while this one waited for the lock.
          if (!inForce(view, head)) return "again" as const
          const parked = new Set(yield* attempt(() => ViewFile.parkedOf(db).map(({ projection }) => projection)))
          view.writing = true
          const answer = yield* use({
            head,
            db,
            apply: (event, lookup) =>
              Effect.try({
                try: () => ViewFile.applyEvent(db, projections, parked, event, lookup),
                catch: (cause) => (cause instanceof ViewFile.Poisoned ? cause : storageError("view")(cause))
              }),
            moveTo: ({ hash, recordedAt, version }) =>
              attempt(() => ViewFile.moveCheckpoint(db, version, hash, recordedAt))
          })
          // What is in the log is safe: a view that cannot be committed now catches up later.
          yield* Effect.ignoreLogged(attempt(() => void db.exec("COMMIT")))
          return { answer }
        }).pipe(
          Effect.catchIf(
            (error) => error instanceof ViewFile.Poisoned,
            (error) => Effect.succeed(error as ViewFile.Poisoned)
          ),
          Effect.ensuring(
            Effect.zipRight(
              rollback(db),
              Effect.sync(() => {
                view.writing = false
              })
            )
          )
        )
        if (outcome === "again") return yield* writeLocked(view, use)
        if (outcome instanceof ViewFile.Poisoned) {
          yield* parkIn(view, outcome.parked)
          return yield* writeLocked(view, use)
        }
        return outcome.answer
      }) as Effect.Effect<A, Exclude<E, ViewFile.Poisoned> | ViewError, R>

    return Views.of({
      config,
      open: (agent) =>
        Effect.gen(function* () {
          const generations = Generations.make(viewsFolder, agent)
          const opened = Effect.flatMap(locate(generations, agent), openReader)
          // A file that SQLite refuses to open is as good as none.
          const { db, hasVectors } = yield* Effect.catchIf(
            opened,
            (error) => error._tag === "StorageError" && error.kind === "damaged",
            () =>
              Effect.zipRight(
                Effect.sync(() => generations.remove(generations.current() ?? "")),
                opened
              )
          )
          const view: View = {
            agent,
            generations,
            lock: Effect.unsafeMakeSemaphore(1),
            file: db.name,
            reader: db,
            writer: null,
            hasVectors,
            writing: false
          }
          yield* Effect.addFinalizer(() => close(view))
          yield* Effect.ignore(attempt(generations.sweep))
          const changed = yield* Effect.orElseSucceed(
            attempt(() => ViewFile.outdated(view.reader, projections, hasVectors)),
            () => null
          )
          if (changed === null) yield* discard(view)
          else if (changed.length > 0) yield* replace(view, changed)
          return view
        }),
      read: (view, f) => {
        const read = Effect.zipRight(touch(view), snapshot(view, f))
        return Effect.catchIf(read, isDamaged, () =>
          Effect.zipRight(view.lock.withPermits(1)(Effect.uninterruptible(discard(view))), snapshot(view, f))
        )
      },
      write: (view, use) => view.lock.withPermits(1)(Effect.uninterruptible(writeLocked(view, use))),
      rebuild: (view, which, onProgress) =>
        Effect.flatMap(successorOf(view, which, onProgress), (successor) =>
          // Writers went on meanwhile, perhaps into yet another generation: what they wrote is in the log.
          view.lock.withPermits(1)(Effect.uninterruptible(Effect.zipRight(catchUp(view), switchTo(view, successor))))
        ),
      prefix: (agent, { file, stricter, to }) =>
        Effect.zipRight(
          attempt(() => void mkdirSync(dirname(file), { recursive: true, mode: 0o700 })),
          build({ ...building(agent, file, to), stricter })
        )
    })
  })

/** A view that is further behind than this is replayed into a new file, which is faster than row by row. */
const rebuildAbove = 20_000
const catchUpPage = 1_001

const attempt = <A>(f: () => A) => Effect.try({ try: f, catch: storageError("view") })

const isDamaged = (error: ViewError): boolean =>
  error._tag === "StorageError" && error.kind === "damaged" && error.where === "view"

const isAt = (checkpoint: ViewFile.Checkpoint, head: Head) =>
  checkpoint.position === head.version && (head.version === 0 || sameBytes(checkpoint.hash, head.hash))
