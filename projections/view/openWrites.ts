import { commitTransaction } from "../../events/checkpoint.js"
import { type StorageError, storageError } from "../../events/errors.js"
import { sql } from "../Projection.js"
import { dataVersionOf, type LockedView, rollbackNow, type View } from "./View.js"
import * as ViewFile from "./ViewFile.js"

/** Maximum events and milliseconds of an open transaction. */
const maxOpen = { events: 64, millis: 5 }

/**
 * Keeps the transaction of a write with `events` events open for the next write, or commits it if it is large or old;
 * returns the error if that fails.
 */
export const keepOpen = (view: View, state: LockedView, events: number): StorageError | undefined => {
  const { openWrites, othersWroteAt } = view
  const now = performance.now()
  const since = openWrites?.since ?? now
  const timer = openWrites?.timer ?? setTimeout(commitOpen, maxOpen.millis, view).unref()
  view.openWrites = { state, events: events + (openWrites?.events ?? 0), since, timer }
  const { events: count } = view.openWrites
  const isDue = count >= maxOpen.events || now - since >= maxOpen.millis || now - othersWroteAt < othersMillis
  return isDue ? commitOpen(view) : undefined
}

/**
 * Commits the open writes of a view, if there are any; returns the error if that fails. Call it at any time: a
 * short write in progress has applied nothing yet, and takes the lock again for its events.
 */
export const commitOpen = (view: View): StorageError | undefined => {
  const { openWrites } = view
  if (openWrites === undefined) return undefined
  forgetOpen(view)
  return commitWrites(view, openWrites.state, openWrites.events)
}

/** Forgets the open writes of a view, after a rollback or before the connection closes. The view catches up from the log. */
export const forgetOpen = (view: View): void => {
  clearTimeout(view.openWrites?.timer)
  view.openWrites = undefined
}

/** Commits a transaction of a view. If that fails, rolls it back and returns the error: the view catches up from the log. */
export const commitWrites = (view: View, state: LockedView, events: number): StorageError | undefined => {
  const { hash, position, recordedAt } = state.head
  try {
    ViewFile.moveCheckpoint(state.db, position, hash, recordedAt)
    commitTransaction(state.db, events)
    view.lastWrite = state
    return undefined
  } catch (cause) {
    rollbackNow(state.db)
    return storageError("view")(cause)
  }
}

/** Milliseconds after a write of another process during which this one keeps no transaction open. */
const othersMillis = 1_000

/**
 * The state in which a short write of this view can be decided without SQLite's lock, which it takes when it applies its
 * events. That of the open writes, or of the last write if no other process has written since; undefined for none. If another
 * process appends in between, the log refuses the write.
 */
export const stateForShort = ({ lastWrite, openWrites, othersWroteAt, writer }: View): LockedView | undefined => {
  if (openWrites !== undefined) return openWrites.state
  if (lastWrite === undefined || lastWrite.db !== writer) return undefined
  if (performance.now() - othersWroteAt < othersMillis) return undefined
  return dataVersionOf(lastWrite.db) === lastWrite.dataVersion ? lastWrite : undefined
}

/**
 * Takes the lock for the events of a short write, if it does not have it. False if another process has the lock or changed
 * the view: then the view catches up from the log.
 */
export const lockForShort = (view: View, { dataVersion, db }: LockedView): boolean => {
  if (db.inTransaction) return true
  try {
    sql(db, "BEGIN IMMEDIATE").run()
    if (dataVersionOf(db) === dataVersion) return true
    view.othersWroteAt = performance.now()
  } catch {}
  view.lastWrite = undefined
  rollbackNow(db)
  return false
}
