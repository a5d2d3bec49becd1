import * as Effect from "effect/Effect"
import { StorageError } from "../../events/errors.js"
import { yieldIfDue } from "../../events/turns.js"
import { build, type Progress, type ViewError } from "./buildViewFile.js"
import { type CatchUpResult, catchUpOnce } from "./catchUp.js"
import { rebuiltViews } from "./metrics.js"
import { buildLiveFile, openReader, reopen } from "./openView.js"
import { withRebuildLease } from "./rebuildLease.js"
import {
  attempt,
  closeView,
  countRetry,
  isCurrent,
  isRemoved,
  isRetryLimitReached,
  lockForWrite,
  newRetryLimit,
  type RetryLimit,
  rollback,
  type View,
  type ViewContext,
  viewKeepsChangingError
} from "./View.js"
import * as ViewFile from "./ViewFile.js"

/** The projections to rebuild, by name; null for all. */
export type ProjectionNames = ReadonlyArray<string> | null

/**
 * Applies all events of the log to a view, page by page. Rebuilds the view if it is far behind or belongs to another
 * log. The caller holds the view's lock.
 */
export const catchUp = (context: ViewContext, view: View): Effect.Effect<void, ViewError> =>
  Effect.flatMap(advance(context, view, false), (isDone) => {
    if (isDone) return Effect.void
    const lease = { folder: context.config.folder, agent: view.agent, built: "live" } as const
    return Effect.asVoid(withRebuildLease(lease, advance(context, view, true)))
  })

/**
 * Maximum views that one catch-up builds without success. Each time, another process was faster (`overtaken`), and a
 * later erasure outdated the view of that process too.
 */
const maxOvertaken = 20

/** Catches up. Returns false if the view must be built again, which needs the lease. */
const advance = Effect.fnUntraced(function* (
  context: ViewContext,
  view: View,
  hasLease: boolean
): Effect.fn.Return<boolean, ViewError> {
  let [furthest, overtaken] = [-1, 0]
  for (let tries = newRetryLimit(); !isRetryLimitReached(tries); tries = yield* countRetry(tries)) {
    switch (yield* orSuperseded(view, catchUpOnce(context, view))) {
      case "atHead":
        return true
      case "applied":
        yield* yieldIfDue
        break
      case "superseded":
        yield* reopen(context, view)
        break
      case "differentLog":
        yield* rebuildFromLog(context, view)
        break
      case "erased":
        if (!hasLease) return false
        if ((yield* replaceView(context, view, null)) === "switched") return true
        if (++overtaken >= maxOvertaken) return yield* viewKeepsChangingError(view.agent)
        break
      case "farBehind":
        if ((yield* replaceView(context, view, null)) === "switched") return true
        break
    }
    const { position } = yield* attempt(() => ViewFile.checkpointOf(view.reader))
    if (position > furthest) tries = newRetryLimit()
    furthest = Math.max(furthest, position)
  }
  return yield* viewKeepsChangingError(view.agent)
})

/** Applies all events of the log to a view, up to the first event that this release cannot decode. */
export const catchUpToUnknown = (context: ViewContext, view: View): Effect.Effect<void, ViewError> =>
  Effect.catchTag(catchUp(context, view), "UnknownEvent", () => Effect.void)

/**
 * Applies all events of the log to a new file that is not current yet, up to the first event that this release cannot
 * decode. Returns false if the file can no longer become current: the file was removed, or events in it were erased. In
 * that case it does not reopen the view, because that would open the current file, whose lock the caller may hold.
 */
const follows = (context: ViewContext, successor: View): Effect.Effect<boolean, ViewError> =>
  Effect.gen(function* () {
    let furthest = -1
    for (let tries = newRetryLimit(); !isRetryLimitReached(tries); tries = yield* countRetry(tries)) {
      const result = yield* orSuperseded(successor, catchUpOnce(context, successor))
      if (result !== "applied") return result === "atHead"
      yield* yieldIfDue
      const { position } = yield* attempt(() => ViewFile.checkpointOf(successor.reader))
      if (position > furthest) tries = newRetryLimit()
      furthest = Math.max(furthest, position)
    }
    return yield* viewKeepsChangingError(successor.agent)
  }).pipe(Effect.catchTag("UnknownEvent", () => Effect.succeed(true)))

