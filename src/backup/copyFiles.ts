import {
  closeSync,
  cpSync,
  existsSync,
  fsyncSync,
  linkSync,
  lstatSync,
  mkdtempSync,
  openSync,
  readdirSync,
  readlinkSync,
  realpathSync,
  renameSync,
  rmSync,
  symlinkSync
} from "node:fs"
import { hostname } from "node:os"
import { basename, dirname, join, relative, resolve } from "node:path"
import * as Effect from "effect/Effect"
import { ledgerName } from "../../events/erasure/ledger.js"
import { errorCodeOf, type StorageError, storageError } from "../../events/errors.js"
import { makeFolder, statIfExists } from "../../events/folder.js"
import { BackupRefused } from "../model/errors.js"

/** Prefix of the names of this machine's staging folders. The process id follows. */
const stagingPrefix = `.daybook-part-${hostname().replace(/\W/g, "")}-`
const stagingNames = new RegExp(`^${stagingPrefix.replaceAll(".", "\\.")}(\\d+)-`)

/**
 * Builds a copy in a new folder inside `parent`, so that one rename puts it into its place. The folder is removed at
 * the end, also after a failure or an interruption. Staging folders of killed processes are removed first. If the
 * folder cannot be removed at the end, only a warning is logged, because the copy is already in its place.
 */
export const withStaging = <A, E>(
  parent: string,
  use: (folder: string) => Effect.Effect<A, E>
): Effect.Effect<A, E | StorageError> =>
  Effect.acquireUseRelease(
    attempt(parent, () => {
      makeFolder(resolve(parent))
      removeAbandoned(parent)
      return mkdtempSync(join(parent, `${stagingPrefix}${process.pid}-`))
    }),
    use,
    (folder) =>
      attempt(folder, () => rmSync(folder, { recursive: true, force: true })).pipe(
        Effect.catchAll(({ code }) =>
          Effect.logWarning(
            `${folder} contains an unfinished copy of the log and cannot be removed (${code}): remove it`
          )
        )
      )
  )

const removeAbandoned = (parent: string): void => {
  for (const name of readdirSync(parent)) {
    const pid = Number(stagingNames.exec(name)?.[1])
    if (pid > 0 && !isRunning(pid)) removeIfPossible(join(parent, name))
  }
}

/** Ignores a failure: another user's folder cannot be removed, and does no harm. */
const removeIfPossible = (path: string): void => {
  try {
    rmSync(path, { recursive: true, force: true })
  } catch {}
}

const isRunning = (pid: number): boolean => {
  try {
    process.kill(pid, 0)
    return true
  } catch (cause) {
    return errorCodeOf(cause) !== "ESRCH"
  }
}

/** Moves a finished file to its place and flushes it to disk. Without `replace`, fails if the name is taken. */
export const moveFile = (
  from: string,
  to: string,
  replace: boolean
): Effect.Effect<void, BackupRefused | StorageError> =>
  Effect.try({
    try: () => {
      syncPath(from)
      if (replace || !linkIfFree(from, to)) renameSync(from, to)
      syncPath(dirname(resolve(to)))
    },
    catch: (cause) => (errorCodeOf(cause) === "EEXIST" ? exists(to) : storageError(basename(to))(cause))
  })

/**
 * Moves a file with a link, because a link fails if the name is taken, while a rename replaces the file. Returns false
 * if the file system has no links.
 */
const linkIfFree = (from: string, to: string): boolean => {
  try {
    linkSync(from, to)
    rmSync(from)
    return true
  } catch (cause) {
    if (errorCodeOf(cause) === "EEXIST" || existsSync(to)) throw cause
    return false
  }
}

const exists = (file: string) =>
  new BackupRefused({ file, problem: "already exists: choose another name, or pass --replace to replace the file" })

/**
 * Refuses to overwrite a file, and to write into the data folder that is copied or into a missing folder, whose path is
 * probably mistyped.
 */
export const requireUnusedPath = (
  file: string,
  data: string,
  replace: boolean
): Effect.Effect<void, BackupRefused | StorageError> =>
  Effect.flatMap(
    attempt(file, () => {
      const parent = dirname(resolve(file))
      const hasParent = statIfExists(parent)?.isDirectory() === true
      return { stats: statIfExists(file), isInside: isInside(file, data), parent, hasParent }
    }),
    ({ hasParent, isInside, parent, stats }) => {
      if (isInside) return new BackupRefused({ file, problem: "is inside the data folder: choose another place" })
      if (!hasParent) {
        const problem = `cannot be written: the folder ${parent} does not exist; create it, or correct the path`
        return new BackupRefused({ file, problem })
      }
      if (stats === undefined) return Effect.void
      if (stats.isDirectory()) return new BackupRefused({ file, problem: "is a folder: choose a file name" })
      return replace ? Effect.void : exists(file)
    }
  )

const isInside = (file: string, folder: string): boolean => {
  const parent = dirname(resolve(file))
  const path = existsSync(file) ? realpathSync(file) : existsSync(parent) ? realpathSync(parent) : parent
  return !/^(\.\.([\\/]|$)|[a-z]:)/i.test(relative(realpathSync(folder), path))
}

