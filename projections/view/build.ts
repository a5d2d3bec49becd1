import { closeSync, fsyncSync, openSync } from "node:fs"
import type * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import type { ReplayedEvent } from "../../events/Chain.js"
import type { Codec } from "../../events/Codec.js"
import type { DaybookEvent, ErasedEvent } from "../../events/catalogue.js"
import type { EventLog } from "../../events/EventLog.js"
import { type InvalidEvent, type StorageError, storageError, type UnknownEvent } from "../../events/errors.js"
import { opennessOf } from "../../events/Trust.js"
import type { Db, Lookup, Projection } from "../Projection.js"
import * as ViewFile from "./ViewFile.js"

export type ViewError = StorageError | UnknownEvent | InvalidEvent

/** How far a rebuild has come: events replayed, of how many. */
export interface Progress {
  readonly agent: string
  readonly done: number
  readonly total: number
}

/** Events are replayed this many at a time; other fibers run in between. */
export const replayPage = 500

export interface BuildOptions extends ViewFile.ViewOptions {
  readonly log: Context.Tag.Service<EventLog>
  readonly codec: Codec
  readonly agent: string
  readonly file: string
  readonly projections: ReadonlyArray<Projection>
  /** The last version to replay. */
  readonly to: number
  /** Stricter openness for some memories, by id: see time travel. */
  readonly stricter?: ReadonlyMap<string, number>
  /** A copy of a view to start from: only `only` are made anew, the rest is taken over. */
  readonly copyOf?: { readonly file: string; readonly only: ReadonlyArray<string> }
  readonly onProgress?: (progress: Progress) => void
}

/**
 * Makes a view from the log alone, in a file of its own with journal and sync
 * off. A projection that meets an event it cannot apply is parked there, and
 * the build starts again without it.
 */
export const build = (options: BuildOptions): Effect.Effect<void, ViewError> =>
  attempt(options, { poisoned: [], indexedFirst: [] })

/** What the attempts before this one found out. */
interface Findings {
  readonly poisoned: ReadonlyArray<ViewFile.Parked>
  /** Projections whose rows did not fit their indexes: made first, these say which event it was. */
  readonly indexedFirst: ReadonlyArray<string>
}

const attempt = (options: BuildOptions, known: Findings): Effect.Effect<void, ViewError> =>
  Effect.acquireUseRelease(
    openNew(options),
    ({ db, hasVectors }) => fill(db, hasVectors, options, known),
    ({ db }) => Effect.sync(() => db.close())
  ).pipe(
    Effect.flatMap((found) => (found === undefined ? Effect.void : attempt(options, found))),
    Effect.zipLeft(Effect.try({ try: () => syncFile(options.file), catch: storageError("view") }))
  )

const openNew = (options: BuildOptions) =>
  Effect.gen(function* () {
    if (options.copyOf !== undefined) {
      const { db } = yield* Effect.try(() => ViewFile.openFile(options.copyOf!.file, "read", options))
      yield* Effect.ensuring(
        Effect.tryPromise(() => db.backup(options.file)),
        Effect.sync(() => db.close())
      )
    } else {
      // A second attempt starts from nothing.
      yield* Effect.try(() => closeSync(openSync(options.file, "w", 0o600)))
    }
    return yield* Effect.try(() => ViewFile.openFile(options.file, "bulk", options))
  }).pipe(Effect.mapError(storageError("view")))