/** Builds a new view file while the live one stays in use, applies the newest events to it, and makes it current. */
export const replaceView = (
  context: ViewContext,
  view: View,
  names: ProjectionNames
): Effect.Effect<ReplaceResult, ViewError> =>
  Effect.uninterruptibleMask((restore) =>
    Effect.flatMap(restore(buildSuccessor(context, view, names)), (successor) =>
      switchToSuccessor(context, view, successor)
    )
  )

/** Builds a new view file from the log alone, for a view that is damaged or belongs to another log. */
export const rebuildFromLog = Effect.fnUntraced(function* (
  context: ViewContext,
  view: View
): Effect.fn.Return<void, ViewError> {
  const { file: discarded, generations } = view
  const file = yield* buildLiveFile(context, view)
  yield* Effect.uninterruptible(
    Effect.zipRight(
      attempt(() => generations.setCurrent(file)),
      reopen(context, view)
    )
  )
  yield* removeRetired(generations, discarded)
})

/** Runs work on a view. If SQLite reports a damaged view, rebuilds the view and runs the work again. */
export const rebuildIfDamaged = <A, E, R>(
  context: ViewContext,
  view: View,
  work: () => Effect.Effect<A, E, R>
): Effect.Effect<A, E | ViewError, R> =>
  Effect.catchIf(work(), isDamaged, () => Effect.flatMap(rebuildFromLog(context, view), work))

export const isDamaged = (error: unknown): boolean =>
  error instanceof StorageError && error.kind === "damaged" && error.where === "view"

/** Builds a new view file with the newest events, while the live one serves reads and writes. */
export const buildSuccessor = (
  context: ViewContext,
  view: View,
  names: ProjectionNames,
  onProgress?: (progress: Progress) => void,
  tries = newRetryLimit()
): Effect.Effect<View, ViewError> =>
  Effect.gen(function* () {
    const { codec, config, log } = context
    const { agent, generations } = view
    const file = yield* attempt(generations.newFile)
    const { version } = yield* log.head(agent)
    const opened = Effect.uninterruptibleMask((restore) =>
      Effect.flatMap(openReader(context, file), ({ db, erasure, hasVectors }) => {
        const successor: View = { ...view, file, reader: db, writer: null, hasVectors, erasure, lastWrite: undefined }
        // Applies most events before the live view is locked. `takeOver` applies the rest under the lock, and also
        // detects a file that cannot become current.
        return Effect.as(follows(context, successor), successor).pipe(
          restore,
          Effect.onError(() => closeView(successor))
        )
      })
    )
    return yield* build({
      ...config,
      log,
      codec,
      agent,
      file,
      to: version,
      stopAtUnknown: true,
      built: "live",
      ...(names === null ? {} : { copyOf: { file: view.file, only: names } }),
      ...(onProgress === undefined ? {} : { onProgress })
    }).pipe(
      Effect.zipRight(opened),
      Effect.onError(() => Effect.sync(() => generations.remove(file)))
    )
  }).pipe(
    // The copy contains events that this release cannot decode, so build from the log instead.
    Effect.catchIf(
      (error) => error._tag === "UnknownEvent" && names !== null,
      () => buildSuccessor(context, view, null, onProgress, tries)
    ),
    retryIfRemoved(context, view, tries, (next) => buildSuccessor(context, view, names, onProgress, next))
  )

/**
 * `switched`: the new file is current and has every event. `overtaken`: the new file is not needed, because another
 * process built the current file from the log alone, after a later erasure. If processes replaced each other's newer
 * views, they would never finish.
 */
export type ReplaceResult = "switched" | "overtaken"

