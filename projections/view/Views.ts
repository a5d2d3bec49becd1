import { dirname } from "node:path"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type * as Scope from "effect/Scope"
import { CurrentCodec } from "../../events/Codec.js"
import { type Cleaning, EventLog } from "../../events/EventLog.js"
import type { StorageError } from "../../events/errors.js"
import { makeFolder } from "../../events/folder.js"
import { runInSpan } from "../../events/tracing.js"
import { runInTurns, type Steps } from "../../events/turns.js"
import { projections } from "../all.js"
import { type Db, sql } from "../Projection.js"
import { build, type Progress, type ViewError } from "./buildViewFile.js"
import { makeCleaner } from "./cleanViews.js"
import { compareView, type ViewComparison } from "./compareView.js"
import { openViews } from "./metrics.js"
import { openReader, openView, outdatedProjections, reopen } from "./openView.js"
import { makePageCaches } from "./pageCaches.js"
import { makePastFiles, type PastFiles } from "./pastFiles.js"
import {
  buildSuccessor,
  catchUp,
  catchUpToUnknown,
  isDamaged,
  rebuildFromLog,
  rebuildIfDamaged,
  replaceView,
  switchToSuccessor
} from "./rebuild.js"
import { awaitRebuild } from "./rebuildLease.js"
import {
  attempt,
  isAtHead,
  isCurrent,
  isOlderThanErasure,
  isRemoved,
  type View,
  type ViewContext,
  type ViewsConfig
} from "./View.js"
import * as ViewFile from "./ViewFile.js"
import { type Transaction, writeView } from "./writeView.js"

export type { View, ViewsConfig } from "./View.js"
export type { Transaction } from "./writeView.js"

/** The views of all agents of a data folder. */
export class Views extends Context.Tag("daybook/Views")<
  Views,
  {
    readonly config: ViewsConfig
    /** The names of all projections. */
    readonly names: ReadonlySet<string>
    /** Opens an agent's view. Builds or rebuilds the view first if needed. The view closes with the scope. */
    readonly open: (agent: string) => Effect.Effect<View, ViewError, Scope.Scope>
    /** Applies the newest events to a view. */
    readonly catchUp: (view: View) => Effect.Effect<void, ViewError>
    /**
     * Reads one snapshot of a view, after the view has caught up with the log. A damaged view is rebuilt first. If this
     * release cannot decode an event, reads answer from the events before it, and one warning is logged.
     */
    readonly read: <A>(view: View, f: (db: Db) => A) => Effect.Effect<A, ViewError>
    /** Reads like `read`, but in steps, and lets the event loop run in between. */
    readonly readInTurns: <A>(view: View, steps: (db: Db) => Steps<A>) => Effect.Effect<A, ViewError>
    /** Reads an empty view in memory, for an agent without events. Creates no file. */
    readonly readEmpty: <A>(f: (db: Db, hasVectors: boolean) => A) => Effect.Effect<A, ViewError>
    /**
     * Runs `use` in the view's write transaction, after the newest event of the log. Commits if `use` succeeds. During
     * `use`, the caller is the agent's only writer, in this process and in all others. If a projection cannot apply an
     * event, it is parked and `use` runs again.
     */
    readonly write: <A, E, R>(
      view: View,
      use: (transaction: Transaction) => Effect.Effect<A, E | ViewFile.Poisoned, R>
    ) => Effect.Effect<A, Exclude<E, ViewFile.Poisoned> | ViewError, R>
    /** Replays the log into a new view file, for all projections or some, and makes it current. */
    readonly rebuild: (
      view: View,
      names: ReadonlyArray<string> | null,
      onProgress?: (progress: Progress) => void
    ) => Effect.Effect<void, ViewError>
    /** Compares all projections of a view, or some, with a temporary view that is built from the log. */
    readonly compare: (
      view: View,
      names: ReadonlyArray<string> | null,
      onProgress?: (progress: Progress) => void
    ) => Effect.Effect<ViewComparison, ViewError>
    /** Waits until no process rebuilds a view of an agent after an erasure, at most 30 s for each kind of view. */
    readonly awaitRebuild: (agent: string) => Effect.Effect<void>
    /** The version of an agent's newest ERASE event; 0 for none. Files from before that event must not be read. */
    readonly newestErasure: (agent: string) => Effect.Effect<number, StorageError>
    /**
     * Removes all files that were built before an erasure: views, views of past versions, branches. Then the log cleans
     * its own files. `waits`: another process still uses the files. The cleaning is then retried until the layer
     * closes, and at the next start.
     */
    readonly clean: Effect.Effect<Cleaning, StorageError>
    /** The files of past views. */
    readonly pastFiles: PastFiles
    /** Builds the view of a past version in `file`. */
    readonly buildPast: (
      agent: string,
      options: { readonly file: string; readonly to: number; readonly stricter: ReadonlyMap<string, number> }
    ) => Effect.Effect<void, ViewError>
  }
