import { createReadStream, createWriteStream } from "node:fs"
import { dirname, join, resolve } from "node:path"
import { Readable } from "node:stream"
import { pipeline } from "node:stream/promises"
import { createGunzip, createGzip } from "node:zlib"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import { exportLines } from "../../events/copies/exportLines.js"
import { InvalidExport, importLines } from "../../events/copies/importLines.js"
import { type CopyProgress, withSnapshot } from "../../events/copies/snapshot.js"
import { storageError } from "../../events/errors.js"
import { refuseUnknownOptions } from "../model/filters.js"
import { type BackupError, checkPaths, requireLog } from "./Backup.js"
import { moveFile, requireUnusedPath, withStaging } from "./copyFiles.js"
import { install, type Restored } from "./install.js"
import { requireSoundLog } from "./verifyCopy.js"

export interface ExportOptions {
  /** The data folder. Other processes may use it. */
  readonly folder: string
  /** The copy of the ledger of erasures, if the policy names one (`[log] ledger`). */
  readonly ledger?: string | undefined
  /** The new file of JSON lines; compressed if the name ends with `.gz`. */
  readonly to: string
  /** Whether to replace an existing file. Default: false. */
  readonly replace?: boolean | undefined
  /** Receives how many events are written. */
  readonly onProgress?: CopyProgress | undefined
}

const exportOptions = {
  folder: true,
  to: true,
  ledger: true,
  replace: true,
  onProgress: true
} satisfies Record<keyof ExportOptions, true>

/** A finished export. */
export interface Exported {
  readonly file: string
  readonly events: number
  readonly agents: number
  /** Hash of the anchor's last line, for `importLog`. */
  readonly anchor: string | null
}

export interface ImportOptions {
  readonly file: string
  /** The data folder. It is created if it is missing, and must have no log. */
  readonly folder: string
  /** A newer ledger of erasures. Its erasures are applied to the imported log. */
  readonly ledger?: string | undefined
  /**
   * The `anchor` of the export or of a verification. The import fails if the export does not have this line. Without
   * `expect`, the log records that nothing confirmed the export.
   */
  readonly expect?: string | undefined
  /** Receives how many events are stored. The total is not known. */
  readonly onProgress?: ((events: number) => void) | undefined
}

const importOptions = {
  file: true,
  folder: true,
  ledger: true,
  expect: true,
  onProgress: true
} satisfies Record<keyof ImportOptions, true>

const isCompressed = (file: string): boolean => file.endsWith(".gz")

/**
 * Writes the log of a data folder as JSON lines: events, due times, cached vectors and anchor, as they are at one
 * moment. The finished file gets its name only after a test import and a verification.
 */
export const exportLog = (options: ExportOptions): Effect.Effect<Exported, BackupError | InvalidExport> =>
  Effect.gen(function* () {
    yield* refuseUnknownOptions(options, Object.keys(exportOptions))
    yield* checkPaths(options, ["folder", "to"])
    const { folder, ledger, onProgress = () => {}, replace = false, to } = options
    yield* requireLog(folder)
    yield* requireUnusedPath(to, folder, replace)
    const now = yield* Clock.currentTimeMillis
    return yield* withStaging(
      dirname(resolve(to)),
      Effect.fnUntraced(function* (part) {
        const file = join(part, isCompressed(to) ? "log.gz" : "log")
        yield* withSnapshot({ folder, ledger }, (snapshot) =>
          Effect.tryPromise({
            try: (signal) => {
              const lines = Readable.from(exportLines(snapshot, now, onProgress))
              const target = createWriteStream(file, { mode: 0o600 })
              return isCompressed(file)
                ? pipeline(lines, createGzip(), target, { signal })
                : pipeline(lines, target, { signal })
            },
            catch: storageError(to)
          })
        )
        const { verification } = yield* withStaging(part, (check) =>
          Effect.zipRight(
            importLines(check, linesOf(file), () => {}),
            requireSoundLog(check, "the log")
          )
        )
        yield* moveFile(file, to, replace)
        const { anchor, events, streams } = verification
        return { file: to, events, agents: streams, anchor }
      })
    )
  }).pipe(Effect.withSpan("Backup.exportLog"))

/** Makes a data folder from an export. The log is verified before the folder gets its name. */
export const importLog = (options: ImportOptions): Effect.Effect<Restored, BackupError | InvalidExport> =>
  Effect.gen(function* () {
    yield* refuseUnknownOptions(options, Object.keys(importOptions))
    yield* checkPaths(options, ["file", "folder"])
    const { expect, file, folder, ledger, onProgress = () => {} } = options
    return yield* install(
      { folder, ledger, replace: false, from: "export", vouched: expect !== undefined },
      Effect.fnUntraced(function* (staging) {
        const { createdAt } = yield* importLines(staging, linesOf(file), onProgress)
        const copy = yield* requireSoundLog(staging, file, expect)
        return { ...copy, createdAt }
      })
    )
  }).pipe(Effect.withSpan("Backup.importLog"))

/** Maximum characters of a line. Daybook never writes a longer one. */
const maxLine = 64 << 20

/** Reads the lines of a file without loading the whole file. */
const linesOf = async function* (file: string): AsyncGenerator<string> {
  const source = createReadStream(file)
  const bytes = isCompressed(file) ? source.pipe(createGunzip()) : source
  // `pipe` does not pass errors on.
  if (bytes !== source) source.on("error", (error) => bytes.destroy(error))
  let rest = ""
  let number = 0
  try {
    bytes.setEncoding("utf8")
    for await (const text of bytes as AsyncIterable<string>) {
      const lines = (rest + text).split("\n")
      rest = lines.pop()!
      for (const line of lines) {
        number++
        yield line
      }
      if (rest.length > maxLine) throw new InvalidExport({ line: number + 1, problem: "is too long" })
    }
    if (rest !== "") yield rest
  } finally {
    source.destroy()
  }
}
