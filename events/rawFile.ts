import { closeSync, openSync, statSync } from "node:fs"
import type { Db } from "./statement.js"

// Raw reads of files that this process may also have open as databases. POSIX drops all locks that a process has on a
// file when it closes any descriptor of that file. SQLite would not notice the lost locks. Another process could then
// close the database as its last user and remove the write-ahead log. So such a descriptor stays open until no
// connection uses the file: https://www.sqlite.org/howtocorrupt.html, section 2.2.

/** A file by device and inode. */
type FileKey = string

const connections = new Map<FileKey, Set<Db>>()
const descriptors = new Map<FileKey, { readonly descriptor: number; users: number }>()

const keyOf = (file: string): FileKey | undefined => {
  const stats = statSync(file, { bigint: true, throwIfNoEntry: false })
  return stats === undefined ? undefined : `${stats.dev}:${stats.ino}`
}

/** Records that a file is open as a database until the connection closes. */
export const registerConnection = (file: string, db: Db): void => {
  const key = keyOf(file)
  if (key === undefined) return
  const others = connections.get(key) ?? new Set()
  connections.set(key, others.add(db))
  const close = db.close.bind(db)
  db.close = () => {
    const closed = close()
    others.delete(db)
    if (others.size === 0 && connections.get(key) === others) connections.delete(key)
    closeUnused(key)
    return closed
  }
}

/** True if this process has a connection to the database in a file. */
export const isOpenHere = (file: string): boolean => {
  const key = keyOf(file)
  return key !== undefined && connections.has(key)
}

export interface RawFile {
  readonly descriptor: number
  readonly close: () => void
}

/** Opens a file for reading. Read with explicit positions, because several readers may share the descriptor. */
export const openRawFile = (file: string): RawFile => {
  const key = keyOf(file)
  const held = key === undefined ? undefined : descriptors.get(key)
  if (held !== undefined) held.users++
  const opened = held ?? { descriptor: openSync(file, "r"), users: 1 }
  if (key === undefined) return { descriptor: opened.descriptor, close: () => closeSync(opened.descriptor) }
  descriptors.set(key, opened)
  return {
    descriptor: opened.descriptor,
    close: () => {
      opened.users--
      closeUnused(key)
    }
  }
}

const closeUnused = (key: FileKey): void => {
  const held = descriptors.get(key)
  if (held === undefined || held.users > 0 || connections.has(key)) return
  descriptors.delete(key)
  closeSync(held.descriptor)
}
