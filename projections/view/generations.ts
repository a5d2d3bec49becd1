import { randomBytes } from "node:crypto"
import { existsSync, linkSync, lstatSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs"
import { rm } from "node:fs/promises"
import { join } from "node:path"
import { errorCodeOf, StorageError } from "../../events/errors.js"
import { makeFolder, statIfExists } from "../../events/folder.js"

/**
 * The files of one agent's view, called generations, and a pointer to the current file. File names are never reused: a
 * process that still has an old write-ahead log open would read old rows from a new file with the same name.
 */
export interface Generations {
  readonly folder: string
  /**
   * The file of the current generation; undefined if there is none yet. Throws a `StorageError` if the pointer cannot
   * be read.
   */
  readonly current: () => string | undefined
  /** A path for a new generation. Its name contains the id of this process, which builds it. */
  readonly newFile: () => string
  /**
   * Makes `file` current if no file is current, or if the current file is `retired`. Returns false if another process
   * was faster.
   */
  readonly claim: (file: string, retired?: string) => boolean
  /** Changes the pointer to another generation, atomically. */
  readonly setCurrent: (file: string) => void
  readonly remove: (file: string) => void
  /** Removes a file in a background thread, because removing a large file takes 100 ms. */
  readonly removeInBackground: (file: string) => Promise<unknown>
  /** Removes unfinished and retired files of processes that have ended. */
  readonly sweep: () => void
}

export const make = (views: string, agent: string): Generations => {
  const folder = join(views, agentFolderName(agent))
  const pointer = join(folder, "current")
  const current = () => {
    const name = readPointer(pointer)
    // Accepts only a name from `newFile`: a file with another name is not a view.
    if (name === undefined || builderPid(name) === undefined || name.includes("/") || name.includes("\\"))
      return undefined
    const file = join(folder, name)
    return statIfExists(file)?.isFile() === true ? file : undefined
  }
  const writePointer = (file: string) => {
    const name = `${pointer}.${process.pid}.${randomBytes(4).toString("hex")}`
    writeFileSync(name, file.slice(folder.length + 1), { mode: 0o600 })
    return name
  }
  return {
    folder,
    current,
    newFile: () => {
      makeFolder(folder)
      return join(folder, `${Date.now().toString(36)}-${randomBytes(4).toString("hex")}.${process.pid}.db`)
    },
    claim: (file, retired) => {
      const name = writePointer(file)
      try {
        // Removes a pointer whose file no longer exists. If there was no pointer, another process may create a pointer
        // now, and that pointer must stay.
        const exists = existsSync(pointer)
        const named = current()
        if (exists && (named === undefined || named === retired)) rmSync(pointer, { force: true })
        linkSync(name, pointer)
        return true
      } catch (cause) {
        if (errorCodeOf(cause) === "EEXIST") return false
        throw cause
      } finally {
        rmSync(name, { force: true })
      }
    },
    setCurrent: (file) => renameSync(writePointer(file), pointer),
    remove: removeViewFile,
    removeInBackground: (file) => Promise.all(suffixes.map((suffix) => rm(file + suffix, { force: true }))),
    sweep: () => {
      const currentFile = current()
      for (const name of readdirSync(folder)) {
        const pid = builderPid(name)
        const file = join(folder, name)
        if (pid !== undefined && file !== currentFile && !isProcessAlive(pid)) removeViewFile(file)
      }
      removeOrphans(folder)
    }
  }
}

/** The maximum size of a pointer. No generation has a longer name. */
const maxPointerBytes = 256

/** The text of a pointer; undefined if the file does not exist, or is too large for a pointer. */
const readPointer = (pointer: string): string | undefined => {
  try {
    const stats = lstatSync(pointer, { throwIfNoEntry: false })
    // Opening a named pipe would block forever, and a link may point to itself.
    if (stats?.isFile() === false) throw unreadable(pointer, "NOT_A_FILE")
    return stats === undefined || stats.size > maxPointerBytes ? undefined : readFileSync(pointer, "utf8")
  } catch (cause) {
    if (cause instanceof StorageError) throw cause
    const code = errorCodeOf(cause)
    if (code === "ENOENT" || code === "ENOTDIR") return undefined
    throw unreadable(pointer, code)
  }
}

const unreadable = (pointer: string, code: string) =>
  new StorageError({
    kind: "failed",
    where: "view",
    code,
    detail: `cannot read ${pointer}, which must be a file: remove it, and the view is built again from the log`
  })

/** Removes a view's file and SQLite's files next to it. */
export const removeViewFile = (file: string) => {
  for (const suffix of suffixes) rmSync(file + suffix, { force: true })
}

const suffixes = ["", "-wal", "-shm", "-journal"]

/**
 * Removes SQLite's files (`-wal`, `-shm`, `-journal`) of views that no longer exist. A process leaves these files if it
 * is killed while it removes a view. They may contain rows.
 */
export const removeOrphans = (folder: string) => {
  for (const name of readdirSync(folder)) {
    const [, view] = /^(.+\.db)-(wal|shm|journal)$/.exec(name) ?? []
    if (view !== undefined && !existsSync(join(folder, view))) rmSync(join(folder, name), { force: true })
  }
}

/** The id of the process that built a file; undefined if the name contains none. */
export const builderPid = (name: string): number | undefined => {
  const [, pid] = /\.(\d+)\.db$/.exec(name) ?? []
  return pid === undefined ? undefined : Number(pid)
}

/** The folder name of an agent. Bytes other than a–z, 0–9, _ and - are escaped, for systems that ignore case. */
export const agentFolderName = (agent: string): string =>
  [...Buffer.from(agent, "utf8")]
    .map((byte) =>
      /[a-z0-9_-]/.test(String.fromCharCode(byte))
        ? String.fromCharCode(byte)
        : `%${byte.toString(16).padStart(2, "0")}`
    )
    .join("")

/** True if the process is running, under any user. */
export const isProcessAlive = (pid: number): boolean => {
  try {
    process.kill(pid, 0)
    return true
  } catch (cause) {
    return cause instanceof Error && "code" in cause && cause.code === "EPERM"
  }
}
