import { statSync } from "node:fs"
import { tmpdir } from "node:os"
import { basename, dirname, join, resolve } from "node:path"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import { packBackupFile, unpackBackupFile } from "../../events/copies/backupFile.js"
import { type CopyProgress, copyLog } from "../../events/copies/snapshot.js"
import { type StorageError, storageError } from "../../events/errors.js"
import { statIfExists } from "../../events/folder.js"
import type { Verification } from "../../events/verify.js"
import { BackupRefused, InvalidInput } from "../model/errors.js"
import { checkPath, refuseUnknownOptions } from "../model/filters.js"
import { applyLedger } from "./applyLedger.js"
import { attempt, backupName, hasLog, moveFile, prune, requireUnusedPath, withStaging } from "./copyFiles.js"
import { anchorText, install, type Restored } from "./install.js"
import { requireSoundLog, verifyFolder } from "./verifyCopy.js"

export type { CopyProgress } from "../../events/copies/snapshot.js"
export type { Restored } from "./install.js"

export interface BackupOptions {
  /** The data folder. Other processes may use it. */
  readonly folder: string
  /** The copy of the ledger of erasures, if the policy names one (`[log] ledger`). */
  readonly ledger?: string | undefined
  /**
   * The new file, or a folder. In a folder, the file's name consists of the installation and the time:
   * `daybook-1f0c2a9b-20260301T093000Z.backup`.
   */
  readonly to: string
  /** Whether to replace an existing file. Default: false. */
  readonly replace?: boolean | undefined
  /** If `to` is a folder: how many backups of the installation to keep. Older ones are removed afterwards. */
  readonly keep?: number | undefined
  /** Receives how many pages of the log are copied. */
  readonly onProgress?: CopyProgress | undefined
}

const backupOptions = {
  folder: true,
  to: true,
  ledger: true,
  replace: true,
  keep: true,
  onProgress: true
} satisfies Record<keyof BackupOptions, true>

/** A finished backup. Times are milliseconds since the epoch. */
export interface Backup {
  readonly file: string
  readonly createdAt: number
  readonly bytes: number
  readonly events: number
  readonly agents: number
  /** Hash of the anchor's last line, for `verify --expect`. */
  readonly anchor: string | null
  /** Names of older backups that `keep` removed. */
  readonly removed: ReadonlyArray<string>
}

/** Errors of making, checking and restoring a backup. */
export type BackupError = BackupRefused | InvalidInput | StorageError

/**
 * Copies the log of a data folder into one file: its events, cached vectors, due times and anchor, as they are at one
 * moment. The copy is verified before it gets its name. Views are left out, because a restore rebuilds them.
 */
export const create = (options: BackupOptions): Effect.Effect<Backup, BackupError> =>
  Effect.gen(function* () {
    yield* refuseUnknownOptions(options, Object.keys(backupOptions))
    yield* checkPaths(options, ["folder", "to"])
    const { folder, keep, ledger, onProgress = () => {}, replace = false, to } = options
    yield* requireLog(folder)
    const createdAt = yield* Clock.currentTimeMillis
    const isFolder = yield* attempt(to, () => statIfExists(to)?.isDirectory() === true)
    if (keep !== undefined && !isFolder)
      return yield* new InvalidInput({
        field: "keep",
        problem: `can only be used if the backup goes into a folder: create the folder ${to} first`
      })
    if (keep !== undefined && !(Number.isSafeInteger(keep) && keep > 0))
      return yield* new InvalidInput({ field: "keep", problem: "must be a whole number, 1 or more" })
    if (!isFolder) yield* requireUnusedPath(to, folder, replace)
    const { file, installation, verification } = yield* withStaging(
      isFolder ? to : dirname(resolve(to)),
      Effect.fnUntraced(function* (part) {
        yield* copyLog({ folder, ledger }, part, onProgress)
        const { verification } = yield* requireSoundLog(part, "the log")
        // If a cleaning of the log is still pending, its pages contain erased text.
        yield* applyLedger(part)
        const installation = yield* Effect.try({
          try: () => packBackupFile(part, { createdAt }, anchorText(part)),
          catch: storageError(basename(to))
        })
        const file = isFolder ? join(to, backupName(installation, createdAt)) : to
        if (isFolder) yield* requireUnusedPath(file, folder, replace)
        yield* moveFile(join(part, "log.db"), file, replace)
        return { file, installation, verification }
      })
    )
    const removed = keep === undefined ? [] : yield* prune(file, installation, keep)
    const { anchor, events, streams } = verification
    const { size: bytes } = yield* attempt(file, () => statSync(file))
    return { file, createdAt, bytes, events, agents: streams, anchor, removed }
  }).pipe(Effect.withSpan("Backup.create"))

