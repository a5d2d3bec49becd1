import { StorageError } from "./errors.js"

// The errors for a write to a damaged log. Each error names the damage and the remedy. No error contains text from an
// event.

const remedy =
  "nothing was written. Run 'daybook verify' to see the damage. Then restore a backup, or accept the damage with 'daybook verify --accept DIGEST'"

/** The anchor is missing, cut, edited or belongs to another log. No stream can be written. */
export const anchorDamagedError = (problem: string): StorageError =>
  new StorageError({
    kind: "damaged",
    where: "anchor.log",
    code: "ANCHOR_DAMAGED",
    detail: `anchor.log: ${problem}; ${remedy}`
  })

/** A stream does not match its chain or the anchor. This stream can be read but not written. */
export const streamDamagedError = (stream: string, version: number | null, problem: string): StorageError =>
  new StorageError({
    kind: "damaged",
    where: "log.db",
    code: "STREAM_DAMAGED",
    detail: `log.db: the events of ${stream} are damaged${version === null ? "" : ` at version ${version}`}: ${problem}; other agents are not affected; ${remedy}`
  })

/** The schema of `log.db` is not the schema that the migrations create. No stream can be written. */
export const schemaDamagedError = (problem: string): StorageError =>
  new StorageError({
    kind: "damaged",
    where: "log.db",
    code: "SCHEMA_DAMAGED",
    detail: `log.db: ${problem}; nothing was written. Restore a backup, or undo the change with SQLite's own tools`
  })

/** `log.db`, its write-ahead log or its shared memory was removed from its path: new events would be lost. */
export const fileRemovedError = (name: string): StorageError =>
  new StorageError({
    kind: "damaged",
    where: name,
    code: "FILE_REMOVED",
    detail: `${name}: the file was removed or replaced while this process had it open; nothing was written. Stop every process that uses the data folder, put the file back, and start the processes again`
  })

/**
 * `log.db`, its write-ahead log or its shared memory has a second name. Writes through both names would destroy the
 * file.
 */
export const fileLinkedError = (name: string): StorageError =>
  new StorageError({
    kind: "damaged",
    where: name,
    code: "FILE_LINKED",
    detail: `${name}: the file has a second name (a hard link); nothing was written. Remove the link: programs that open the file by different names overwrite each other's events`
  })
