import { accessSync, constants, mkdirSync, type Stats, statSync } from "node:fs"
import { dirname, join, resolve } from "node:path"
import { errorCodeOf, StorageError, storageError } from "./errors.js"

/**
 * Creates a folder and its missing parents; only the owner can read the new folders. Throws a `StorageError` that names
 * the folder if the folder cannot be created or is not writable. It creates one level at a time, because Node's
 * recursive mkdir loops forever below /proc: there, the system reports an existing folder as missing.
 */
export const makeFolder = (folder: string): void => {
  const location = `folder ${resolve(folder)}`
  try {
    if (!create(resolve(folder))) throw new StorageError({ kind: "nofolder", where: location, code: "ENOTDIR" })
    accessSync(folder, constants.W_OK | constants.X_OK)
  } catch (cause) {
    const code = errorCodeOf(cause)
    throw noFolderCodes.has(code)
      ? new StorageError({ kind: "nofolder", where: location, code })
      : storageError(location)(cause)
  }
}

const noFolderCodes = new Set(["ENOENT", "ENOTDIR", "EEXIST", "ELOOP", "ENAMETOOLONG", "EINVAL"])

/** Creates a folder and its parents. Returns false if a part of the path is not a folder. */
const create = (folder: string): boolean => {
  const stats = statIfExists(folder)
  if (stats !== undefined) return stats.isDirectory()
  const parent = dirname(folder)
  if (parent === folder || !create(parent)) return false
  try {
    mkdirSync(folder, { mode: 0o700 })
    return true
  } catch (cause) {
    // Another process may have created the folder in the meantime.
    if (statIfExists(folder)?.isDirectory() === true) return true
    throw cause
  }
}

/**
 * A warning if other users can read a folder or its log; undefined otherwise, and on systems without Unix permissions.
 */
export const sharingWarning = (folder: string): string | undefined => {
  const isShared = [folder, join(folder, "log.db")].some((path) => ((statIfExists(path)?.mode ?? 0) & 0o077) !== 0)
  return isShared && process.platform !== "win32"
    ? `other users may read ${resolve(folder)}: run 'chmod -R go-rwx' on it`
    : undefined
}

/** The stats of a path; undefined if it does not exist. Node 22 throws if a parent of the path is a file. */
export const statIfExists = (path: string): Stats | undefined => {
  try {
    return statSync(path, { throwIfNoEntry: false })
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code === "ENOTDIR") return undefined
    throw cause
  }
}