>() {}

export const layer = (
  config: Partial<ViewsConfig> & Pick<ViewsConfig, "folder">
): Layer.Layer<Views, never, EventLog> => Layer.scoped(Views, make(config))

export const make = Effect.fnUntraced(function* (options: Partial<ViewsConfig> & Pick<ViewsConfig, "folder">) {
  const log = yield* EventLog
  const codec = yield* CurrentCodec
  const config: ViewsConfig = {
    projections,
    vectorExtension: ViewFile.bundledVectorExtension(),
    ...options
  }
  const context: ViewContext = { config, log, codec, caches: makePageCaches() }
  const pastFiles = yield* makePastFiles(config)
  const clean = Effect.zipRight(Effect.sync(pastFiles.close), yield* makeCleaner(context))
  // A killed process may have left views or pages with erased text.
  yield* Effect.catchAll(clean, ({ message }) =>
    Effect.logWarning(`could not finish removing erased text from the disk: ${message}; the next start tries again`)
  )
  return Views.of({
    config,
    names: new Set(config.projections.map(({ name }) => name)),
    open: (agent) =>
      runInSpan(
        "Views.open",
        Effect.zipLeft(
          Effect.tap(openView(context, agent), (view) => rebuildOutdated(context, view)),
          countOpen
        )
      ),
    catchUp: (view) => catchUpLocked(context, view),
    read: (view, f) => readView(context, view, f),
    readInTurns: (view, steps) =>
      Effect.zipRight(
        refresh(context, view),
        Effect.suspend(() => readSnapshotInTurns(context, view, steps))
      ).pipe(Effect.retry({ while: (error) => isRemoved(view.file, error), times: 20 })),
    readEmpty: yield* makeEmptyView(config),
    write: (view, use) =>
      view.lock.locked(() => {
        context.caches.touch(view)
        return rebuildIfDamaged(context, view, () => writeView(context, view, use))
      }),
    rebuild: (view, names, onProgress) => runInSpan("Views.rebuild", rebuildView(context, view, names, onProgress)),
    compare: (view, names, onProgress) =>
      Effect.zipRight(
        refresh(context, view),
        Effect.suspend(() => compareView(context, view, names, onProgress))
      ),
    awaitRebuild: (agent) => awaitRebuild(config.folder, agent),
    newestErasure: log.newestErasure,
    clean,
    pastFiles,
    buildPast: (agent, { file, stricter, to }) =>
      Effect.zipRight(
        attempt(() => makeFolder(dirname(file))),
        build({ ...config, log, codec, agent, file, to, stricter })
      )
  })
})

/**
 * Reads an empty view in memory. The first read opens the view, because opening takes longer than most reads. Then the
 * view stays open until the scope closes.
 */
const makeEmptyView = (config: ViewsConfig) => {
  let opened: ReturnType<typeof ViewFile.openEmpty> | undefined
  return Effect.as(
    Effect.addFinalizer(() => Effect.sync(() => opened?.db.close())),
    <A>(f: (db: Db, hasVectors: boolean) => A) =>
      attempt(() => {
        opened ??= ViewFile.openEmpty(config.projections, config)
        return f(opened.db, opened.hasVectors)
      })
  )
}

/** Counts an open view until its scope closes. */
const countOpen = Effect.acquireRelease(
  Effect.sync(() => openViews.unsafeModify(1, [])),
  () => Effect.sync(() => openViews.unsafeModify(-1, []))
)

