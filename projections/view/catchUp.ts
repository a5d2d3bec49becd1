import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import { type StoredEvent, sameBytes } from "../../events/Chain.js"
import { isYieldDue } from "../../events/turns.js"
import type { ViewError } from "./buildViewFile.js"
import { decodePage } from "./decodePage.js"
import { caughtUpEvents, viewLag } from "./metrics.js"
import {
  attempt,
  isAtHead,
  isCurrent,
  isOlderThanErasure,
  type LockedView,
  lockForWrite,
  parkProjection,
  rollback,
  type View,
  type ViewContext
} from "./View.js"
import * as ViewFile from "./ViewFile.js"

/**
 * The result of one pass, which decides the next step. `atHead`: no event is missing. `applied`: a page was applied or
 * a projection was parked, so check again. `superseded`: another process made a new view file current. `differentLog`:
 * the view's last event is not in the log. `farBehind`: too many events are missing to apply them here. `erased`:
 * events that the view has applied were erased later.
 */
export type CatchUpResult = "atHead" | "applied" | "superseded" | "differentLog" | "farBehind" | "erased"

/**
 * Applies one page of the events after the view's checkpoint. The caller holds the view's lock. If a process crashes
 * between the commit of the log and the commit of the view, the next process that opens the view catches up.
 */
export const catchUpOnce = Effect.fnUntraced(function* (
  context: ViewContext,
  view: View
): Effect.fn.Return<CatchUpResult, ViewError> {
  const { log } = context
  const checkpoint = yield* attempt(() => ViewFile.checkpointOf(view.reader))
  if (!isCurrent(view, checkpoint)) return "superseded"
  const head = yield* log.head(view.agent)
  if (isAtHead(checkpoint, head)) return "atHead"
  const { hash, position } = checkpoint
  viewLag.unsafeUpdate(head.version - position, [])
  if (yield* isOlderThanErasure(context, view)) return "erased"
  // The page begins with the checkpoint's own event, whose hash proves that this is the same log.
  const rows = yield* log.read(view.agent, { after: Math.max(position - 1, 0), limit: pageEvents })
  const last = rows[0]
  if (position > 0 && !(sameBytes(last?.hash ?? null, hash) && last?.recordedAt === checkpoint.recordedAt)) {
    return "differentLog"
  }
  const missing = beforeErasure(position === 0 ? rows : rows.slice(1), view.erasure)
  // Events were erased in the meantime. The next pass detects the erasure.
  if (missing.length === 0 && rows.at(-1)!.version > position) return "applied"
  if (missing.length === 0) return "atHead"
  if (head.version - position > maxMissingEvents) {
    // If this release cannot decode the next event, a rebuild would end at the same event.
    const next = context.codec.decode(missing[0]!)
    return Either.isLeft(next) ? yield* next.left : "farBehind"
  }
  const poison = yield* applyMissing(context, view, { checkpoint, missing, newest: head.version })
  if (poison !== null) yield* parkProjection(context, view, poison)
  return "applied"
})

/** The events before the first ERASE event that is newer than the view's file. */
const beforeErasure = (events: ReadonlyArray<StoredEvent>, erasure: number): ReadonlyArray<StoredEvent> => {
  const end = events.findIndex(({ type, version }) => type === "ERASE" && version > erasure)
  return end < 0 ? events : events.slice(0, end)
}

interface Missing {
  readonly checkpoint: ViewFile.Checkpoint
  /** The first missing events. */
  readonly missing: ReadonlyArray<StoredEvent>
  /** The newest version of the stream. */
  readonly newest: number
}

/**
 * Applies events in one transaction until the event loop must run. If a projection cannot apply an event, returns it
 * to be parked; null otherwise.
 */
const applyMissing = Effect.fnUntraced(function* (
  context: ViewContext,
  view: View,
  { checkpoint, missing, newest }: Missing
): Effect.fn.Return<ViewFile.ParkedProjection | null, ViewError> {
  const { events, lookup, unknown } = yield* decodePage(context.log, context.codec, missing)
  if (unknown !== undefined && events.length === 0) return yield* unknown
  const apply = ({ db, head, parked }: LockedView) => {
    // Another process applied events to the view while this one waited for the lock.
    if (head.position !== checkpoint.position || head.retired) return null
    let applied = 0
    try {
      do ViewFile.applyEvent(db, context.config.projections, parked, events[applied++]!, lookup)
      while (applied < events.length && !isYieldDue())
    } catch (cause) {
      if (cause instanceof ViewFile.Poisoned) return cause.parked
      throw cause
    }
    const last = missing[applied - 1]!
    ViewFile.moveCheckpoint(db, last.version, last.hash, last.recordedAt)
    db.exec("COMMIT")
    caughtUpEvents.unsafeUpdate(applied, [])
    viewLag.unsafeUpdate(newest - last.version, [])
    return null
  }
  return yield* Effect.acquireUseRelease(
    lockForWrite(context, view),
    (locked) => attempt(() => apply(locked)),
    ({ db }) => rollback(db)
  )
})

/** If more events are missing, a replay into a new file is faster than applying them to the live view. */
const maxMissingEvents = 20_000

/** Events to read per pass: the event of the checkpoint, and 200 new events, which take about 20 ms to apply. */
const pageEvents = 201
