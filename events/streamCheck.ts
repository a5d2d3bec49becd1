import * as Effect from "effect/Effect"
import type { AnchorState } from "./anchorLines.js"
import type { StoredEvent } from "./Chain.js"
import { codec } from "./Codec.js"
import { chainChecker, type PreviousEvent } from "./chainChecker.js"
import type { Problem } from "./EventLog.js"
import { type StorageError, storageError } from "./errors.js"
import { type EventRow, fromRow, selectEvents } from "./eventRows.js"
import { type Db, sql } from "./statement.js"
import { yieldIfDue } from "./turns.js"

/** The event up to which a stream was verified. */
export interface VerifiedMark {
  readonly version: number
  readonly hash: string
}

/** Maximum events checked without a yield to the event loop. Checking them takes a few milliseconds. */
const pageSize = 250

/**
 * The background check looks at the clock after this many events. 250 events take 20 ms in a process that has just
 * started.
 */
const sliceSize = 50

/**
 * Verifies the events of a stream after its mark. Also checks that the stream contains the head that the anchor names.
 * Without a valid mark, it verifies the whole stream.
 */
export const checkStream: (
  db: Db,
  stream: string,
  mark: VerifiedMark | undefined,
  anchored: Anchored
) => Effect.Effect<ReadonlyArray<Problem>, StorageError> = Effect.fnUntraced(function* (db, stream, mark, anchored) {
  const before = mark === undefined ? undefined : eventAt(db, stream, mark.version)
  const isMarked = mark !== undefined && hasHash(before, mark.hash)
  const checker = chainChecker(stream, codec, isMarked ? before : undefined)
  const misplaced: Array<Problem> = []
  for (let after = isMarked ? mark.version : 0; ; ) {
    const events = yield* attempt(() => readPage(db, stream, after))
    for (const event of events) checker.next(event)
    const last = events.at(-1)
    if (!isMarked && last !== undefined) misplaced.push(...(yield* attempt(() => unindexed(db, stream, after, last))))
    // A damaged index may return earlier events again. Then stop, instead of looping forever.
    if (last === undefined || events.length < pageSize || last.version <= after) break
    after = last.version
    yield* yieldIfDue
  }
  const misnamed = yield* attempt(() => anchorDifferences(db, stream, anchored))
  return [...checker.problems({ erasures: true }), ...misplaced, ...misnamed]
})

type Anchored = Pick<AnchorState, "heads" | "sequence">

/** Checks that a stream contains the head that the anchor names, and no later event that the anchor should cover. */
export const anchorDifferences = (db: Db, stream: string, { heads, sequence }: Anchored): ReadonlyArray<Problem> => {
  const problem = (version: number, what: string) => [{ stream, version, what }]
  const head = heads.get(stream)
  const newest: EventRow | undefined = sql(
    db,
    `${selectEvents} WHERE stream = ? AND sequence <= ? ORDER BY version DESC LIMIT 1`
  ).get(stream, sequence)
  if (newest !== undefined && newest.version > (head?.version ?? 0)) {
    return problem(newest.version, "the anchor does not name this event, but later ones")
  }
  if (head === undefined) return []
  const found = eventAt(db, stream, head.version)
  if (found === undefined) return problem(head.version, "the anchor names this event, but the log does not have it")
  return hasHash(found, head.hash) ? [] : problem(head.version, "the hash differs from the anchor")
}

/** The result of one slice of the background check. The background check verifies events again. */
export interface Slice {
  /** The start of the next slice. */
  readonly next: readonly [stream: string, version: number]
  /** The stream in which damage was found; null if there was none. */
  readonly damaged: string | null
}

/** Verifies events again for about `millis` milliseconds, stream by stream, from the end of the last slice. */
export const checkSlice = (
  db: Db,
  { marks, slice = ["", 0] }: Pick<AnchorState, "marks" | "slice">,
  millis: number
): Slice | null => {
  const deadline = performance.now() + millis
  const names = [...marks.keys()].sort()
  if (names.length === 0) return null
  let [stream, version] = slice
  for (let streams = 0; streams <= names.length; ) {
    const mark = marks.get(stream)
    if (mark === undefined || version >= mark.version) {
      stream = names.find((name) => name > stream) ?? names[0]!
      version = 0
      streams++
      continue
    }
    const last = checkRange(db, stream, version, mark)
    if (last === null) return { next: [stream, mark.version], damaged: stream }
    version = last
    if (performance.now() > deadline) break
  }
  return { next: [stream, version], damaged: null }
}

/**
 * Verifies the next `sliceSize` events after `version` again. Returns the last checked version; null if there is
 * damage.
 */
const checkRange = (db: Db, stream: string, version: number, mark: VerifiedMark): number | null => {
  const before = version === 0 ? undefined : eventAt(db, stream, version)
  if (version > 0 && before === undefined) return null
  const checker = chainChecker(stream, codec, before)
  const events = readPage(db, stream, version, sliceSize).filter((event) => event.version <= mark.version)
  for (const event of events) checker.next(event)
  const last = events.at(-1)
  if (last === undefined || checker.problems({ erasures: false }).length > 0) return null
  return last.version === mark.version && !hasHash(last, mark.hash) ? null : last.version
}

// Uses the index only to find row numbers. Otherwise SQLite would return stream and version from the index, and a
// changed stream or version in the row itself would not be noticed.
const selectRows = (condition: string): string =>
  `${selectEvents} NOT INDEXED WHERE sequence IN (SELECT sequence FROM events WHERE ${condition}) ORDER BY version`

const readPage = (db: Db, stream: string, after: number, limit = pageSize): ReadonlyArray<StoredEvent> =>
  sql(db, selectRows("stream = ? AND version > ? ORDER BY version LIMIT ?"))
    .all(stream, after, limit)
    .map((row: EventRow) => fromRow(row))

/**
 * Events of a page that are missing from the index of command ids. A repeat of such a command would be stored twice.
 */
const unindexed = (db: Db, stream: string, after: number, last: StoredEvent): ReadonlyArray<Problem> =>
  sql(
    db,
    `SELECT version FROM events AS stored WHERE stream = :stream AND version > :after AND version <= :last
      AND chain = 1 AND command_id IS NOT NULL
      AND NOT EXISTS (SELECT 1 FROM events AS found INDEXED BY events_command WHERE found.stream = stored.stream
        AND found.command_id = stored.command_id AND found.chain = 1 AND found.ordinal = stored.ordinal
        AND found.sequence = stored.sequence)
    UNION ALL SELECT version FROM events AS stored WHERE stream = :stream AND version > :after AND version <= :last
      AND command_key IS NOT NULL
      AND NOT EXISTS (SELECT 1 FROM events AS found INDEXED BY events_command_key WHERE found.stream = stored.stream
        AND found.command_key = stored.command_key AND found.ordinal = stored.ordinal
        AND found.sequence = stored.sequence)`
  )
    .all({ stream, after, last: last.version })
    .map(({ version }) => ({ stream, version, what: "the index of command ids does not have this event" }))

const eventAt = (db: Db, stream: string, version: number): (StoredEvent & PreviousEvent) | undefined => {
  const row: EventRow | undefined = sql(db, selectRows("stream = ? AND version = ?")).get(stream, version)
  return row?.stream === stream && row.version === version ? fromRow(row) : undefined
}

/** A damaged row may have a value of any type as its hash. */
const hasHash = (event: StoredEvent | undefined, hash: string): boolean =>
  event?.hash instanceof Uint8Array && Buffer.from(event.hash).toString("hex") === hash

const attempt = <A>(read: () => A) => Effect.try({ try: read, catch: storageError("log.db") })