/** Answers what the next attempt must know; undefined where all is done. */
const fill = (db: Db, hasVectors: boolean, options: BuildOptions, known: Findings) =>
  Effect.gen(function* () {
    const { indexedFirst, poisoned } = known
    const { agent, codec, copyOf, log, projections, to } = options
    const anew = copyOf === undefined ? projections : projections.filter(({ name }) => copyOf.only.includes(name))
    const early = anew.filter(({ name }) => indexedFirst.includes(name))
    const copied = yield* sync(() => {
      db.exec("BEGIN")
      if (copyOf === undefined) {
        ViewFile.create(db, projections, hasVectors)
        for (const projection of early) db.exec(projection.indexes)
        return 0
      }
      // What was copied may have been retired by then; the copy is not.
      ViewFile.retire(db, false)
      for (const projection of anew) {
        if (ViewFile.isMade(db, projection)) projection.drop(db)
        ViewFile.createProjection(db, projection, hasVectors)
      }
      for (const projection of early) db.exec(projection.indexes)
      return ViewFile.checkpointOf(db).position
    })
    const parkedAt = new Map(
      [...(yield* sync(() => ViewFile.parkedOf(db))), ...poisoned].map((parked) => [parked.projection, parked.position])
    )
    const filled = new Set(anew.filter(({ fill }) => fill !== undefined).map(({ name }) => name))
    let last = 0
    for (let after = 0; after < to; ) {
      const rows = yield* log.replay(agent, { after, to, limit: replayPage })
      if (rows.length === 0) break
      const { events, lookup: found } = yield* prepare(log, codec, rows, options.stricter)
      const lookup: Lookup = { ...found, filling: (name) => filled.has(name) }
      const poison = yield* sync(() => {
        try {
          for (const event of events) {
            ViewFile.applyEvent(db, event.version <= copied ? anew : projections, parkedAt, event, lookup)
          }
          return undefined
        } catch (cause) {
          if (cause instanceof ViewFile.Poisoned) return cause.parked
          throw cause
        }
      })
      if (poison !== undefined) return { ...known, poisoned: [...poisoned, poison] }
      last = after = rows.at(-1)!.version
      options.onProgress?.({ agent, done: after, total: to })
      yield* Effect.yieldNow()
    }
    for (const projection of anew) {
      for (let after: number | undefined = 0; projection.fill !== undefined && after !== undefined; ) {
        const from: number = after
        after = yield* sync(() => projection.fill!(db, from))
        yield* Effect.yieldNow()
      }
    }
    const misfit = yield* sync(() =>
      anew.find((projection) => !early.includes(projection) && !fits(db, projection.indexes))
    )
    if (misfit !== undefined) return { ...known, indexedFirst: [...indexedFirst, misfit.name] }
    const [reached] = last > copied ? yield* log.at(agent, [last]) : []
    yield* sync(() => {
      for (const parked of poisoned) ViewFile.park(db, parked)
      if (reached !== undefined) ViewFile.moveCheckpoint(db, last, reached.hash, reached.recordedAt)
      db.exec("COMMIT")
      db.pragma("journal_mode = WAL")
    })
    return undefined
  })

/** Makes indexes; false where the rows break a constraint of theirs. */
const fits = (db: Db, indexes: string): boolean => {
  try {
    db.exec(indexes)
    return true
  } catch (cause) {
    if (cause instanceof Error && "code" in cause && /^SQLITE_CONSTRAINT/.test(String(cause.code))) return false
    throw cause
  }
}

/** Decodes a page of events and fetches the vectors that they speak of. */
export const prepare = (
  log: Context.Tag.Service<EventLog>,
  codec: Codec,
  rows: ReadonlyArray<ReplayedEvent>,
  stricter?: ReadonlyMap<string, number>
) =>
  Effect.gen(function* () {
    const events: Array<DaybookEvent | ErasedEvent> = []
    const vectors = new Map<string, Float32Array>()
    for (const row of rows) {
      const decoded = codec.decode(row)
      if (Either.isLeft(decoded)) return yield* decoded.left
      const event = decoded.right
      events.push(event)
      if (event.type !== "EMBED" || event.payload === null) continue
      const { chunks = [], dimensions, entries, model } = event.payload
      const found = yield* log.vectors(
        model,
        dimensions,
        [...entries, ...chunks].map(({ digest }) => digest)
      )
      for (const [digest, vector] of found) vectors.set(vectorKey(model, dimensions, digest), vector)
    }
    return { events, lookup: makeLookup((...key) => vectors.get(vectorKey(...key)), stricter) }
  })

export const makeLookup = (
  vectorOf: Lookup["vectorOf"],
  stricter: ReadonlyMap<string, number> = new Map()
): Lookup => ({
  vectorOf,
  opennessOf: ({ id, store }) => Math.min(opennessOf(store), stricter.get(id) ?? Number.POSITIVE_INFINITY)
})

const vectorKey = (model: string, dimensions: number, digest: string) => `${model} ${dimensions} ${digest}`

const sync = <A>(f: () => A) => Effect.try({ try: f, catch: storageError("view") })

const syncFile = (file: string) => {
  const descriptor = openSync(file, "r+")
  try {
    fsyncSync(descriptor)
  } finally {
    closeSync(descriptor)
  }
}
