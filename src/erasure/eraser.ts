import * as Effect from "effect/Effect"
import type { StorageError } from "../../events/errors.js"
import type { Db } from "../../projections/Projection.js"
import type { ViewError } from "../../projections/view/buildViewFile.js"
import type { CommandError } from "../actor/Actor.js"
import type { Command } from "../actor/Command.js"
import type { PlanSource } from "./plan/planAgent.js"

/** The services of an erasure. */
export interface Eraser extends PlanSource {
  /** Records the waiting recalls of an agent, so that their queries can be erased too. */
  readonly flushRecalls: (agent: string) => Effect.Effect<unknown, unknown>
  /** Waits while the view of an agent is rebuilt after an earlier erasure. See `Views.awaitRebuild`. */
  readonly awaitRebuild: (agent: string) => Effect.Effect<void>
  /** Removes views, caches and branches that are older than the erasure, and old pages of the log. */
  readonly clean: Effect.Effect<"done" | "waits", StorageError>
  /** Reads the view of an agent. */
  readonly read: <A>(agent: string, f: (db: Db) => A) => Effect.Effect<A, ViewError>
  /** Carries out a command of an agent. */
  readonly run: <A, E>(agent: string, command: Command<A, E>) => Effect.Effect<A, E | CommandError>
}

/**
 * Cleans the files. The erasure is already in the log, so a failure is only logged as a warning. The next start cleans
 * again.
 */
export const cleanOrWarn = ({ clean }: Eraser) =>
  Effect.catchAll(clean, ({ message }) =>
    Effect.as(
      Effect.logWarning(
        `the events are erased, but older files are not cleaned yet (the next start cleans them): ${message}`
      ),
      "waits" as const
    )
  )
