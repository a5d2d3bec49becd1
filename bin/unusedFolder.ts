import { mkdtempSync, readdirSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import * as Effect from "effect/Effect"
import { findPolicyFile } from "../layers/config.js"

/** Files that make a folder a data folder. The names `views` and `cache` are too common in other folders. */
const ownFile = /^(?:log\.db|anchor\.log|erasures\.log|tokens\.jsonl)/

/**
 * True if Daybook has stored nothing in an existing folder and no policy applies to it. A policy can name files to
 * import before the first read.
 */
export const isUnusedFolder = (folder: string): Effect.Effect<boolean> =>
  Effect.map(findPolicyFile(folder), ({ file }) => file === undefined && hasNoOwnFile(folder))

const hasNoOwnFile = (folder: string): boolean => {
  try {
    return !readdirSync(folder).some((name) => ownFile.test(name))
  } catch {
    return false
  }
}

/** A data folder that exists until the scope closes. Reads of an unused folder run on it, so that they write nothing there. */
export const temporaryDataFolder = Effect.acquireRelease(
  Effect.sync(() => mkdtempSync(join(tmpdir(), "daybook-empty-"))),
  (folder) => Effect.sync(() => rmSync(folder, { recursive: true, force: true }))
)
