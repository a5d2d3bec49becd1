import type { Stats } from "node:fs"
import { statIfExists } from "../../events/folder.js"
import { PathRefused } from "../model/errors.js"

/**
 * Reads the state of a file or folder. Throws `PathRefused` for a missing path, and for devices and pipes, because
 * reading them may never end.
 */
export const checkPath = (path: string): Stats => {
  const stat = statIfExists(path)
  if (stat === undefined) throw new PathRefused({ path, problem: "does not exist" })
  if (!stat.isFile() && !stat.isDirectory()) throw new PathRefused({ path, problem: "is not a regular file" })
  return stat
}
