import * as Either from "effect/Either"
import * as Exit from "effect/Exit"
import * as Option from "effect/Option"
import { commandKeyOf, type StoredEvent, sameBytes } from "./Chain.js"
import type { Append, AppendError, Appended, Head, ReadAt } from "./EventLog.js"
import { type AlreadyErased, type CommandConflict, ErasedMeanwhile, VersionConflict } from "./errors.js"
import {
  type EventRow,
  emptyHead,
  fromRow,
  insertEvent,
  meetsExpectation,
  selectEvents,
  toParams
} from "./eventRows.js"
import { checkRequests, findEarlierAnswer, headAfter, linkEvents } from "./link.js"
import { type Db, sql } from "./statement.js"
import { isYieldDue, itemsPerCheck, type Steps } from "./turns.js"
import * as VectorCache from "./vectorCache.js"

// Functions that append inside a transaction. The caller holds the write lock.

export type AppendExit = Exit.Exit<ReadonlyArray<Appended>, AppendError>

/** The head of a stream, read from the table. */
export const headOf = (db: Db, stream: string): Head => {
  const row = sql(
    db,
    "SELECT version, hash, recorded_at FROM events WHERE stream = ? ORDER BY version DESC LIMIT 1"
  ).get(stream)
  return row === undefined
    ? emptyHead(stream)
    : { stream, version: row.version, hash: row.hash, recordedAt: row.recorded_at }
}

/** The version of the newest ERASE event of a stream; 0 if there is none. */
export const newestErasure = (db: Db, stream: string): number =>
  sql(db, "SELECT max(version) AS version FROM events WHERE stream = ? AND type = 'ERASE'").get(stream).version ?? 0

/**
 * True if a stream lost content after a reader read its events up to `readAt`: an ERASE event removed some of the
 * events, or the whole stream was deleted.
 */
const wasErasedSince = (
  db: Db,
  { stream, version: newest, hash: newestHash }: Head,
  { hash, version }: ReadAt
): boolean => {
  if (newest === version) return !sameBytes(newestHash, hash)
  if (newestErasure(db, stream) > version || newest < version) return true
  if (version === 0) return false
  const row = sql(db, "SELECT hash FROM events WHERE stream = ? AND version = ?").get(stream, version)
  return !(row?.hash instanceof Uint8Array && sameBytes(row.hash, hash))
}

/** A command with an id. */
export interface KeyedCommand {
  readonly commandId: string
  /** `commandKeyOf` of the id. */
  readonly commandKey: Uint8Array
  readonly request: string
}

/** The stored events of a command id; none for a new id. */
export const findCommand = (
  db: Db,
  stream: string,
  { commandId, commandKey, request }: KeyedCommand
): Either.Either<Option.Option<Appended>, CommandConflict | AlreadyErased> => {
  const select = (condition: string, key: unknown): ReadonlyArray<EventRow> =>
    sql(db, `${selectEvents} WHERE stream = ? AND ${condition} ORDER BY ordinal`).all(stream, key)
  const found = select("command_key = ?", commandKey)
  // Events of chain version 1 have no key.
  const rows = found.length > 0 ? found : select("command_id = ? AND chain = 1", commandId)
  return findEarlierAnswer({ stream, commandId, request }, rows.map(fromRow))
}

/** The result for a command without an id, which is never a repeat. */
const notRepeated: Either.Either<Option.Option<Appended>> = Either.right(Option.none())

/** The result of a transaction. */
export interface StoreResult {
  readonly answers: ReadonlyArray<AppendExit>
  /** The new heads of the streams that events were added to. */
  readonly heads: ReadonlyArray<Head>
  /** The newest sequence number. */
  readonly sequence: number
  /** Number of new events. */
  readonly appended: number
}

/** The newest sequence and stream heads, valid while no other process writes. */
export interface HeadCache {
  version: number
  schema: number
  epoch: number
  sequence: number
  readonly heads: Map<string, Head>
}

/** The events that a transaction added: the new heads of their streams, the newest sequence, and their number. */
export type TransactionChanges = Pick<StoreResult, "heads" | "sequence" | "appended">