const rebuildView = (
  context: ViewContext,
  view: View,
  names: ReadonlyArray<string> | null,
  onProgress?: (progress: Progress) => void
) =>
  Effect.uninterruptibleMask((restore) =>
    Effect.flatMap(
      restore(Effect.zipRight(refresh(context, view), buildSuccessor(context, view, names, onProgress))),
      (successor) =>
        // Other writers continued during the build, perhaps in another new generation. The log has all their events.
        view.lock.locked(() =>
          Effect.zipRight(catchUpToUnknown(context, view), switchToSuccessor(context, view, successor))
        )
    )
  )

/** Rebuilds the outdated projections of an open view, or all of them if it is damaged. */
const rebuildOutdated = (context: ViewContext, view: View): Effect.Effect<void, ViewError> =>
  Effect.flatMap(outdatedProjections(context, view), (names) => {
    if (names === null) return rebuildFromLog(context, view)
    return names.length === 0
      ? Effect.void
      : Effect.catchIf(replaceView(context, view, names), isDamaged, () => rebuildFromLog(context, view))
  })

const catchUpLocked = (context: ViewContext, view: View) =>
  runInSpan(
    "Views.catchUp",
    view.lock.locked((restore) =>
      restore(
        Effect.zipRight(
          reopenIfReplaced(context, view),
          rebuildIfDamaged(context, view, () => catchUp(context, view))
        )
      )
    )
  )

/**
 * Reopens a view if the pointer names another file. A file can lose the pointer without being retired, for example if
 * another program removed the pointer. Without the check, this process would write to that file instead of the current
 * file.
 */
const reopenIfReplaced = (context: ViewContext, view: View): Effect.Effect<void, ViewError> =>
  Effect.flatMap(attempt(view.generations.current), (current) =>
    current === undefined || current === view.file ? Effect.void : reopen(context, view)
  )

const readView = <A>(context: ViewContext, view: View, f: (db: Db) => A): Effect.Effect<A, ViewError> =>
  Effect.catchIf(Effect.zipRight(refresh(context, view), readSnapshot(context, view, f)), isDamaged, () =>
    Effect.zipRight(
      view.lock.locked((restore) => restore(rebuildFromLog(context, view))),
      readSnapshot(context, view, f)
    )
  )

/** Uses a separate connection, because an open query would block the other reads on the view's connection. */
const readSnapshotInTurns = <A>(context: ViewContext, view: View, steps: (db: Db) => Steps<A>) =>
  Effect.acquireUseRelease(
    openReader(context, view.file),
    ({ db }) =>
      Effect.zipRight(
        attempt(() => db.exec("BEGIN")),
        Effect.suspend(() => runInTurns(steps(db), attempt))
      ),
    ({ db }) => Effect.sync(() => db.close())
  )

/** Applies missing events to a view before a read. */
const refresh = Effect.fnUntraced(function* (context: ViewContext, view: View): Effect.fn.Return<void, ViewError> {
  const checkpoint = yield* Effect.either(attempt(() => ViewFile.checkpointOf(view.reader)))
  if (checkpoint._tag === "Right" && isCurrent(view, checkpoint.right)) {
    if (view.writing || checkpoint.right.position === (view.unknown?.version ?? 0) - 1) {
      if (!(yield* isOlderThanErasure(context, view))) return
    }
    // If the log cannot be read, the rows in the view are still correct.
    const head = yield* Effect.option(context.log.head(view.agent))
    if (head._tag === "None" || isAtHead(checkpoint.right, head.value)) return
  }
  // If the disk is too full to catch up, the rows in the view are still correct, unless some were erased.
  yield* catchUpLocked(context, view).pipe(
    Effect.catchIf(
      (error) => error._tag === "StorageError" && error.kind === "full",
      (error) =>
        Effect.flatMap(isOlderThanErasure(context, view), (misses) => (misses ? Effect.fail(error) : Effect.void))
    ),
    Effect.catchTag("UnknownEvent", (unknown) => {
      view.unknown = unknown
      return Effect.logWarning(
        `${unknown.message}; until then, reads use only the events up to event ${unknown.version - 1}, and writes fail`
      )
    })
  )
})

const readSnapshot = <A>({ caches }: ViewContext, view: View, f: (db: Db) => A) =>
  attempt(() => {
    const { reader } = view
    caches.touch(view)
    sql(reader, "BEGIN").run()
    try {
      return f(reader)
    } finally {
      sql(reader, "COMMIT").run()
    }
  })
