import { existsSync } from "node:fs"
import { dirname, join } from "node:path"
import * as Cause from "effect/Cause"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import type * as Scope from "effect/Scope"
import type { StoredEvent } from "../../events/Chain.js"
import { CurrentCodec } from "../../events/Codec.js"
import type { DaybookEvent } from "../../events/catalogue.js"
import { EventLog } from "../../events/EventLog.js"
import { StorageError, storageError } from "../../events/errors.js"
import { makeFolder } from "../../events/folder.js"
import * as Mutex from "../../events/Mutex.js"
import { projections as all } from "../all.js"
import { type Db, type Lookup, sql } from "../Projection.js"
import { build, type Progress, type ViewError } from "./build.js"
import { attempt, type Begun, follow, isAt, type View, type ViewsConfig } from "./follow.js"
import * as Generations from "./generations.js"
import * as ViewFile from "./ViewFile.js"

export type { View, ViewsConfig } from "./follow.js"

/** The views of all agents of a data folder. */
export class Views extends Context.Tag("daybook/Views")<
  Views,
  {
    readonly config: ViewsConfig
    /** Opens an agent's view, made or rebuilt first where need be; closed with the scope. */
    readonly open: (agent: string) => Effect.Effect<View, ViewError, Scope.Scope>
    /** Brings a view to the newest event. */
    readonly follow: (view: View) => Effect.Effect<void, ViewError>
    /** Reads one snapshot of a view, brought to the newest event first. A damaged view is made again and read then. */
    readonly read: <A>(view: View, f: (db: Db) => A) => Effect.Effect<A, ViewError>
    /** Reads the view of an agent that has no events, which nothing is kept of. */
    readonly readEmpty: <A>(f: (db: Db, hasVectors: boolean) => A) => Effect.Effect<A, ViewError>
    /**
     * Runs `use` inside the view's write transaction, on top of the newest
     * event that the view has, and commits where it succeeds. Whoever holds it is the agent's one
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
  /** Runs synchronous work on the view, `apply` included; what SQLite throws becomes a typed error. */
  readonly run: <A>(work: () => A) => Exit.Exit<A, ViewFile.Poisoned | StorageError>
  /** Gives an event to all projections, before the log has it. Only inside of `run`. */
  readonly apply: (event: DaybookEvent, lookup: Lookup) => void
  /** To be told of the last event that was applied, once the log has it: without, nothing is committed. */
  readonly moveTo: (event: Pick<StoredEvent, "version" | "recordedAt" | "hash">) => void
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
    const {
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
    } = follow(config, log, codec)

    /** Makes a view again where SQLite found it damaged, and then does what was to be done. */
    const healed = <A>(view: View, effect: Effect.Effect<A, ViewError>) =>
      Effect.catchIf(effect, isDamaged, () => Effect.zipRight(discard(view), effect))

    const snapshot = <A>(view: View, f: (db: Db) => A) =>
      attempt(() => {
        const { reader } = view
        sql(reader, "BEGIN").run()
        try {
          return f(reader)
        } finally {
          sql(reader, "COMMIT").run()
        }
      })

    const followed = (view: View) => view.lock.locked(() => healed(view, catchUp(view)))

    const touch = (view: View) =>
      Effect.gen(function* () {
        const at = yield* Effect.either(attempt(() => ViewFile.checkpointOf(view.reader)))
        if (at._tag === "Right" && inForce(view, at.right)) {
          if (view.writing) return
          // Where the log cannot be read, what the view has is still right.
          const head = yield* Effect.option(log.head(view.agent))
          if (head._tag === "None" || isAt(at.right, head.value)) return
        }
        // Where there is no space to follow the log, what the view has so far is still right.
        yield* Effect.catchIf(
          followed(view),
          (error) => error._tag === "StorageError" && error.kind === "full",
          () => Effect.void
        )
      })

    /** With the lock of this process held; begins at once. */
    const writeLocked = <A, E, R>(
      view: View,
      use: (transaction: Transaction) => Effect.Effect<A, E | ViewFile.Poisoned, R>
    ): Effect.Effect<A, Exclude<E, ViewFile.Poisoned> | ViewError, R> => {
      const within = (begun: Begun): Effect.Effect<A, Exclude<E, ViewFile.Poisoned> | ViewError, R> => {
        const { db, head, parked } = begun
        // Another process put a new generation in force while this one waited for the lock.
        if (head.retired) {
          return Effect.flatMap(Effect.zipRight(rollback(db), catchUp(view)), () => writeLocked(view, use))
        }
        view.writing = true
        let reached: Parameters<Transaction["moveTo"]>[0] | undefined
        const done = () => {
          view.writing = false
          if (db.inTransaction) db.exec("ROLLBACK")
        }
        const used = Effect.suspend(() =>
          use({
            head,
            db,
            run: working,
            apply: (event, lookup) => ViewFile.applyEvent(db, projections, parked, event, lookup),
            moveTo: (event) => {
              reached = event
            }
          })
        )
        return Effect.matchCauseEffect(used, {
          onFailure: (cause) => {
            done()
            const error = Option.getOrUndefined(Cause.failureOption(cause))
            return error instanceof ViewFile.Poisoned
              ? Effect.flatMap(parkIn(view, error.parked), () => writeLocked(view, use))
              : Effect.failCause(cause as Cause.Cause<Exclude<E, ViewFile.Poisoned>>)
          },
          onSuccess: (value) => {
            try {
              if (reached !== undefined) {
                const { hash, recordedAt, version } = reached
                ViewFile.moveCheckpoint(db, version, hash, recordedAt)
                sql(db, "COMMIT").run()
                view.left = { ...begun, head: { position: version, hash, recordedAt, retired: false } }
              }
              return Effect.succeed(value)
            } catch (cause) {
              // What is in the log is safe by now: a view that cannot be committed is rolled back and catches up later.
              return Effect.as(Effect.logDebug("The view could not be committed", storageError("view")(cause)), value)
            } finally {
              done()
            }
          }
        })
      }
      // Nobody told this process yet that another one put a new generation in force.
      return view.writer === null && !existsSync(view.file)
        ? Effect.flatMap(catchUp(view), () => Effect.flatMap(begin(view), within))
        : Effect.flatMap(begin(view), within)
    }

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
            lock: Mutex.make(),
            file: db.name,
            reader: db,
            writer: null,
            hasVectors,
            writing: false,
            left: undefined
          }
          yield* Effect.addFinalizer(() => close(view))
          yield* Effect.ignore(attempt(generations.sweep))
          if (!hasVectors)
            yield* Effect.ignore(
              Effect.flatMap(writerOf(view), (db) => attempt(() => ViewFile.parkVectors(db, projections)))
            )
          const changed = yield* Effect.orElseSucceed(
            attempt(() => ViewFile.outdated(view.reader, projections, hasVectors)),
            () => null
          )
          if (changed === null) yield* discard(view)
          else if (changed.length > 0) yield* replace(view, changed)
          return view
        }),
      follow: followed,
      read: (view, f) => {
        const read = Effect.zipRight(touch(view), snapshot(view, f))
        return Effect.catchIf(read, isDamaged, () =>
          Effect.zipRight(
            view.lock.locked(() => discard(view)),
            snapshot(view, f)
          )
        )
      },
      readEmpty: (f) => attempt(() => ViewFile.readEmpty(projections, config, f)),
      write: (view, use) =>
        view.lock.locked(() =>
          Effect.catchIf(writeLocked(view, use), isDamaged, () =>
            Effect.flatMap(discard(view), () => writeLocked(view, use))
          )
        ),
      rebuild: (view, which, onProgress) =>
        Effect.flatMap(Effect.zipRight(touch(view), successorOf(view, which, onProgress)), (successor) =>
          // Writers went on meanwhile, perhaps into yet another generation: what they wrote is in the log.
          view.lock.locked(() => Effect.zipRight(catchUp(view), switchTo(view, successor)))
        ),
      prefix: (agent, { file, stricter, to }) =>
        Effect.zipRight(
          attempt(() => makeFolder(dirname(file))),
          build({ ...building(agent, file, to), stricter })
        )
    })
  })

/** Only what SQLite threw is an error of the storage; anything else is a defect of the work. */
const working = <A>(work: () => A): Exit.Exit<A, ViewFile.Poisoned | StorageError> => {
  try {
    return Exit.succeed(work())
  } catch (cause) {
    if (cause instanceof ViewFile.Poisoned) return Exit.fail(cause)
    return ViewFile.isStorageFailure(cause) ? Exit.fail(storageError("view")(cause)) : Exit.die(cause)
  }
}

const isDamaged = (error: unknown): boolean =>
  error instanceof StorageError && error.kind === "damaged" && error.where === "view"