/**
 * Makes a new view file current, unless another process has built a newer current file from the log in the meantime.
 * The caller holds the view's lock.
 */
export const switchToSuccessor = Effect.fnUntraced(function* (
  context: ViewContext,
  view: View,
  successor: View,
  tries = newRetryLimit()
): Effect.fn.Return<ReplaceResult, ViewError> {
  const outcome = yield* Effect.onError(takeOver(context, view, successor, tries), () => closeView(successor))
  if (outcome === "switched") return outcome
  yield* closeView(successor)
  view.generations.remove(successor.file)
  if (outcome === "overtaken") return outcome
  if (isRetryLimitReached(tries)) return yield* viewKeepsChangingError(view.agent)
  const another = yield* buildSuccessor(context, view, null)
  return yield* switchToSuccessor(context, view, another, yield* countRetry(tries))
})

/**
 * Makes the new file current under the lock of the view. `unsound`: the new file can no longer become current, see
 * `follows`.
 */
const takeOver = (
  context: ViewContext,
  view: View,
  successor: View,
  tries: RetryLimit
): Effect.Effect<ReplaceResult | "unsound", ViewError> =>
  Effect.gen(function* () {
    const checkpoint = yield* attempt(() => ViewFile.checkpointOf(view.reader))
    if (!isCurrent(view, checkpoint)) yield* reopen(context, view)
    const { db, head } = yield* lockForWrite(context, view)
    const retiredFile = view.file
    const outcome = yield* Effect.gen(function* () {
      // Another process made its own new file current while this process waited for the lock.
      if (!isCurrent(view, head)) return "again"
      // No process can write to this agent while its view is locked, so the new file reaches the newest event.
      if (!(yield* follows(context, successor))) return view.erasure > successor.erasure ? "overtaken" : "unsound"
      yield* attempt(() => {
        ViewFile.retire(db)
        view.generations.setCurrent(successor.file)
        db.exec("COMMIT")
      })
      return "switched"
    }).pipe(Effect.ensuring(rollback(db)))
    if (outcome === "again") {
      if (isRetryLimitReached(tries)) return yield* viewKeepsChangingError(view.agent)
      return yield* takeOver(context, view, successor, yield* countRetry(tries))
    }
    if (outcome !== "switched") return outcome
    const previous = { reader: view.reader, writer: view.writer }
    const { erasure, file, hasVectors, reader, writer } = successor
    Object.assign(view, { file, reader, writer, hasVectors, erasure })
    rebuiltViews.unsafeUpdate(1, [])
    yield* closeView(previous)
    yield* removeRetired(view.generations, retiredFile)
    return outcome
  }).pipe(retryIfRemoved(context, view, tries, (next) => takeOver(context, view, successor, next)))

/** Removes a file that is no longer current. If that fails, a later sweep removes it, so this function never fails. */
const removeRetired = ({ removeInBackground }: View["generations"], file: string): Effect.Effect<void> =>
  Effect.ignore(Effect.tryPromise(() => removeInBackground(file)))

/**
 * Runs a pass. If it fails because another process removed the file, the result is `superseded`: a newer file is
 * current, or must be built.
 */
const orSuperseded = (view: View, pass: Effect.Effect<CatchUpResult, ViewError>) =>
  Effect.catchIf(
    pass,
    (error) => isRemoved(view.file, error),
    () => Effect.succeed<CatchUpResult>("superseded")
  )

/** Reopens the view and retries, if another process removed the view's file after it made a newer file current. */
const retryIfRemoved =
  <A>(context: ViewContext, view: View, tries: RetryLimit, retry: (next: RetryLimit) => Effect.Effect<A, ViewError>) =>
  (effect: Effect.Effect<A, ViewError>): Effect.Effect<A, ViewError> =>
    Effect.catchIf(
      effect,
      (error) => !isRetryLimitReached(tries) && isRemoved(view.file, error),
      () => Effect.flatMap(Effect.zipRight(reopen(context, view), countRetry(tries)), retry)
    )
