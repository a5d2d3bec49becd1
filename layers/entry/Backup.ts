/**
 * Copies of a whole data folder. These functions need no running memory system. Other processes may use the folder at
 * the same time, except while `restore` replaces it.
 */
import * as Effect from "effect/Effect"
import { type BackupOptions, create } from "../../src/backup/Backup.js"
import type { Handler } from "../scheduler/Handler.js"

export type {
  Backup,
  BackupError,
  BackupOptions,
  CheckedBackup,
  CopyProgress,
  Restored,
  RestoreOptions
} from "../../src/backup/Backup.js"
export { check, create, restore } from "../../src/backup/Backup.js"
export {
  type Exported,
  type ExportOptions,
  exportLog,
  type ImportOptions,
  importLog
} from "../../src/backup/exportLog.js"

/** Milliseconds after which a scheduled backup counts as failed. */
const timeoutMillis = 3_600_000

/** A handler for schedules that makes a backup: `Scheduler.layer({ handlers: { backup: Backup.handler({ … }) } })`. */
export const handler = (options: BackupOptions): Handler => ({
  timeout: timeoutMillis,
  run: () =>
    Effect.map(create(options), ({ bytes, events, file }) => ({ output: `wrote ${file}`, counts: { bytes, events } }))
})
