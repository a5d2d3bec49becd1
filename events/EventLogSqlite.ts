import { join } from "node:path"
import * as Reactivity from "@effect/experimental/Reactivity"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Exit from "effect/Exit"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Anchor from "./Anchor.js"
import * as Batcher from "./Batcher.js"

import { type Append, type AppendError, type Appended, EventLog, type Head, type Problem } from "./EventLog.js"
import { type AlreadyErased, type CommandConflict, StorageError, storageError, VersionConflict } from "./errors.js"
import {
  type EventRow,
  emptyHead,
  fromRow,
  insertEvent,
  meetsExpectation,
  selectEvents,
  selectReplayed,
  toParams
} from "./eventRows.js"
import { checkRequests, headAfter, linkEvents, repeatOf } from "./link.js"
import { appendBatch, appendedEvents, appendMillis } from "./metrics.js"
import { open, retryWhileBusy } from "./sqlite.js"
import { type Db, sql } from "./statement.js"
import * as VectorCache from "./vectorCache.js"

/** The most waiting appends that share one transaction, and so one fsync. */
export const maxGroupSize = 100

/** Stream heads cached between appends: about 200 bytes each. */
const maxCachedHeads = 10_000

/** The log in `<folder>/log.db`, with its anchor beside it. */
export const layer = (folder: string): Layer.Layer<EventLog, StorageError> =>
  Layer.scoped(EventLog, make(folder)).pipe(Layer.provide(Reactivity.layer))

export const make = (folder: string) =>
  Effect.gen(function* () {
    const { installation, reader, writer } = yield* open(join(folder, "log.db"))
    const anchor = yield* Effect.acquireRelease(
      Effect.sync(() => Anchor.make(join(folder, "anchor.log"), installation)),
      (opened) => Effect.sync(opened.close)
    )
    yield* attempt(() => {
      // Only a log without events gets an anchor: a log that lost its anchor must not silently get a new one.
      if (sql(reader, "SELECT 1 FROM events LIMIT 1").get() === undefined) anchor.create()
    })

    const batcher = Batcher.make({ maxBatch: maxGroupSize, run: groupCommitter(writer, anchor) })
    const events = (condition: string, ...params: ReadonlyArray<unknown>) =>
      attempt(() => (sql(reader, `${selectEvents} ${condition}`).all(...params) as Array<EventRow>).map(fromRow))

    const streams = streamHeads(reader)
    return EventLog.of({
      append: batcher.submit,
      read: (stream, { after, to = Number.MAX_SAFE_INTEGER, limit }) =>
        events("WHERE stream = ? AND version > ? AND version <= ? ORDER BY version LIMIT ?", stream, after, to, limit),
      replay: (stream, { after, to = Number.MAX_SAFE_INTEGER, limit }) =>
        attempt(() => sql(reader, selectReplayed).all(stream, after, to, limit)),
      at: (stream, versions) =>
        events(
          "WHERE stream = ? AND version IN (SELECT value FROM json_each(?)) ORDER BY version",
          stream,
          JSON.stringify(versions)
        ),
      head: (stream) => attempt(() => headOf(reader, stream)),
      streams,
      versionAt: (stream, instant) =>
        attempt(
          () =>
            sql(reader, "SELECT max(version) AS version FROM events WHERE stream = ? AND recorded_at <= ?").get(
              stream,
              instant
            ).version ?? 0
        ),
      command: (stream, commandId, request) =>
        Effect.flatten(attempt(() => findCommand(reader, stream, commandId, request))),
      vectors: (model, dimensions, digests) => attempt(() => VectorCache.get(reader, model, dimensions, digests)),
      timers: ({ limit, offset = 0, until }) =>
        attempt(() =>
          sql(reader, "SELECT stream, due FROM timers WHERE due <= ? ORDER BY due, stream LIMIT ? OFFSET ?").all(
            until,
            limit,
            offset
          )
        ),
      reanchor: Effect.flatMap(streams, (heads) => attempt(() => anchor.replace(heads))),
      problems: (stream) =>
        attempt(() => {
          const integrity = reader.pragma("integrity_check(20)") as Array<{ integrity_check: string }>
          const anchored = anchor.read()
          return [
            ...integrity
              .filter(({ integrity_check }) => integrity_check !== "ok")
              .map(({ integrity_check }) => ({ stream: null, version: null, what: `log.db: ${integrity_check}` })),
            ...anchored.problems,
            ...missingFromLog(reader, anchored, stream)
          ]
        })
    })
  })