/** The result of checking a backup. */
export interface CheckedBackup extends Verification {
  /** When the backup was made, milliseconds since the epoch. */
  readonly createdAt: number
}

/** Verifies a backup like a log, without restoring it. It needs room for a copy in the system's temporary folder. */
export const check = (file: string, expect?: string): Effect.Effect<CheckedBackup, BackupError> =>
  Effect.gen(function* () {
    yield* checkPath("file", file)
    yield* requireFile(file)
    return yield* withStaging(
      tmpdir(),
      Effect.fnUntraced(function* (copy) {
        const { createdAt } = yield* unpackBackup(file, copy)
        const { verification } = yield* verifyFolder(copy, expect)
        return { ...verification, createdAt }
      })
    )
  }).pipe(Effect.withSpan("Backup.check"))

export interface RestoreOptions {
  readonly file: string
  /** The data folder. It is created if it is missing. */
  readonly folder: string
  /**
   * A newer ledger of erasures, for example the copy that the policy names. Its erasures are applied to the restored
   * log.
   */
  readonly ledger?: string | undefined
  /** Whether to replace the log of the folder. The old folder is kept beside the new one. Default: false. */
  readonly replace?: boolean | undefined
  /** The `anchor` of a verification or of the backup. The restore fails if the backup does not have this line. */
  readonly expect?: string | undefined
}

const restoreOptions = {
  file: true,
  folder: true,
  ledger: true,
  replace: true,
  expect: true
} satisfies Record<keyof RestoreOptions, true>

/**
 * Makes a data folder from a backup. The log is verified first. Its anchor then starts a new epoch, which records where
 * the log comes from and which log it replaced. No other process should use the folder.
 */
export const restore = (options: RestoreOptions): Effect.Effect<Restored, BackupError> =>
  Effect.gen(function* () {
    yield* refuseUnknownOptions(options, Object.keys(restoreOptions))
    yield* checkPaths(options, ["file", "folder"])
    const { expect, file, folder, ledger, replace = false } = options
    yield* requireFile(file)
    return yield* install(
      { folder, ledger, replace, from: "backup" },
      Effect.fnUntraced(function* (staging) {
        const { createdAt } = yield* unpackBackup(file, staging)
        const copy = yield* requireSoundLog(staging, file, expect)
        return { ...copy, createdAt }
      })
    )
  }).pipe(Effect.withSpan("Backup.restore"))

const unpackBackup = (file: string, folder: string) =>
  Effect.flatMap(unpackBackupFile(file, folder), (content) =>
    content === null
      ? new BackupRefused({ file, problem: "is not a Daybook backup: to restore an export, run 'daybook import-log'" })
      : Effect.succeed(content)
  )

/** Checks the named paths of a copy, and the path of a ledger if there is one. */
export const checkPaths = (options: object, fields: ReadonlyArray<string>): Either.Either<void, InvalidInput> =>
  Either.gen(function* () {
    const values = options as Readonly<Record<string, unknown>>
    for (const field of fields) yield* checkPath(field, values[field])
    if (values.ledger !== undefined) yield* checkPath("ledger", values.ledger)
  })

/** Refuses a data folder without a log. */
export const requireLog = (folder: string): Effect.Effect<void, BackupRefused | StorageError> =>
  Effect.flatMap(
    attempt(folder, () => hasLog(folder)),
    (has): Effect.Effect<void, BackupRefused> =>
      has
        ? Effect.void
        : new BackupRefused({ file: folder, problem: "contains no log: check the path of the data folder" })
  )

const requireFile = (file: string): Effect.Effect<void, BackupRefused | StorageError> =>
  Effect.flatMap(
    attempt(file, () => statIfExists(file)?.isFile() === true),
    (isFile): Effect.Effect<void, BackupRefused> =>
      isFile ? Effect.void : new BackupRefused({ file, problem: "does not exist or is not a file" })
  )
