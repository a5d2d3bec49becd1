import { readdirSync, rmSync } from "node:fs"
import { join } from "node:path"
import * as Effect from "effect/Effect"
import type { Cleaning } from "../../events/EventLog.js"
import type { StorageError } from "../../events/errors.js"
import { statIfExists } from "../../events/folder.js"
import { removeMissedPrompts } from "../../events/missedPrompts.js"
import { agentFolderName, removeOrphans, removeViewFile } from "./generations.js"
import { attempt, type ViewContext } from "./View.js"
import * as ViewFile from "./ViewFile.js"

/** The pause between two attempts of a cleaning that waits for other processes. */
const retryEvery = "10 seconds"

/**
 * Makes the effect for `Views.clean`. If the cleaning has to wait for other processes, a background fiber retries it
 * until the scope closes.
 */
export const makeCleaner = (context: ViewContext) =>
  Effect.map(Effect.scope, (scope): Effect.Effect<Cleaning, StorageError> => {
    let isWaiting = false
    const again = cleanViews(context).pipe(
      Effect.orElseSucceed((): Cleaning => "waits"),
      Effect.delay(retryEvery),
      Effect.repeat({ until: (cleaning) => cleaning === "done" }),
      Effect.ensuring(
        Effect.sync(() => {
          isWaiting = false
        })
      ),
      Effect.interruptible,
      Effect.forkIn(scope)
    )
    return Effect.tap(cleanViews(context), (cleaning) => {
      if (cleaning === "done" || isWaiting) return Effect.void
      isWaiting = true
      return again
    })
  })

/**
 * Removes the files that were built before an erasure, and removes an erased agent from the list of missed prompts.
 * Then the log cleans its own files.
 */
const cleanViews = Effect.fnUntraced(function* (context: ViewContext): Effect.fn.Return<Cleaning, StorageError> {
  const { config, log } = context
  const cleanings = yield* log.cleanings
  const { streams } = cleanings
  for (const agent of streams) {
    const erasure = yield* log.newestErasure(agent)
    const { version } = yield* log.head(agent)
    const name = agentFolderName(agent)
    yield* attempt(() => {
      for (const kind of ["views", "cache"]) {
        const folder = join(config.folder, kind, name)
        if (version === 0) rmSync(folder, { recursive: true, force: true })
        else removeOlder(context, folder, erasure)
      }
      if (version === 0) removeMissedPrompts(config.folder, agent)
    })
  }
  if (streams.length > 0) yield* attempt(() => removeBranches(join(config.folder, "cache")))
  const cleaning = yield* log.clean(cleanings)
  return cleaning === "changed" ? yield* cleanViews(context) : cleaning
})

/**
 * Removes views that were built before the newest erasure, including views that another process is building or reading.
 * That process notices that its file is gone, and builds another file.
 */
const removeOlder = ({ config }: ViewContext, folder: string, erasure: number): void => {
  for (const name of filesIn(folder).filter((name) => name.endsWith(".db"))) {
    const file = join(folder, name)
    if (erasureIn(config, file) < erasure) removeViewFile(file)
  }
  if (statIfExists(folder)?.isDirectory() === true) removeOrphans(folder)
}

const erasureIn = (options: ViewFile.ViewOptions, file: string): number => {
  try {
    const { db } = ViewFile.openFile(file, "read", { ...options, vectorExtension: null })
    try {
      return ViewFile.erasureOf(db)
    } finally {
      db.close()
    }
  } catch {
    return -1
  }
}

/**
 * Removes the branches of what-if comparisons, because they were made from the events before the erasure. A comparison
 * that uses a removed branch fails and can be run again.
 */
const removeBranches = (cache: string): void => {
  for (const name of filesIn(cache).filter((name) => name.startsWith(".what-if-")))
    rmSync(join(cache, name), { recursive: true, force: true })
}

const filesIn = (folder: string): ReadonlyArray<string> =>
  statIfExists(folder)?.isDirectory() === true ? readdirSync(folder) : []
