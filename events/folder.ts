import { accessSync, constants, mkdirSync, type Stats, statSync } from "node:fs"
import { dirname, join, resolve } from "node:path"
import { errorCodeOf, StorageError, storageError } from "./errors.js"

/**
 * Creates a folder and its missing parents; only their owner may read new ones. Throws a `StorageError` that names the
 * folder, also where the folder is not writable. It creates one level at a time: Node's recursive mkdir loops forever
 * where the system denies that an existing folder exists (below /proc).
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

/** Creates a folder with its parents. False where a path component is not a folder. */
const create = (folder: string): boolean => {
  const stats = statIfAny(folder)
  if (stats !== undefined) return stats.isDirectory()
  const parent = dirname(folder)
  if (parent === folder || !create(parent)) return false
  try {
    mkdirSync(folder, { mode: 0o700 })
    return true
  } catch (cause) {
    // Another process created it meanwhile.
    if (statIfAny(folder)?.isDirectory() === true) return true
    throw cause
  }
}

/** A warning if other users may read a folder or its log; undefined if not, or where there are no such permissions. */
export const sharingWarning = (folder: string): string | undefined => {
  const isShared = [folder, join(folder, "log.db")].some((path) => ((statIfAny(path)?.mode ?? 0) & 0o077) !== 0)
  return isShared && process.platform !== "win32"
    ? `other users may read ${resolve(folder)}: run 'chmod -R go-rwx' on it`
    : undefined
}

/** The facts of a path; undefined where nothing is there. Node 22 throws if a parent of the path is a file. */
export const statIfAny = (path: string): Stats | undefined => {
  try {
    return statSync(path, { throwIfNoEntry: false })
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code === "ENOTDIR") return undefined
    throw cause
  }
}
