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

/** Checks several paths. Throws one `PathRefused` that names all of those that cannot be read. */
export const checkPaths = (paths: ReadonlyArray<string>): void => {
  const refusals: Array<PathRefused> = []
  for (const path of paths) {
    try {
      checkPath(path)
    } catch (error) {
      if (!(error instanceof PathRefused)) throw error
      refusals.push(error)
    }
  }
  if (refusals.length > 0) throw combineRefusals(refusals)
}

const maxNamedPaths = 10

/** Names all paths that cannot be read, at most ten, so that the caller can correct them in one go. */
export const combineRefusals = ([first, ...others]: ReadonlyArray<PathRefused>): PathRefused => {
  const named = others.slice(0, maxNamedPaths - 1).map(({ message }) => message)
  const more = others.length > named.length ? [`and ${others.length - named.length} more`] : []
  return new PathRefused({ path: first!.path, problem: [first!.problem, ...named, ...more].join("; ") })
}
