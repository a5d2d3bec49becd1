import { join } from "node:path"
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import { closeOnError } from "../../events/driver.js"
import * as Mutex from "../../events/Mutex.js"
import { build, type ViewError } from "./buildViewFile.js"
import * as Generations from "./generations.js"
import { withRebuildLease } from "./rebuildLease.js"
import {
  attempt,
  closeView,
  countRetry,
  isRemoved,
  isRetryLimitReached,
  newRetryLimit,
  type View,
  type ViewContext,
  viewKeepsChangingError,
  withWriter
} from "./View.js"
import * as ViewFile from "./ViewFile.js"

/**
 * Opens the current file of an agent's view, and builds a file first if there is none. The view closes with the scope.
 */
export const openView = Effect.fnUntraced(function* (
  context: ViewContext,
  agent: string
): Effect.fn.Return<View, ViewError, Scope.Scope> {
  const { config } = context
  const generations = Generations.make(join(config.folder, "views"), agent)
  const opened = openCurrent(context, generations, agent)
  // Removes a file that SQLite refuses to open, then builds the view again.
  const { db, erasure, hasVectors } = yield* Effect.catchIf(
    opened,
    (error) => error._tag === "StorageError" && error.kind === "damaged",
    () =>
      Effect.zipRight(
        attempt(() => generations.remove(generations.current() ?? "")),
        opened
      )
  )
  const view: View = {
    agent,
    generations,
    lock: Mutex.make(),
    file: db.name,
    reader: db,
    writer: null,
    hasVectors,
    erasure,
    writing: false,
    unknown: undefined,
    lastWrite: undefined
  }
  // Waits for the current transaction, because its events are already in the log or will be soon.
  yield* Effect.addFinalizer(() =>
    view.lock.locked(() => {
      context.caches.forget(view)
      return closeView(view)
    })
  )
  yield* Effect.ignore(attempt(generations.sweep))
  if (!hasVectors) {
    yield* Effect.ignore(withWriter(context, view, (writer) => ViewFile.parkVectors(writer, config.projections)))
  }
  return view
})

/** The projections of an open view that must be rebuilt; null if the view is too damaged to be read. */
export const outdatedProjections = ({ config }: ViewContext, view: View) =>
  Effect.orElseSucceed(
    attempt(() => ViewFile.findOutdatedProjections(view.reader, config.projections, view.hasVectors)),
    () => null
  )

/** Reopens a view on the current file, after another file became current. */
export const reopen = (context: ViewContext, view: View): Effect.Effect<void, ViewError> =>
  Effect.uninterruptibleMask(
    Effect.fnUntraced(function* (restore) {
      // The build can be interrupted, but the exchange of the connections cannot.
      yield* restore(currentFile(context, view.generations, view.agent, view.file))
      const { db, erasure, hasVectors } = yield* openCurrent(context, view.generations, view.agent, view.file)
      const file = db.name
      // Replace the connections before closing the old ones, so that a concurrent read always finds an open one.
      const { reader, writer } = view
      Object.assign(view, { file, reader: db, hasVectors, erasure, writer: null })
      yield* closeView({ reader, writer })
    })
  )

export const openReader = ({ config }: Pick<ViewContext, "config">, file: string) =>
  attempt(() => {
    const opened = ViewFile.openFile(file, "read", config)
    return closeOnError(opened.db, () => ({ ...opened, erasure: ViewFile.erasureOf(opened.db) }))
  })

/** Opens the current file. Retries if another process replaces and removes the file before it is open. */
const openCurrent = (
  context: ViewContext,
  generations: Generations.Generations,
  agent: string,
  retired?: string,
  tries = newRetryLimit()
): Effect.Effect<Effect.Effect.Success<ReturnType<typeof openReader>>, ViewError> =>
  Effect.flatMap(currentFile(context, generations, agent, retired), (file) =>
    Effect.catchIf(
      openReader(context, file),
      (error) => !isRetryLimitReached(tries) && isRemoved(file, error),
      () => Effect.flatMap(countRetry(tries), (next) => openCurrent(context, generations, agent, retired, next))
    )
  )

/** Builds a new file of a live view from the log alone. The new file is not current yet. */
export const buildLiveFile = Effect.fnUntraced(function* (
  { codec, config, log }: ViewContext,
  { agent, generations }: Pick<View, "agent" | "generations">
): Effect.fn.Return<string, ViewError> {
  const file = yield* attempt(generations.newFile)
  const { version } = yield* log.head(agent)
  const options = { ...config, log, codec, agent, file, to: version, stopAtUnknown: true, built: "live" } as const
  yield* Effect.onError(build(options), () => Effect.sync(() => generations.remove(file)))
  return file
})

/**
 * The current file of an agent's view; builds one from the log if there is none. `retired` is a file that is marked as
 * retired, although the pointer still names it.
 */
const currentFile = Effect.fnUntraced(function* (
  context: ViewContext,
  generations: Generations.Generations,
  agent: string,
  retired?: string,
  tries = newRetryLimit()
): Effect.fn.Return<string, ViewError> {
  const isInUse = (file: string | undefined): file is string => file !== undefined && file !== retired
  const current = yield* attempt(generations.current)
  if (isInUse(current)) return current
  if (isRetryLimitReached(tries)) return yield* viewKeepsChangingError(agent)
  const built = Effect.gen(function* () {
    // Another process may have built the file while this process waited for the lease.
    const current = yield* attempt(generations.current)
    if (isInUse(current)) return current
    const file = yield* buildLiveFile(context, { agent, generations })
    if (yield* attempt(() => generations.claim(file, retired))) return file
    // Another process created the first generation in the meantime.
    generations.remove(file)
    return undefined
  })
  const file = yield* withRebuildLease({ folder: context.config.folder, agent, built: "live" }, built)
  return file ?? (yield* currentFile(context, generations, agent, retired, yield* countRetry(tries)))
})