/** Stores appends in order. A conflict fails only its own append. Yields within appends of many events. */
export const storeAll = function* (
  db: Db,
  appends: ReadonlyArray<Append>,
  cache: { readonly sequence: number; readonly heads: ReadonlyMap<string, Head> },
  installation: string
): Steps<StoreResult> {
  const heads = new Map<string, Head>()
  const insert = sql(db, insertEvent)
  const storing: Storing = { db, installation, insert, cached: cache.heads, heads, sequence: cache.sequence }
  const answers: Array<AppendExit> = []
  for (const append of appends) {
    answers.push(Either.match(yield* storeOne(storing, append), { onLeft: Exit.fail, onRight: Exit.succeed }))
  }
  const { sequence } = storing
  return { answers, heads: [...heads.values()], sequence, appended: sequence - cache.sequence }
}

/** The state of the transaction in which appends are stored. */
interface Storing {
  readonly db: Db
  readonly installation: string
  readonly insert: ReturnType<typeof sql>
  /** The cached heads of streams before the transaction. Not every stream is cached. */
  readonly cached: ReadonlyMap<string, Head>
  /** The heads of the streams to which the transaction has added events. */
  readonly heads: Map<string, Head>
  /** The newest sequence. */
  sequence: number
}

const storeOne = function* (
  storing: Storing,
  append: Append
): Steps<Either.Either<ReadonlyArray<Appended>, AppendError>> {
  const { cached, db, heads, insert, installation } = storing
  const { commands, due, expected, now, readAt, stream, vectors = [] } = append
  const checked = checkRequests(append)
  if (Either.isLeft(checked)) return Either.left(checked.left)
  const answers = new Map<string, Appended>()
  let hasNewCommand = false
  const keys = commands.map(({ commandId }) =>
    commandId === undefined ? null : commandKeyOf(installation, stream, commandId)
  )
  for (const [index, { commandId, request = "" }] of commands.entries()) {
    const commandKey = keys[index]!
    const isKeyed = commandId !== undefined && commandKey !== null
    const before = isKeyed ? findCommand(db, stream, { commandId, commandKey, request }) : notRepeated
    if (Either.isLeft(before)) return Either.left(before.left)
    if (Option.isSome(before.right)) answers.set(commandId!, before.right.value)
    else hasNewCommand = true
  }
  let head = heads.get(stream) ?? cached.get(stream) ?? headOf(db, stream)
  if ((hasNewCommand || commands.length === 0) && !meetsExpectation(expected, head.version)) {
    return Either.left(new VersionConflict({ stream, expected, actual: head.version }))
  }
  if (hasNewCommand && readAt !== undefined && wasErasedSince(db, head, readAt))
    return Either.left(new ErasedMeanwhile({ stream, readAt: readAt.version }))
  const stored: Array<Appended> = []
  for (const [index, command] of commands.entries()) {
    const earlier = command.commandId === undefined ? undefined : answers.get(command.commandId)
    if (earlier !== undefined) {
      stored.push({ ...earlier, repeated: true })
      continue
    }
    const rows: Array<StoredEvent> = []
    const linking = { now, commandKey: keys[index]!, nextSequence: () => ++storing.sequence }
    for (const row of linkEvents(head, command, linking)) {
      insert.run(toParams(row))
      rows.push(row)
      if (storing.sequence % itemsPerCheck === 0 && isYieldDue()) yield
    }
    head = headAfter(head, rows)
    const answer = { events: rows, repeated: false }
    if (command.commandId !== undefined) answers.set(command.commandId, answer)
    stored.push(answer)
  }
  if (hasNewCommand) heads.set(stream, head)
  if (due !== undefined && (hasNewCommand || commands.length === 0)) setTimer(db, stream, due)
  yield* VectorCache.put(db, vectors)
  return Either.right(stored)
}

/** Stores the time at which a stream is due next; null removes the timer. */
export const setTimer = (db: Db, stream: string, due: number | null): void => {
  if (due === null) sql(db, "DELETE FROM timers WHERE stream = ?").run(stream)
  // Not an upsert, for the same reason as in `vectorCache`.
  else if (sql(db, "UPDATE timers SET due = ? WHERE stream = ?").run(due, stream).changes === 0) {
    sql(db, "INSERT INTO timers (stream, due) VALUES (?, ?)").run(stream, due)
  }
}
