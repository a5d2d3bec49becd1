import { existsSync } from "node:fs"
import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Option from "effect/Option"
import { type StoredEvent, sameBytes } from "../../events/Chain.js"
import type { DaybookEvent } from "../../events/catalogue.js"
import { checkpointIfDue, commitTransaction } from "../../events/checkpoint.js"
import { isSqliteError } from "../../events/driver.js"
import { StorageError, storageError } from "../../events/errors.js"
import type { Db, Lookup } from "../Projection.js"
import type { ViewError } from "./buildViewFile.js"
import { catchUp } from "./rebuild.js"
import {
  countRetry,
  isRemoved,
  isRetryLimitReached,
  type LockedView,
  lockForWrite,
  newRetryLimit,
  parkProjection,
  rollback,
  rollbackNow,
  type View,
  type ViewContext,
  viewError,
  viewKeepsChangingError
} from "./View.js"
import * as ViewFile from "./ViewFile.js"

/** The view of one agent while this process is its only writer. If the write fails, every change is rolled back. */
export interface Transaction {
  readonly db: Db
  /** The newest event that the view has applied. */
  readonly head: ViewFile.Checkpoint
  /** See `View`. */
  readonly erasure: number
  /** See `LockedView`. */
  readonly verified: Set<number | string>
  /** Runs synchronous work on the view, including `apply`. An exception of SQLite becomes a typed error. */
  readonly run: <A>(work: () => A) => Exit.Exit<A, ViewFile.Poisoned | StorageError>
  /** Applies an event to all projections before the log stores it. Call it inside `run` only. */
  readonly apply: (event: DaybookEvent, lookup: Lookup) => void
  /** Sets the last applied event, after the log has stored it. Without this call nothing is committed. */
  readonly moveTo: (event: LastEvent) => void
}

type LastEvent = Pick<StoredEvent, "version" | "recordedAt" | "hash">

type WriteError<E> = Exclude<E, ViewFile.Poisoned> | ViewError

type Use<A, E, R> = (transaction: Transaction) => Effect.Effect<A, E | ViewFile.Poisoned, R>

/**
 * Runs `use` in the view's write transaction. The caller holds the view's lock. SQLite's lock is taken at the call, not
 * when the effect runs.
 */
export const writeView = <A, E, R>(
  context: ViewContext,
  view: View,
  use: Use<A, E, R>,
  tries = newRetryLimit()
): Effect.Effect<A, WriteError<E>, R> => {
  if (isRetryLimitReached(tries)) return Effect.fail(viewKeepsChangingError(view.agent))
  const retry = () => Effect.flatMap(countRetry(tries), (next) => writeView(context, view, use, next))
  const locked = () =>
    Effect.flatMap(lockIfThere(context, view), (state): Effect.Effect<A, WriteError<E>, R> => {
      // Another process made a new generation current, or removed this file, while this process waited for the lock.
      if (state === undefined) return Effect.flatMap(catchUp(context, view), retry)
      if (state.head.retired) return Effect.flatMap(Effect.zipRight(rollback(state.db), catchUp(context, view)), retry)
      const transaction = runTransaction(context, view, state, use, retry)
      return state.isKnown ? transaction : Effect.zipRight(requireOwnEvent(context, view, state), transaction)
    })
  // Another process may also have removed the file before the writer was opened.
  return view.writer === null && !existsSync(view.file) ? Effect.flatMap(catchUp(context, view), locked) : locked()
}

/** Takes the write lock; undefined if another process has just removed the file. */
const lockIfThere = (context: ViewContext, view: View): Effect.Effect<LockedView | undefined, StorageError> =>
  Effect.catchIf(
    lockForWrite(context, view),
    (error) => isRemoved(view.file, error),
    () => Effect.succeed(undefined)
  )

/**
 * Fails unless the log contains the view's last event with the same hash and time. If not, another program edited the
 * view, and new events would get wrong times from it.
 */
const requireOwnEvent = ({ log }: ViewContext, view: View, { db, head }: LockedView) =>
  head.position === 0
    ? Effect.void
    : log.at(view.agent, [head.position]).pipe(
        Effect.filterOrFail(
          ([event]) => event !== undefined && sameBytes(event.hash, head.hash) && event.recordedAt === head.recordedAt,
          () => ViewFile.damagedView("ANOTHER_LOG")
        ),
        Effect.onError(() => rollback(db))
      )

/** Commits on success and rolls back on failure. Parks a projection that cannot apply an event, then retries. */
const runTransaction = <A, E, R>(
  context: ViewContext,
  view: View,
  state: LockedView,
  use: Use<A, E, R>,
  retry: () => Effect.Effect<A, WriteError<E>, R>
): Effect.Effect<A, WriteError<E>, R> => {
  const { db, head, parked } = state
  view.writing = true
  let lastEvent: LastEvent | undefined
  let applied = 0
  const end = () => {
    view.writing = false
    rollbackNow(db)
  }
  const used = Effect.suspend(() =>
    use({
      head,
      db,
      erasure: view.erasure,
      verified: state.verified,
      run: runOnView,
      apply: (event, lookup) => {
        applied++
        ViewFile.applyEvent(db, context.config.projections, parked, event, lookup)
      },
      moveTo: (event) => {
        lastEvent = event
        if (applied === 1) return
        // The flush takes as long as the rest of the commit. So it runs now, and the commit may run in a later turn of
        // the event loop.
        try {
          ViewFile.flushText(db)
        } catch {
          // The commit tries the flush again and reports the failure.
        }
      }
    })
  )
  return Effect.matchCauseEffect(used, {
    onFailure: (cause) => {
      end()
      const error = Option.getOrUndefined(Cause.failureOption(cause))
      return error instanceof ViewFile.Poisoned
        ? Effect.flatMap(parkProjection(context, view, error.parked), retry)
        : Effect.failCause(cause as Cause.Cause<Exclude<E, ViewFile.Poisoned>>)
    },
    onSuccess: (value) => {
      try {
        if (lastEvent === undefined) return Effect.succeed(value)
        commit(view, state, lastEvent, applied)
        return Effect.as(checkpointIfDue(db), value)
      } catch (cause) {
        // The log already has the events. The view is rolled back and catches up later.
        return Effect.as(Effect.logDebug("The view could not be committed", storageError("view")(cause)), value)
      } finally {
        end()
      }
    }
  })
}

const commit = (view: View, state: LockedView, event: LastEvent, applied: number) => {
  const { hash, recordedAt, version } = event
  ViewFile.moveCheckpoint(state.db, version, hash, recordedAt)
  commitTransaction(state.db, applied)
  view.lastWrite = { ...state, isKnown: true, head: { position: version, hash, recordedAt, retired: false } }
}

/** Converts an exception of SQLite into a storage error. Any other exception is a bug in `work`. */
const runOnView = <A>(work: () => A): Exit.Exit<A, ViewFile.Poisoned | StorageError> => {
  try {
    return Exit.succeed(work())
  } catch (cause) {
    if (cause instanceof ViewFile.Poisoned) return Exit.fail(cause)
    const isOfView = cause instanceof SyntaxError || isSqliteError(cause) || cause instanceof StorageError
    return isOfView ? Exit.fail(viewError(cause)) : Exit.die(cause)
  }
}
