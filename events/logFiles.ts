import { basename } from "node:path"
import type { FileState } from "./anchorLines.js"
import { fileRemoved } from "./damage.js"
import { statIfAny } from "./folder.js"

/** Watches the files of an open log, because SQLite keeps writing to an unlinked file. */
export interface LogFiles {
  /** Throws `FILE_REMOVED` if an open file was removed or replaced. Returns the state of `log.db`. */
  readonly check: () => FileState
  readonly state: () => FileState
}

/** On Windows an open file cannot be removed, and inodes are not stable. */
const hasInodes = process.platform !== "win32"

/** Call it after both connections have read the database, so that all of its files exist. */
export const watch = (file: string): LogFiles => {
  const state = (): FileState => {
    const stats = statIfAny(file)
    if (stats === undefined) throw fileRemoved(basename(file))
    return [stats.ino, stats.size, stats.ctimeMs]
  }
  const opened = ["", "-wal", "-shm"].map((suffix) => [file + suffix, statIfAny(file + suffix)?.ino] as const)
  return {
    check: () => {
      const current = state()
      if (!hasInodes) return current
      for (const [path, inode] of opened) {
        if ((path === file ? current[0] : statIfAny(path)?.ino) !== inode) throw fileRemoved(basename(path))
      }
      return current
    },
    state
  }
}

export const sameFileState = (a: FileState | undefined, b: FileState): boolean =>
  a?.every((part, index) => part === b[index]) === true
