import { chmodSync, writeFileSync } from "node:fs"
import { constants, copyFile } from "node:fs/promises"
import { join } from "node:path"
import * as Effect from "effect/Effect"
import { isSqliteError, openDatabase } from "../driver.js"
import { type StorageError, storageError } from "../errors.js"
import type { Db } from "../statement.js"
import { readLedgerText, writeLedger } from "./snapshot.js"

/**
 * A backup is one file: a copy of `log.db` with an additional table `backup`, which contains the anchor, the ledger of
 * erasures and the time. Because of this table, a backup cannot be used as a log by mistake.
 */
export interface BackupContent {
  /** When the backup was made, milliseconds since the epoch. */
  readonly createdAt: number
}

/** Marks a SQLite file as a backup: "DBKP" in ASCII. */
const applicationId = 0x44424b50

/** Turns the `log.db` of a folder into a backup, in place. Returns the id of the installation. */
export const packBackupFile = (folder: string, { createdAt }: BackupContent, anchor: string): string => {
  const ledger = readLedgerText(folder)
  const db = openDatabase(join(folder, "log.db"))
  try {
    // A backup is a single file, without a write-ahead log.
    db.pragma("journal_mode = DELETE")
    db.pragma("synchronous = FULL")
    db.transaction(() => {
      db.exec("CREATE TABLE backup (created_at INTEGER NOT NULL, anchor TEXT NOT NULL, ledger TEXT NOT NULL)")
      db.prepare("INSERT INTO backup (created_at, anchor, ledger) VALUES (?, ?, ?)").run(createdAt, anchor, ledger)
      db.pragma(`application_id = ${applicationId}`)
    })()
    return installationIn(db)
  } finally {
    db.close()
  }
}

/** The id of the installation to which the log in a file belongs. */
export const readInstallationId = (file: string): string => {
  const db = openDatabase(file)
  try {
    return installationIn(db)
  } finally {
    db.close()
  }
}

const installationIn = (db: Db): string => db.prepare("SELECT id FROM installation").pluck().get() as string

/** Copies a backup into a folder as a log with its anchor. Returns null if the file is not a backup. */
export const unpackBackupFile = Effect.fnUntraced(function* (
  file: string,
  folder: string
): Effect.fn.Return<BackupContent | null, StorageError> {
  const log = join(folder, "log.db")
  yield* Effect.tryPromise({
    try: () => copyFile(file, log, constants.COPYFILE_FICLONE),
    catch: storageError(file)
  })
  return yield* Effect.try({
    try: () => {
      chmodSync(log, 0o600)
      const found = takeOut(log)
      if (found === null) return null
      writeFileSync(join(folder, "anchor.log"), found.anchor, { mode: 0o600 })
      writeLedger(folder, found.ledger ?? "")
      return { createdAt: found.createdAt }
    },
    catch: storageError(file)
  })
})

/**
 * Reads the content of the table `backup` and removes the table. Null if the file is not a backup. Backups of earlier
 * releases have no ledger.
 */
const takeOut = (log: string): (BackupContent & { readonly anchor: string; readonly ledger?: string }) | null => {
  const db = openDatabase(log, { fileMustExist: true })
  try {
    if (db.pragma("application_id", { simple: true }) !== applicationId) return null
    const row = db.prepare("SELECT *, created_at AS createdAt FROM backup").get() as
      | { readonly createdAt: number; readonly anchor: string; readonly ledger?: string }
      | undefined
    if (row === undefined) return null
    db.transaction(() => {
      db.exec("DROP TABLE backup")
      db.pragma("application_id = 0")
    })()
    return row
  } catch (cause) {
    if (isSqliteError(cause) && cause.code === "SQLITE_NOTADB") return null
    throw cause
  } finally {
    db.close()
  }
}
