import { join } from "node:path"
import { crc32 } from "node:zlib"
import * as Reactivity from "@effect/experimental/Reactivity"
import type { Connection } from "@effect/sql/SqlConnection"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Queue from "effect/Queue"
import * as Anchor from "./Anchor.js"
import { requestDigestOf, sameBytes } from "./Chain.js"
import {
  type Append,
  type AppendError,
  type Appended,
  type CachedVector,
  EventLog,
  type Head,
  type NewCommand,
  type Problem
} from "./EventLog.js"
import { AlreadyErased, CommandConflict, StorageError, storageError, VersionConflict } from "./errors.js"
import { consistent, headAfter, link } from "./link.js"
import {
  type EventRow,
  emptyHead,
  fromRow,
  insertEvent,
  insertVector,
  meets,
  selectEvents,
  selectVectors,
  toParams,
  vectorPage
} from "./rows.js"
import { open, untilFree } from "./sqlite.js"

/** At most this many waiting appends share one transaction, and so one fsync. */
export const groupCommit = 100

/** The log in `<folder>/log.db`, with its anchor beside it. */
export const layer = (folder: string): Layer.Layer<EventLog, StorageError> =>
  Layer.scoped(EventLog, make(folder)).pipe(Layer.provide(Reactivity.layer))

export const make = (folder: string) =>
  Effect.gen(function* () {
    const file = join(folder, "log.db")
    const failed = storageError("log.db")
    const { writer, reader, installation } = yield* open(file)
    const anchor = Anchor.make(join(folder, "anchor.log"), installation)

    const select = (connection: Connection, sql: string, params: ReadonlyArray<unknown>) =>
      Effect.mapError(connection.execute(sql, params, undefined), failed)
    const events = (connection: Connection, where: string, params: ReadonlyArray<unknown>) =>
      Effect.map(select(connection, `${selectEvents} ${where}`, params), (rows) =>
        (rows as Array<EventRow>).map(fromRow)
      )
    const headOf = (connection: Connection, stream: string) =>
      Effect.map(
        select(
          connection,
          "SELECT version, hash, recorded_at FROM events WHERE stream = ? ORDER BY version DESC LIMIT 1",
          [stream]
        ),
        ([row]): Head =>
          row === undefined
            ? emptyHead(stream)
            : { stream, version: row.version, hash: row.hash, recordedAt: row.recorded_at }
      )

    const [some] = yield* select(reader, "SELECT 1 FROM events LIMIT 1", [])
    // Only a log without events gets an anchor: one that lost its anchor must not get another unnoticed.
    if (some === undefined) yield* Effect.try({ try: anchor.create, catch: storageError("anchor.log") })

    const repeated = (connection: Connection, stream: string, commandId: string, request: string) =>
      Effect.flatMap(
        events(connection, "WHERE stream = ? AND command_id = ? ORDER BY ordinal", [stream, commandId]),
        (stored): Effect.Effect<Option.Option<Appended>, CommandConflict | AlreadyErased> => {
          const first = stored[0]
          if (first === undefined) return Effect.succeedNone
          if (first.salt === null) return Effect.fail(new AlreadyErased({ stream, commandId }))
          return sameBytes(first.requestDigest, requestDigestOf(first.salt, request))
            ? Effect.succeedSome({ events: stored, repeated: true })
            : Effect.fail(new CommandConflict({ stream, commandId }))
        }
      )

    /** Damage is never written on top of: a log that does not reach its anchor takes no more events. */
    const checkAnchor = yield* Effect.cached(
      Effect.gen(function* () {
        const { heads } = yield* Effect.try({ try: anchor.read, catch: storageError("anchor.log") })
        for (const [stream, head] of heads) {
          const [row] = yield* select(writer, "SELECT hash FROM events WHERE stream = ? AND version = ?", [
            stream,
            head.version
          ])
          if (row === undefined || hexOf(row.hash) !== head.hash) {
            return yield* new StorageError({ kind: "damaged", where: "log.db", code: "BEHIND_ITS_ANCHOR" })
          }
        }
      })
    )

    const appendOne = Effect.fnUntraced(function* (append: Append, sequence: { last: number }) {
      const { stream, commands } = append
      yield* consistent(append)
      const answers: Array<Appended | NewCommand> = []
      let fresh = 0
      for (const command of commands) {
        const before =
          command.commandId === undefined
            ? Option.none<Appended>()
            : yield* repeated(writer, stream, command.commandId, command.request ?? "")
        if (Option.isNone(before)) fresh++
        answers.push(Option.getOrElse(before, () => command))
      }
      let head = yield* headOf(writer, stream)
      if (fresh > 0 && !meets(append.expected, head.version)) {
        return yield* new VersionConflict({ stream, expected: append.expected, actual: head.version })
      }
      const stored: Array<Appended> = []
      const written = new Map<string, Appended>()
      for (const answer of answers) {
        if ("repeated" in answer) {
          stored.push(answer)
          continue
        }
        const earlier = answer.commandId === undefined ? undefined : written.get(answer.commandId)
        if (earlier !== undefined) {
          stored.push({ ...earlier, repeated: true })
          continue
        }
        const rows = link(head, answer, append.now, () => ++sequence.last)
        for (const row of rows) yield* select(writer, insertEvent, toParams(row))
        head = headAfter(head, rows)
        const one = { events: rows, repeated: false }
        if (answer.commandId !== undefined) written.set(answer.commandId, one)
        stored.push(one)
      }
      for (const cached of append.vectors ?? []) yield* cache(cached)
      return { stored, head, changed: fresh > 0 }
    })

    const cache = ({ model, dimensions, digest, vector }: CachedVector) => {
      const bytes = Buffer.from(vector.buffer, vector.byteOffset, vector.byteLength)
      return select(writer, insertVector, [model, dimensions, Buffer.from(digest, "hex"), bytes, crc32(bytes)])
    }

    /** All that waits, of all agents, in one transaction: one fsync for the group. */
    const commit = Effect.fnUntraced(function* (waiting: ReadonlyArray<Waiting>) {
      yield* checkAnchor
      yield* untilFree(select(writer, "BEGIN IMMEDIATE", []))
      const heads = new Map<string, Head>()
      const answers = yield* Effect.gen(function* () {
        const [row] = yield* select(writer, "SELECT seq FROM sqlite_sequence WHERE name = 'events'", [])
        const sequence = { last: (row?.seq as number | undefined) ?? 0 }
        const answers: Array<Either.Either<ReadonlyArray<Appended>, AppendError>> = []
        for (const { append } of waiting) {
          const answer = yield* Effect.either(appendOne(append, sequence))
          if (Either.isLeft(answer) && answer.left._tag === "StorageError") return yield* Effect.fail(answer.left)
          if (Either.isRight(answer) && answer.right.changed) heads.set(append.stream, answer.right.head)
          answers.push(Either.map(answer, ({ stored }) => stored))
        }
        yield* select(writer, "COMMIT", [])
        return answers
      }).pipe(Effect.tapErrorCause(() => Effect.ignore(select(writer, "ROLLBACK", []))))
      // The events are durable by now: an anchor that cannot be written only lags behind them.
      if (heads.size > 0) yield* Effect.ignoreLogged(Effect.try(() => anchor.append([...heads.values()])))
      yield* Effect.forEach(answers, (answer, index) => Deferred.complete(waiting[index]!.answer, answer), {
        discard: true
      })
    })

    const queue = yield* Queue.unbounded<Waiting>()
    yield* Effect.uninterruptibleMask((restore) =>
      Effect.flatMap(restore(Queue.takeBetween(queue, 1, groupCommit)), (taken) => {
        const waiting = [...taken]
        return Effect.catchAllCause(commit(waiting), (cause) =>
          Effect.forEach(waiting, ({ answer }) => Deferred.failCause(answer, cause), { discard: true })
        )
      })
    ).pipe(Effect.forever, Effect.interruptible, Effect.forkScoped)

    return EventLog.of({
      append: (append) =>
        Effect.flatMap(Deferred.make<ReadonlyArray<Appended>, AppendError>(), (answer) =>
          Effect.zipRight(Queue.offer(queue, { append, answer }), Deferred.await(answer))
        ),
      read: (stream, { after, to, limit }) =>
        events(reader, "WHERE stream = ? AND version > ? AND version <= ? ORDER BY version LIMIT ?", [
          stream,
          after,
          to ?? Number.MAX_SAFE_INTEGER,
          limit
        ]),
      at: (stream, versions) =>
        events(reader, "WHERE stream = ? AND version IN (SELECT value FROM json_each(?)) ORDER BY version", [
          stream,
          JSON.stringify(versions)
        ]),
      head: (stream) => headOf(reader, stream),
      streams: Effect.map(
        select(
          reader,
          `SELECT e.stream, e.version, e.hash, e.recorded_at FROM events e
           JOIN (SELECT stream, max(version) AS version FROM events GROUP BY stream) USING (stream, version) ORDER BY e.stream`,
          []
        ),
        (rows) =>
          rows.map(
            (row): Head => ({ stream: row.stream, version: row.version, hash: row.hash, recordedAt: row.recorded_at })
          )
      ),
      versionAt: (stream, instant) =>
        Effect.map(
          select(reader, "SELECT max(version) AS version FROM events WHERE stream = ? AND recorded_at <= ?", [
            stream,
            instant
          ]),
          ([row]) => (row?.version as number | null) ?? 0
        ),
      command: (stream, commandId, request) => repeated(reader, stream, commandId, request),
      vectors: Effect.fnUntraced(function* (model, dimensions, digests) {
        const found = new Map<string, Float32Array>()
        for (let from = 0; from < digests.length; from += vectorPage) {
          const page = digests.slice(from, from + vectorPage).map((digest) => Buffer.from(digest, "hex"))
          const padded = [...page, ...Array<null>(vectorPage - page.length).fill(null)]
          const rows = yield* select(reader, selectVectors, [model, dimensions, ...padded])
          for (const { digest, vector, checksum } of rows as Array<{
            digest: Buffer
            vector: Buffer
            checksum: number
          }>) {
            // A damaged vector counts as missing: it is embedded again.
            if (vector.byteLength !== dimensions * 4 || crc32(vector) !== checksum) continue
            found.set(digest.toString("hex"), new Float32Array(new Uint8Array(vector).buffer))
          }
        }
        return found
      }),
      problems: Effect.fnUntraced(function* (stream) {
        const found: Array<Problem> = []
        const integrity = yield* select(reader, "PRAGMA integrity_check(20)", [])
        for (const { integrity_check: what } of integrity) {
          if (what !== "ok") found.push({ stream: null, version: null, what: `log.db: ${what}` })
        }
        const anchored = yield* Effect.try({ try: anchor.read, catch: storageError("anchor.log") })
        found.push(...anchored.problems)
        for (const [name, head] of anchored.heads) {
          if (stream !== null && name !== stream) continue
          const [row] = yield* select(reader, "SELECT hash FROM events WHERE stream = ? AND version = ?", [
            name,
            head.version
          ])
          if (row === undefined) {
            found.push({
              stream: name,
              version: head.version,
              what: "the anchor names this event, the log does not have it"
            })
          } else if (hexOf(row.hash) !== head.hash) {
            found.push({ stream: name, version: head.version, what: "the hash is not the one that was anchored" })
          }
        }
        return found
      })
    })
  })

/** A damaged row may have anything in place of a hash. */
const hexOf = (hash: unknown) => (hash instanceof Uint8Array ? Buffer.from(hash).toString("hex") : null)

interface Waiting {
  readonly append: Append
  readonly answer: Deferred.Deferred<ReadonlyArray<Appended>, AppendError>
}