type Answer = Exit.Exit<ReadonlyArray<Appended>, AppendError>

const attempt = <A>(f: () => A) => Effect.try({ try: f, catch: storageError("log.db") })

/** Stores groups of appends, each group in one transaction, and anchors the new heads. */
const groupCommitter = (writer: Db, anchor: Anchor.Anchor) => {
  let reachesAnchor = false
  const cache = { version: -1, sequence: 0, heads: new Map<string, Head>() }
  /** Stores all waiting appends, of all agents, in one transaction: one fsync for the group. */
  const store = (appends: ReadonlyArray<Append>) => {
    // Never write on top of damage: a log that does not reach its anchor accepts no more events.
    if (!reachesAnchor && missingFromLog(writer, anchor.read(), null).length > 0) {
      throw new StorageError({ kind: "damaged", where: "log.db", code: "BEHIND_ITS_ANCHOR" })
    }
    reachesAnchor = true
    sql(writer, "BEGIN IMMEDIATE").run()
    try {
      // `data_version` is unchanged while no other connection writes, so the cached heads are current.
      const { data_version: version } = sql(writer, "PRAGMA data_version").get()
      if (version !== cache.version || cache.heads.size > maxCachedHeads) {
        cache.heads.clear()
        Object.assign(cache, { version, sequence: sequenceOf(writer) })
      }
      const stored = storeAll(writer, appends, cache)
      sql(writer, "COMMIT").run()
      cache.sequence = stored.sequence
      // A copy: a slice of a shared buffer would keep the whole buffer alive.
      for (const head of stored.heads) cache.heads.set(head.stream, { ...head, hash: new Uint8Array(head.hash) })
      return stored
    } finally {
      if (writer.inTransaction) sql(writer, "ROLLBACK").run()
    }
  }

  const measured = (appends: ReadonlyArray<Append>) => {
    const start = performance.now()
    const stored = store(appends)
    appendMillis.unsafeUpdate(performance.now() - start, [])
    appendBatch.unsafeUpdate(stored.appended, [])
    appendedEvents.unsafeUpdate(stored.appended, [])
    return stored
  }

  return (appends: ReadonlyArray<Append>) =>
    Effect.matchEffect(
      retryWhileBusy("log.db", () => measured(appends)),
      {
        onFailure: (error) => Effect.succeed<ReadonlyArray<Answer>>(appends.map(() => Exit.fail(error))),
        onSuccess: ({ answers, heads }) => {
          try {
            if (heads.length > 0) anchor.append(heads)
            return Effect.succeed(answers)
          } catch (cause) {
            // The events are already durable. Without this write the anchor only lags behind them.
            return Effect.as(Effect.logDebug("The anchor could not be written", cause), answers)
          }
        }
      }
    )
}

/** The head of every stream. It jumps from stream to stream through the index: the cost grows with streams, not events. */
const streamHeads = (reader: Db) =>
  attempt(() =>
    sql(
      reader,
      `WITH RECURSIVE names (stream) AS (
        SELECT min(stream) FROM events
        UNION ALL
        SELECT (SELECT min(stream) FROM events WHERE stream > names.stream) FROM names WHERE names.stream IS NOT NULL)
      SELECT e.stream, e.version, e.hash, e.recorded_at AS recordedAt FROM names
      JOIN events e ON e.stream = names.stream
        AND e.version = (SELECT max(version) FROM events WHERE stream = names.stream)
      ORDER BY e.stream`
    ).all()
  )

const headOf = (db: Db, stream: string): Head => {
  const row = sql(
    db,
    "SELECT version, hash, recorded_at FROM events WHERE stream = ? ORDER BY version DESC LIMIT 1"
  ).get(stream)
  return row === undefined
    ? emptyHead(stream)
    : { stream, version: row.version, hash: row.hash, recordedAt: row.recorded_at }
}

