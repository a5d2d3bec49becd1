import { randomBytes } from "node:crypto"
import { existsSync, linkSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { makeFolder } from "../../events/folder.js"

/**
 * The files of one agent's view: generations, and a pointer to the one in
 * force. A generation never takes another's name, since a process that holds
 * the old write-ahead log would read old rows from a file that was swapped in.
 */
export interface Generations {
  readonly folder: string
  /** The file in force; undefined where there is none yet. */
  readonly current: () => string | undefined
  /** A path for a new generation. The name says which process makes it. */
  readonly fresh: () => string
  /** Puts a first generation in force; false where another process was faster. */
  readonly claim: (file: string) => boolean
  /** Replaces the one in force, atomically. */
  readonly point: (file: string) => void
  readonly remove: (file: string) => void
  /** Removes what processes that are gone left half made or retired. */
  readonly sweep: () => void
}

export const make = (views: string, agent: string): Generations => {
  const folder = join(views, folderName(agent))
  const pointer = join(folder, "current")
  const current = () => {
    try {
      const file = join(folder, readFileSync(pointer, "utf8"))
      return existsSync(file) ? file : undefined
    } catch {
      return undefined
    }
  }
  const written = (file: string) => {
    const name = `${pointer}.${process.pid}.${randomBytes(4).toString("hex")}`
    writeFileSync(name, file.slice(folder.length + 1), { mode: 0o600 })
    return name
  }
  return {
    folder,
    current,
    fresh: () => {
      makeFolder(folder)
      return join(folder, `${Date.now().toString(36)}-${randomBytes(4).toString("hex")}.${process.pid}.db`)
    },
    claim: (file) => {
      const name = written(file)
      try {
        // A pointer to a file that is gone is in nobody's way.
        if (current() === undefined) rmSync(pointer, { force: true })
        linkSync(name, pointer)
        return true
      } catch {
        return false
      } finally {
        rmSync(name, { force: true })
      }
    },
    point: (file) => renameSync(written(file), pointer),
    remove: removeView,
    sweep: () => {
      const inForce = current()
      for (const name of readdirSync(folder)) {
        const maker = makerOf(name)
        const file = join(folder, name)
        if (maker !== undefined && file !== inForce && !isAlive(maker)) removeView(file)
      }
    }
  }
}

/** A view's file with what SQLite keeps beside it. */
export const removeView = (file: string) => {
  for (const suffix of ["", "-wal", "-shm", "-journal"]) rmSync(file + suffix, { force: true })
}

/** The process that makes (or made) a file, where its name says so. */
export const makerOf = (name: string): number | undefined => {
  const [, pid] = /\.(\d+)\.db$/.exec(name) ?? []
  return pid === undefined ? undefined : Number(pid)
}

/** A folder name for any agent name, also where file names ignore case: other bytes than a–z, 0–9, _ and - are escaped. */
export const folderName = (agent: string): string =>
  [...Buffer.from(agent, "utf8")]
    .map((byte) =>
      /[a-z0-9_-]/.test(String.fromCharCode(byte))
        ? String.fromCharCode(byte)
        : `%${byte.toString(16).padStart(2, "0")}`
    )
    .join("")

/** Whether a process is there, whoever owns it. */
export const isAlive = (pid: number): boolean => {
  try {
    process.kill(pid, 0)
    return true
  } catch (cause) {
    return cause instanceof Error && "code" in cause && cause.code === "EPERM"
  }
}
