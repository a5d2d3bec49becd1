import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import { type StorageError, storageError } from "../../events/errors.js"

/** A new folder in the system's temporary folder; removed with the scope. */
export const temporaryFolder: Effect.Effect<string, StorageError, Scope.Scope> = Effect.acquireRelease(
  Effect.try({ try: () => mkdtempSync(join(tmpdir(), "daybook-")), catch: storageError("temporary folder") }),
  (folder) => Effect.sync(() => rmSync(folder, { recursive: true, force: true }))
)