/** The stored events of a command id; none for a new one. */
const findCommand = (
  db: Db,
  stream: string,
  commandId: string,
  request: string
): Either.Either<Option.Option<Appended>, CommandConflict | AlreadyErased> => {
  const rows: Array<EventRow> = sql(db, `${selectEvents} WHERE stream = ? AND command_id = ? ORDER BY ordinal`).all(
    stream,
    commandId
  )
  return repeatOf({ stream, commandId, request }, rows.map(fromRow))
}

/** The last sequence number that the log assigned. */
const sequenceOf = (db: Db): number => sql(db, "SELECT seq FROM sqlite_sequence WHERE name = 'events'").get()?.seq ?? 0

/** A command without an id repeats nothing. */
const notRepeated: Either.Either<Option.Option<Appended>> = Either.right(Option.none())

/** Stores appends one after the other, each on top of the previous ones. A conflict affects its own append only. */
const storeAll = (
  db: Db,
  appends: ReadonlyArray<Append>,
  cache: { readonly sequence: number; readonly heads: ReadonlyMap<string, Head> }
) => {
  let { sequence } = cache
  const heads = new Map<string, Head>()
  const store = (append: Append): Either.Either<ReadonlyArray<Appended>, AppendError> => {
    const { commands, due, expected, now, stream, vectors = [] } = append
    const checked = checkRequests(append)
    if (Either.isLeft(checked)) return Either.left(checked.left)
    const answers = new Map<string, Appended>()
    let hasNewCommand = false
    for (const { commandId, request = "" } of commands) {
      const before = commandId === undefined ? notRepeated : findCommand(db, stream, commandId, request)
      if (Either.isLeft(before)) return Either.left(before.left)
      if (Option.isSome(before.right)) answers.set(commandId!, before.right.value)
      else hasNewCommand = true
    }
    let head = heads.get(stream) ?? cache.heads.get(stream) ?? headOf(db, stream)
    if ((hasNewCommand || commands.length === 0) && !meetsExpectation(expected, head.version)) {
      return Either.left(new VersionConflict({ stream, expected, actual: head.version }))
    }
    const stored = commands.map((command): Appended => {
      const earlier = command.commandId === undefined ? undefined : answers.get(command.commandId)
      if (earlier !== undefined) return { ...earlier, repeated: true }
      const rows = linkEvents(head, command, now, () => ++sequence)
      for (const row of rows) sql(db, insertEvent).run(toParams(row))
      head = headAfter(head, rows)
      const answer = { events: rows, repeated: false }
      if (command.commandId !== undefined) answers.set(command.commandId, answer)
      return answer
    })
    if (hasNewCommand) heads.set(stream, head)
    if (due !== undefined && (hasNewCommand || commands.length === 0)) setTimer(db, stream, due)
    VectorCache.put(db, vectors)
    return Either.right(stored)
  }
  const answers = appends.map(
    (append): Answer => Either.match(store(append), { onLeft: Exit.fail, onRight: Exit.succeed })
  )
  return { answers, heads: [...heads.values()], sequence, appended: sequence - cache.sequence }
}

/** Stores when a stream is due next. */
const setTimer = (db: Db, stream: string, due: number | null): void => {
  if (due === null) sql(db, "DELETE FROM timers WHERE stream = ?").run(stream)
  // Not an upsert, for the same reason as in `vectorCache`.
  else if (sql(db, "UPDATE timers SET due = ? WHERE stream = ?").run(due, stream).changes === 0) {
    sql(db, "INSERT INTO timers (stream, due) VALUES (?, ?)").run(stream, due)
  }
}

/** Events that the anchor names and the log lacks, or has with another hash. */
const missingFromLog = (db: Db, { heads }: Anchor.AnchorContent, onlyStream: string | null): ReadonlyArray<Problem> =>
  [...heads].flatMap(([stream, { hash, version }]) => {
    if (onlyStream !== null && stream !== onlyStream) return []
    const row = sql(db, "SELECT hash FROM events WHERE stream = ? AND version = ?").get(stream, version)
    if (row === undefined) {
      return [{ stream, version, what: "the anchor names this event, but the log does not have it" }]
    }
    // A damaged row may have any value in place of a hash.
    return row.hash instanceof Uint8Array && Buffer.from(row.hash).toString("hex") === hash
      ? []
      : [{ stream, version, what: "the hash differs from the anchor" }]
  })