/** Files of a data folder that belong to its log. */
const ofLog = /^(log\.db|anchor\.log)/

/**
 * Returns true for files and folders that belong to the log or are made from it. A restore keeps all others, such as
 * the policy.
 */
const isFromLog = (name: string): boolean =>
  ofLog.test(name) || name === "views" || name === "cache" || name === ledgerName

/** Returns true if a data folder has a log, or a file that was part of a log. */
export const hasLog = (folder: string): boolean =>
  statIfExists(folder)?.isDirectory() === true && readdirSync(folder).some((name) => ofLog.test(name))

/**
 * Replaces a data folder with a finished one. The files of the old folder that do not belong to its log are copied.
 * Returns the new path of the old folder; undefined if it had no part of a log.
 */
export const installFolder = (
  staging: string,
  folder: string
): Effect.Effect<string | undefined, BackupRefused | StorageError> =>
  Effect.try({
    try: () => {
      const old = existsSync(folder) ? readdirSync(folder) : undefined
      for (const name of old ?? []) if (!isFromLog(name)) copyInto(join(folder, name), join(staging, name))
      for (const name of readdirSync(staging)) {
        if (lstatSync(join(staging, name)).isFile()) syncPath(join(staging, name))
      }
      syncPath(staging)
      const aside = freeName(`${folder}.replaced-${timeName(Date.now())}`)
      if (old !== undefined) renameSync(folder, aside)
      try {
        renameSync(staging, folder)
      } catch (cause) {
        if (old !== undefined) putBack(aside, folder)
        throw cause
      }
      syncPath(dirname(folder))
      if (old === undefined) return undefined
      if (old.some((name) => ofLog.test(name))) return aside
      rmSync(aside, { recursive: true, force: true })
      return undefined
    },
    catch: (cause) => {
      if (cause instanceof BackupRefused) return cause
      const code = errorCodeOf(cause)
      const isFixed = code === "EBUSY" || code === "EXDEV"
      return isFixed
        ? new BackupRefused({ file: folder, problem: `cannot be renamed (${code}): restore into another folder` })
        : storageError(basename(folder))(cause)
    }
  })

/** Copies a file or a folder. A link stays a link, even if its target is missing. */
const copyInto = (from: string, to: string): void => {
  if (lstatSync(from).isSymbolicLink()) symlinkSync(readlinkSync(from), to)
  else cpSync(from, to, { recursive: true, verbatimSymlinks: true })
}

const putBack = (aside: string, folder: string): void => {
  try {
    renameSync(aside, folder)
  } catch {
    throw new BackupRefused({
      file: folder,
      problem: `was created by another process in the meantime: the old folder is now ${aside}`
    })
  }
}

/** Resolves the links in a folder's path, so that the folder itself is replaced and not a link to it. */
export const realFolder = (folder: string): string => (existsSync(folder) ? realpathSync(folder) : resolve(folder))

/** An unused path: the given path, if needed with a number at its end. */
const freeName = (path: string): string => {
  for (let number = 1, name = path; ; name = `${path}-${++number}`) if (!existsSync(name)) return name
}

/** The name of a new backup of an installation. Names of one installation sort by time. */
export const backupName = (installation: string, now: number): string =>
  `${prefixOf(installation)}${timeName(now)}.backup`

const prefixOf = (installation: string): string => `daybook-${installation.slice(0, 8)}-`

/**
 * Removes old backups of an installation from the folder of its new backup `file`, and keeps the newest `keep`. Returns
 * the names of the removed files.
 */
export const prune = (
  file: string,
  installation: string,
  keep: number
): Effect.Effect<ReadonlyArray<string>, StorageError> =>
  attempt(file, () => {
    const folder = dirname(file)
    const prefix = prefixOf(installation)
    const old = readdirSync(folder)
      .filter((name) => name.startsWith(prefix) && /^\d{8}T\d{6}Z\.backup$/.test(name.slice(prefix.length)))
      .filter((name) => name !== basename(file))
      .sort()
      .slice(0, keep === 1 ? undefined : 1 - keep)
    for (const name of old) rmSync(join(folder, name), { force: true })
    return old
  })

const timeName = (time: number): string => new Date(time).toISOString().replace(/[-:]|\.\d+/g, "")

/** Flushes a file or a folder to disk. Windows cannot open folders, and flushes only files that are open to write. */
const syncPath = (path: string): void => {
  const isWindows = process.platform === "win32"
  if (isWindows && lstatSync(path).isDirectory()) return
  const descriptor = openSync(path, isWindows ? "r+" : "r")
  try {
    fsyncSync(descriptor)
  } finally {
    closeSync(descriptor)
  }
}

/** Runs work on files. An error names `path`. */
export const attempt = <A>(path: string, work: () => A): Effect.Effect<A, StorageError> =>
  Effect.try({ try: work, catch: storageError(basename(path)) })
