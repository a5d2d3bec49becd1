import { closeSync, fstatSync, fsync, fsyncSync, openSync } from "node:fs"
import { promisify } from "node:util"
import * as Effect from "effect/Effect"
import { storageError } from "../../events/errors.js"
import { minChildBytes } from "../../events/sqlProcess.js"
import { attempt } from "./View.js"
import * as ViewFile from "./ViewFile.js"

/** The version of the newest ERASE event in the log when a view file was built. See `ViewFile.erasureOf`. */
export const readFileErasure = (file: string, options: ViewFile.ViewOptions) =>
  Effect.acquireUseRelease(
    attempt(() => ViewFile.openFile(file, "read", options)),
    ({ db }) => attempt(() => ViewFile.erasureOf(db)),
    ({ db }) => Effect.sync(() => db.close())
  )

/** Flushes a file to disk, in a background thread if the file is large. */
export const syncFile = (file: string) =>
  Effect.acquireUseRelease(
    attempt(() => openSync(file, "r+")),
    (descriptor) =>
      // Uses the descriptor, because another process may have removed the file.
      fstatSync(descriptor).size < minChildBytes
        ? attempt(() => fsyncSync(descriptor))
        : Effect.tryPromise({ try: () => promisify(fsync)(descriptor), catch: storageError("view") }),
    (descriptor) => Effect.sync(() => closeSync(descriptor))
  )
