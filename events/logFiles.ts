import type { Stats } from "node:fs"
import { basename } from "node:path"
import type { FileState } from "./anchorLines.js"
import { fileLinkedError, fileRemovedError } from "./damage.js"
import { statIfExists } from "./folder.js"

/** Watches the files of an open log, because SQLite continues to write to a file that was removed. */
export interface LogFiles {
  /**
   * Throws `FILE_REMOVED` if an open file was removed or replaced, and `FILE_LINKED` if an open file has a second name
   * (a hard link). Returns the state of `log.db`.
   */
  readonly check: () => FileState
  readonly state: () => FileState
}

/** On Windows an open file cannot be removed, and inodes are not stable. */
const hasInodes = process.platform !== "win32"

const suffixes = ["", "-wal", "-shm"]

/** The names of those files of a log that have a second name (a hard link). */
export const linkedFiles = (file: string): ReadonlyArray<string> =>
  suffixes
    .map((suffix) => file + suffix)
    .filter((path) => (statIfExists(path)?.nlink ?? 1) > 1)
    .map((path) => basename(path))

/**
 * Records the inodes of the log's files. Call it after both connections have read the database, so that all files
 * exist.
 */
export const watchLogFiles = (file: string): LogFiles => {
  const stateOf = (stats: Stats | undefined): FileState => {
    if (stats === undefined) throw fileRemovedError(basename(file))
    return [stats.ino, stats.size, stats.ctimeMs]
  }
  const opened = suffixes.map((suffix) => [file + suffix, statIfExists(file + suffix)?.ino] as const)
  return {
    check: () => {
      const found = opened.map(([path, inode]) => ({ path, inode, stats: statIfExists(path) }))
      for (const { inode, path, stats } of hasInodes ? found : []) {
        if (stats?.ino !== inode) throw fileRemovedError(basename(path))
        if (stats !== undefined && stats.nlink > 1) throw fileLinkedError(basename(path))
      }
      return stateOf(found[0]!.stats)
    },
    state: () => stateOf(statIfExists(file))
  }
}

export const sameFileState = (a: FileState | undefined, b: FileState): boolean =>
  a?.every((part, index) => part === b[index]) === true
