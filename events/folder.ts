import { accessSync, constants, mkdirSync, type Stats, statSync } from "node:fs"
import { dirname, resolve } from "node:path"
import { codeOf, StorageError, storageError } from "./errors.js"

/**
 * Makes a folder, and those that it lies in, where they are missing; only their
 * owner may look into new ones. Throws a `StorageError` that names the folder, also where nothing can be written to it.
 * Level by level: Node's own recursive way never ends where the system says of
 * a folder that is there that it is not (below /proc).
 */
export const makeFolder = (folder: string): void => {
  const where = `folder ${resolve(folder)}`
  try {
    if (!make(resolve(folder))) throw new StorageError({ kind: "nofolder", where, code: "ENOTDIR" })
    accessSync(folder, constants.W_OK | constants.X_OK)
  } catch (cause) {
    const code = codeOf(cause)
    throw none.has(code) ? new StorageError({ kind: "nofolder", where, code }) : storageError(where)(cause)
  }
}

const none = new Set(["ENOENT", "ENOTDIR", "EEXIST", "ELOOP", "ENAMETOOLONG", "EINVAL"])

/** Whether there is a folder now; not where something else is in its place. */
const make = (folder: string): boolean => {
  const found = at(folder)
  if (found !== undefined) return found.isDirectory()
  const parent = dirname(folder)
  if (parent === folder || !make(parent)) return false
  try {
    mkdirSync(folder, { mode: 0o700 })
    return true
  } catch (cause) {
    // Another process made it meanwhile.
    if (at(folder)?.isDirectory() === true) return true
    throw cause
  }
}

const at = (path: string): Stats | undefined => {
  try {
    return statSync(path, { throwIfNoEntry: false })
  } catch (cause) {
    // A file stands where a folder should: said by whoever looks at that level.
    if ((cause as NodeJS.ErrnoException).code === "ENOTDIR") return undefined
    throw cause
  }
}
