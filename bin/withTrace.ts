import * as Effect from "effect/Effect"
import { isTraced, traced } from "../events/tracing.js"
import { traceSettings } from "../layers/telemetry/traceSettings.js"
import type { AnyCommand } from "./commands/Command.js"

/**
 * Writes what a command does to the trace file, if the environment or the policy names one. A command has one span
 * around all others; a service has one for each request instead.
 */
export const withTrace = <A, E>(command: AnyCommand, folder: string, run: Effect.Effect<A, E>): Effect.Effect<A, E> =>
  Effect.gen(function* () {
    const named = command.isService === true ? run : traced(`daybook ${command.usage.split(" ")[0]}`, run)
    // A command that another command runs belongs to its trace.
    if (yield* isTraced) return yield* named
    const settings = yield* traceSettings(folder)
    if (settings === undefined) return yield* run
    const { layerFile } = yield* Effect.promise(() => import("../layers/telemetry/TraceFile.js"))
    return yield* Effect.provide(named, layerFile(settings))
  })
