import * as Effect from "effect/Effect"
import type { CommandError } from "../actor/Actor.js"
import type { InvalidInput, PathRefused } from "../model/errors.js"
import { refuseUnknownOptions } from "../model/filters.js"
import { defineMethod } from "../model/operation.js"
import type { Writer } from "../remember/remember.js"
import type { Runner } from "../remember/runner.js"
import type { Imported, ImportOptions, ImportTarget } from "./importFiles.js"
import { recordImport } from "./recordImport.js"

/** Imports of files: `memory.importMarkdown`. */
export interface ImportWriter {
  /** Imports markdown files and folders. Repeating an import adds nothing. See `importFiles`. */
  readonly importMarkdown: (
    paths: ReadonlyArray<string>,
    options?: ImportOptions
  ) => Effect.Effect<Imported, CommandError | InvalidInput | PathRefused>
}

/** @internal */
export const makeImportWriter = (
  { runCommand }: Runner,
  writer: Writer,
  target: Omit<ImportTarget, "record">
): ImportWriter => ({
  importMarkdown: defineMethod("Memory.importMarkdown")(function* (paths, options = {}) {
    yield* refuseUnknownOptions(options, ["store", "onlyIfEmpty", "reconcile", "onProgress"])
    // The markdown parser is loaded on first use, because most programs never import.
    const { importFiles } = yield* Effect.promise(() => import("./importFiles.js"))
    const record: ImportTarget["record"] = (payload, run) => runCommand(recordImport(writer.actor, payload, run))
    const { run, version, ...imported } = yield* importFiles({ ...target, record }, paths, options)
    // Versions and runs serve undo, which needs full trust.
    return version === undefined || run === undefined || writer.level !== "full"
      ? imported
      : { ...imported, version, run }
  })
})
