import { StorageError } from "./errors.js"

// Refusals of a write on top of damage. Each says what is damaged and what to do; none holds text of an event.

const remedy =
  "nothing was written. Run 'daybook verify', then restore a backup, or accept the damage with 'daybook verify --accept DIGEST'"

/** The anchor is missing, cut, edited or belongs to another log: stops all streams. */
export const anchorDamaged = (problem: string): StorageError =>
  new StorageError({
    kind: "damaged",
    where: "anchor.log",
    code: "ANCHOR_DAMAGED",
    detail: `anchor.log: ${problem}; ${remedy}`
  })

/** A stream does not match its own chain or the anchor: stops this stream. It can still be read. */
export const streamDamaged = (stream: string, version: number | null, problem: string): StorageError =>
  new StorageError({
    kind: "damaged",
    where: "log.db",
    code: "STREAM_DAMAGED",
    detail: `log.db: the events of ${stream} are damaged${version === null ? "" : ` at version ${version}`}: ${problem}; other agents are not affected, ${remedy}`
  })

/** The schema of `log.db` is not the one that the migrations make: stops all streams. */
export const schemaDamaged = (problem: string): StorageError =>
  new StorageError({
    kind: "damaged",
    where: "log.db",
    code: "SCHEMA_DAMAGED",
    detail: `log.db: ${problem}; nothing was written. Restore a backup, or undo the change with SQLite's own tools`
  })

/** `log.db`, its write-ahead log or its shared memory is no longer at its path: events written now would be lost. */
export const fileRemoved = (name: string): StorageError =>
  new StorageError({
    kind: "damaged",
    where: name,
    code: "FILE_REMOVED",
    detail: `${name}: it was removed or replaced while this process had it open; nothing was written. Stop every process that uses the data folder, put the file back, and start again`
  })
