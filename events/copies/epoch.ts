import { join } from "node:path"
import * as Reactivity from "@effect/experimental/Reactivity"
import * as Effect from "effect/Effect"
import { make as makeAnchoring } from "../anchoring.js"
import type { RestoreEntry } from "../anchorLines.js"
import { type StorageError, storageError } from "../errors.js"
import { watchLogFiles } from "../logFiles.js"
import { openLogDatabase } from "../sqlite.js"

/**
 * Starts a new epoch of a restored log: a new anchor file that records where the log comes from. Keeps the old file as
 * a copy.
 */
export const startRestoredEpoch = (folder: string, restored: RestoreEntry): Effect.Effect<void, StorageError> =>
  Effect.gen(function* () {
    const file = join(folder, "log.db")
    const { installation, writer } = yield* openLogDatabase(file)
    yield* Effect.try({
      try: () => {
        const { anchor, startEpoch } = makeAnchoring({
          files: watchLogFiles(file),
          ...{ folder, installation, writer },
          isChecked: () => false
        })
        writer.transaction(() => startEpoch(restored)).immediate()
        anchor.close()
      },
      catch: storageError("log.db")
    })
  }).pipe(Effect.scoped, Effect.provide(Reactivity.layer))
