import { closeSync, fsyncSync, openSync, writeSync } from "node:fs"
import { StorageError } from "./errors.js"

/**
 * Writes all bytes at a position, even if the system accepts only some of them at a time. `location` names the file in
 * the error.
 */
export const writeAll = (descriptor: number, bytes: Uint8Array, position: number, location: string): void => {
  for (let written = 0; written < bytes.length; ) {
    const count = writeSync(descriptor, bytes, written, bytes.length - written, position + written)
    if (count === 0) throw new StorageError({ kind: "full", where: location, code: "SHORT_WRITE" })
    written += count
  }
}

/** Flushes the entries of a folder, so that new and renamed files survive a power cut. Windows does not allow this. */
export const syncFolder = (folder: string): void => {
  if (process.platform === "win32") return
  const descriptor = openSync(folder, "r")
  try {
    fsyncSync(descriptor)
  } finally {
    closeSync(descriptor)
  }
}
