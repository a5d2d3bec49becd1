import * as Effect from "effect/Effect"
import { findRun, findRuns, type RunRow } from "../../projections/runs.js"
import type { ReaderServices, ReaderSource } from "../actor/ReaderSource.js"
import { RunNotFound, TrustRequired } from "../model/errors.js"
import { checkInteger, checkPage, type PageQuery, type ReadError, refuseUnknownOptions } from "../model/filters.js"
import { decodeKey } from "../model/input.js"
import { limits } from "../model/limits.js"
import { defineMethod } from "../model/operation.js"
import type { Writer } from "../remember/remember.js"
import type { MaintainError, Maintainer, MaintainOptions, StageRun } from "./maintain.js"
import { readTiers, type Tiers } from "./tiers.js"

/** Reads about maintenance: `memory.maintenance`. Full trust only. */
export interface MaintenanceReader {
  /** Memory counts and scores by tier, and the memories with the highest scores (10 by default). */
  readonly tiers: (query?: { readonly limit?: number | undefined }) => Effect.Effect<Tiers, ReadError | TrustRequired>
  /** Maintenance runs, newest first, with the counts, duration and policy of each run. */
  readonly list: (query?: PageQuery) => Effect.Effect<ReadonlyArray<RunRow>, ReadError | TrustRequired>
  /** One maintenance run by its id. */
  readonly get: (run: string) => Effect.Effect<RunRow, ReadError | TrustRequired | RunNotFound>
}

/** Writes of maintenance: `memory.maintenance`. */
export interface MaintenanceWriter {
  /**
   * Runs maintenance stages: promotes used memories, archives unused ones, shortens old narratives. Each stage is a
   * separate run with a limit on its changes, and can be undone like any other run. Full trust only.
   */
  readonly run: (options?: MaintainOptions) => Effect.Effect<ReadonlyArray<StageRun>, MaintainError>
}

/** @internal */
export const makeMaintenanceReader = (
  { level, read }: ReaderSource,
  { maintenance }: ReaderServices
): MaintenanceReader => {
  const requireFull = (what: string) => (level === "full" ? Effect.void : new TrustRequired({ what }))
  return {
    tiers: defineMethod("Memory.maintenance.tiers")(function* (query = {}) {
      yield* refuseUnknownOptions(query, ["limit"])
      yield* requireFull("reading tiers")
      const limit = yield* checkInteger("limit", query.limit ?? 10, 0, limits.page)
      return yield* readTiers(read, maintenance, limit)
    }),

    list: defineMethod("Memory.maintenance.list")(function* (query = {}) {
      yield* requireFull("reading maintenance runs")
      const page = yield* checkPage(query, 50)
      return yield* read(({ db }) => findRuns(db, page))
    }),

    get: defineMethod("Memory.maintenance.get")(function* (run) {
      yield* requireFull("reading maintenance runs")
      yield* decodeKey("run", run)
      return (yield* read(({ db }) => findRun(db, run))) ?? (yield* new RunNotFound({ run }))
    })
  }
}

/** @internal */
export const makeMaintenanceWriter = (maintainer: Maintainer, writer: Writer): MaintenanceWriter => ({
  run: defineMethod("Memory.maintenance.run")((options) =>
    Effect.flatMap(
      Effect.promise(() => import("./maintain.js")),
      ({ maintain }) => maintain(maintainer, writer, options)
    )
  )
})
