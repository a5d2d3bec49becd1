import { existsSync, readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import * as Effect from "effect/Effect"
import { isFirstFormat, type LineContent } from "../anchorLines.js"
import { openDatabase } from "../driver.js"
import { ledgerName } from "../erasure/ledger.js"
import { StorageError, storageError } from "../errors.js"
import { newestSequence } from "../heads.js"
import { busyTimeoutMillis } from "../sqlite.js"
import type { Db } from "../statement.js"

/** Called with the progress of a copy. `done` and `total` have the same unit, which depends on the copy. */
export type CopyProgress = (done: number, total: number) => void

/** The state of a log at one moment: a connection inside a read transaction, and the anchor lines up to that moment. */
export interface Snapshot {
  readonly db: Db
  /** The text of the anchor file, without lines that were written later. */
  readonly anchor: string
  /**
   * The text of the ledger of erasures. It may include later lines, which do no harm: a restored copy erases the events
   * that they name.
   */
  readonly ledger: string
}

/** A data folder, and the path of the copy of its ledger of erasures, if there is a copy. */
export interface LogLocation {
  readonly folder: string
  readonly ledger?: string | undefined
}

/**
 * Passes the state of a folder's log at one moment to `use`. Other processes can write in the meantime. Without a read
 * transaction, SQLite would restart a backup at each write of another connection.
 */
export const withSnapshot = <A, E>(
  { folder, ledger }: LogLocation,
  use: (snapshot: Snapshot) => Effect.Effect<A, E>
): Effect.Effect<A, E | StorageError> =>
  Effect.acquireUseRelease(
    Effect.try({
      try: () => openDatabase(join(folder, "log.db"), { fileMustExist: true, timeout: busyTimeoutMillis }),
      catch: storageError("log.db")
    }),
    (db) =>
      Effect.flatMap(Effect.try({ try: () => begin(db, { folder, ledger }), catch: storageError("log.db") }), use),
    (db) => Effect.sync(() => db.close())
  )

/**
 * Maximum number of read transactions to start. A new transaction is needed if another process replaces the anchor file
 * in the meantime.
 */
const maxTries = 10

const begin = (db: Db, { folder, ledger }: LogLocation): Snapshot => {
  db.pragma("query_only = ON")
  for (let tries = 0; tries < maxTries; tries++) {
    db.exec("BEGIN")
    const sequence = newestSequence(db)
    const anchor = linesUntil(readFileSync(join(folder, "anchor.log"), "utf8"), sequence)
    if (anchor !== undefined) return { db, anchor, ledger: readLedgerText(folder, ledger) }
    db.exec("ROLLBACK")
  }
  throw new StorageError({ kind: "busy", where: "anchor.log", code: "REPLACED" })
}

/**
 * The complete lines of a folder's ledger of erasures; empty if there is no ledger. If the copy of the ledger has the
 * same lines and more, the result is the copy. `verify` reports a ledger and a copy that differ.
 */
export const readLedgerText = (folder: string, copy?: string): string => {
  const [own = "", other = ""] = [join(folder, ledgerName), ...(copy === undefined ? [] : [copy])].map((file) => {
    const text = existsSync(file) ? readFileSync(file, "utf8") : ""
    return text.slice(0, text.lastIndexOf("\n") + 1)
  })
  return other.length > own.length && other.startsWith(own) ? other : own
}

/** Writes a ledger to a folder, if the ledger has lines. */
export const writeLedger = (folder: string, text: string): void => {
  if (text !== "") writeFileSync(join(folder, ledgerName), text, { mode: 0o600 })
}

/**
 * The lines of the anchor that cover no event after `sequence`; undefined if its first line already covers a later
 * event.
 */
const linesUntil = (text: string, sequence: number): string | undefined => {
  // Returned unchanged: `verify` reports an anchor that cannot be read here.
  if (text === "" || isFirstFormat(text)) return text
  const lines = text.split("\n")
  const end = lines.findIndex((line) => (sequenceOf(line) ?? 0) > sequence)
  if (end === 0) return undefined
  return `${(end < 0 ? lines.slice(0, -1) : lines.slice(0, end)).join("\n")}\n`
}

const sequenceOf = (line: string): number | undefined => {
  try {
    return (JSON.parse(line.slice(65)) as LineContent).sequence
  } catch {
    return undefined
  }
}

/** Pages that are copied before the event loop gets a turn: 4 MB, which takes some milliseconds. */
const pagesInTurn = 1_000

/** Copies the log of a folder into an empty folder. The copy is an independent log. */
export const copyLog = (
  place: LogLocation,
  target: string,
  onProgress: CopyProgress
): Effect.Effect<void, StorageError> =>
  withSnapshot(place, ({ anchor, db, ledger }) =>
    Effect.tryPromise({
      try: async (signal) => {
        const file = join(target, "log.db")
        writeFileSync(file, "", { mode: 0o600 })
        await db.backup(file, {
          progress: ({ remainingPages, totalPages }) => {
            if (signal.aborted) throw new StorageError({ kind: "failed", where: "log.db", code: "INTERRUPTED" })
            onProgress(totalPages - remainingPages, totalPages)
            return pagesInTurn
          }
        })
        writeFileSync(join(target, "anchor.log"), anchor, { mode: 0o600 })
        writeLedger(target, ledger)
      },
      catch: storageError("log.db")
    })
  )
