import { randomBytes } from "node:crypto"
import { existsSync, linkSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs"
import { rm } from "node:fs/promises"
import { join } from "node:path"
import { makeFolder } from "../../events/folder.js"

/**
 * The files of one agent's view: generations, and a pointer to the current one. Generations never reuse a name: a
 * process with the old write-ahead log still open would read old rows from the new file.
 */
export interface Generations {
  readonly folder: string
  /** The file of the current generation; undefined if there is none yet. */
  readonly current: () => string | undefined
  /** A path for a new generation. The name contains the id of the process that builds it. */
  readonly newFile: () => string
  /** Makes a first generation current; false if another process was faster. */
  readonly claim: (file: string) => boolean
  /** Moves the pointer to another generation, atomically. */
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
    try {
      const file = join(folder, readFileSync(pointer, "utf8"))
      return existsSync(file) ? file : undefined
    } catch {
      return undefined
    }
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
    claim: (file) => {
      const name = writePointer(file)
      try {
        // Removes a pointer whose file no longer exists.
        if (current() === undefined) rmSync(pointer, { force: true })
        linkSync(name, pointer)
        return true
      } catch {
        return false
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
    }
  }
}

/** Removes a view's file and SQLite's files next to it. */
export const removeViewFile = (file: string) => {
  for (const suffix of suffixes) rmSync(file + suffix, { force: true })
}

const suffixes = ["", "-wal", "-shm", "-journal"]

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

/** Whether a process runs, under any user. */
export const isProcessAlive = (pid: number): boolean => {
  try {
    process.kill(pid, 0)
    return true
  } catch (cause) {
    return cause instanceof Error && "code" in cause && cause.code === "EPERM"
  }
}
