import { existsSync, readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import * as Effect from "effect/Effect"
import { newestSequence } from "../anchoring.js"
import { isFirstFormat, type LineContent } from "../anchorLines.js"
import { openDatabase } from "../driver.js"
import { ledgerName } from "../erasure/ledger.js"
import { StorageError, storageError } from "../errors.js"
import { busyTimeoutMillis } from "../sqlite.js"
import type { Db } from "../statement.js"

/** How much of a copy is done, in parts of any size. */
export type CopyProgress = (done: number, total: number) => void

/** A log as it is at one moment: a connection inside a read transaction, and the anchor lines up to that moment. */
export interface Snapshot {
  readonly db: Db
  /** The text of the anchor file, without lines that were written later. */
  readonly anchor: string
  /** The text of the ledger of erasures. Later lines are no harm: a restored copy erases what they name. */
  readonly ledger: string
}

/** A data folder, and the copy of its ledger of erasures if it has one. */
export interface LogPlace {
  readonly folder: string
  readonly ledger?: string | undefined
}

/**
 * Uses the log of a folder as it is at one moment. Other processes go on writing. SQLite starts a backup again at each
 * write of another connection, unless the connection that it reads from holds a read transaction.
 */
export const useSnapshot = <A, E>(
  { folder, ledger }: LogPlace,
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

/** How often a read transaction is started again because the anchor file was replaced meanwhile. */
const maxTries = 10

const begin = (db: Db, { folder, ledger }: LogPlace): Snapshot => {
  db.pragma("query_only = ON")
  for (let tries = 0; tries < maxTries; tries++) {
    db.exec("BEGIN")
    const sequence = newestSequence(db)
    const anchor = linesUntil(readFileSync(join(folder, "anchor.log"), "utf8"), sequence)
    if (anchor !== undefined) return { db, anchor, ledger: ledgerText(folder, ledger) }
    db.exec("ROLLBACK")
  }
  throw new StorageError({ kind: "busy", where: "anchor.log", code: "REPLACED" })
}

/**
 * The complete lines of a folder's ledger of erasures; empty without one. Of the ledger and its copy, the longer one
 * counts. `verify` reports two that differ.
 */
export const ledgerText = (folder: string, copy?: string): string => {
  const [own = "", other = ""] = [join(folder, ledgerName), ...(copy === undefined ? [] : [copy])].map((file) => {
    const text = existsSync(file) ? readFileSync(file, "utf8") : ""
    return text.slice(0, text.lastIndexOf("\n") + 1)
  })
  return other.length > own.length && other.startsWith(own) ? other : own
}

/** Puts a ledger into a folder, if it has lines. */
export const writeLedger = (folder: string, text: string): void => {
  if (text !== "") writeFileSync(join(folder, ledgerName), text, { mode: 0o600 })
}

/** The anchor's lines that cover no later event; undefined if its first line already does. */
const linesUntil = (text: string, sequence: number): string | undefined => {
  // `verify` reports an anchor that this cannot read.
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

/** Pages that are copied before the event loop gets a turn: 4 MB, some milliseconds. */
const pagesInTurn = 1_000

/** Copies the log of a folder into an empty one. The copy is a log of its own. */
export const copyLog = (place: LogPlace, target: string, onProgress: CopyProgress): Effect.Effect<void, StorageError> =>
  useSnapshot(place, ({ anchor, db, ledger }) =>
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
