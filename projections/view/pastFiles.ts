import { statSync } from "node:fs"
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import { closeOnError } from "../../events/driver.js"
import type { Db } from "../Projection.js"
import * as ViewFile from "./ViewFile.js"

/** Reads the files of past views. */
export interface PastFiles {
  /**
   * Reads a file. The file must have been built after the ERASE event `erasure`; a file from before that event counts
   * as damaged.
   */
  readonly read: <A>(file: string, erasure: number, f: (db: Db) => A) => A
  /** Closes all files. A removed file with erased text would stay on the disk as long as it is open. */
  readonly close: () => void
}

/** Maximum files that stay open, and milliseconds that a file stays open after its last read. */
const kept = { files: 4, millis: 1_000 }

/**
 * Keeps the files that were read last open for a second. Opening a file takes longer than most reads, because SQLite
 * reads the whole schema.
 */
export const makePastFiles = (options: ViewFile.ViewOptions): Effect.Effect<PastFiles, never, Scope.Scope> =>
  Effect.acquireRelease(
    Effect.sync(() => openFiles(options)),
    ({ close }) => Effect.sync(close)
  )

interface OpenFile {
  readonly db: Db
  /** The inode number of the file. It changes if the file is removed, for example by an erasure, and built again. */
  readonly ino: number
  readonly erasure: number
  readAt: number
}

const openFiles = (options: ViewFile.ViewOptions): PastFiles => {
  /** By path, least recently read first. */
  const open = new Map<string, OpenFile>()
  let timer: NodeJS.Timeout | undefined
  const closeOne = (file: string) => {
    open.get(file)?.db.close()
    open.delete(file)
  }
  const closeUnread = () => {
    timer = undefined
    const now = performance.now()
    for (const [file, { readAt }] of open) if (now - readAt >= kept.millis) closeOne(file)
    if (open.size > 0) wait()
  }
  const wait = () => {
    timer ??= setTimeout(closeUnread, kept.millis).unref()
  }
  const opened = (file: string): OpenFile => {
    const { ino } = statSync(file)
    const known = open.get(file)
    open.delete(file)
    if (known?.ino === ino) return known
    known?.db.close()
    const { db } = ViewFile.openFile(file, "read", options)
    return closeOnError(db, () => ({ db, ino, erasure: ViewFile.erasureOf(db), readAt: 0 }))
  }
  return {
    read: (file, erasure, f) => {
      const view = opened(file)
      view.readAt = performance.now()
      open.set(file, view)
      for (const other of open.keys()) if (open.size > kept.files) closeOne(other)
      wait()
      try {
        if (view.erasure < erasure) throw ViewFile.damagedView("ERASED")
        return f(view.db)
      } catch (cause) {
        closeOne(file)
        throw cause
      }
    },
    close: () => {
      clearTimeout(timer)
      timer = undefined
      for (const file of [...open.keys()]) closeOne(file)
    }
  }
}
