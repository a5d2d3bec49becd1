import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { isTraced, runInSpan } from "../events/tracing.js"
import { type TraceSettings, traceSettings } from "../layers/telemetry/traceSettings.js"
import type { AnyCommand } from "./commands/Command.js"
import type { Output } from "./output.js"

/** Maximum milliseconds that an ending process waits for a collector. */
const closeMillis = { command: 500, service: 2_000 }

/**
 * Maximum milliseconds that the process may run after `closeMillis`. A connection attempt or a name look-up would keep
 * the process alive for 10 s, although the request was abandoned.
 */
const maxRemainingMillis = 200

/**
 * Traces a command to the trace file and the collector that the environment or the policy names. A command has one span
 * that contains all others. A service has one span per request instead.
 */
export const withTrace = <A, E>(
  command: AnyCommand,
  { folder, out }: { readonly folder: string; readonly out: Output },
  run: Effect.Effect<A, E>
): Effect.Effect<A, E> =>
  Effect.gen(function* () {
    const named = command.isService === true ? run : runInSpan(`daybook ${command.usage.split(" ")[0]}`, run)
    // A command that another command runs is part of the outer command's trace.
    if (yield* isTraced) return yield* named
    const { file, otlp } = yield* traceSettings(folder)
    if (file === undefined && otlp === undefined) return yield* run
    const filed = file === undefined ? named : Effect.provide(named, fileLayer(file))
    if (otlp === undefined) return yield* filed
    const sent = Effect.provide(filed, otlpLayer(otlp, command.isService === true ? "service" : "command"))
    return yield* Effect.ensuring(
      sent,
      Effect.sync(() => out.endProcessAt?.(performance.now() + maxRemainingMillis))
    )
  })

/** Loaded on demand, like all tracing code, because most commands write no trace. */
const fileLayer = (file: NonNullable<TraceSettings["file"]>): Layer.Layer<never> =>
  Layer.unwrapEffect(
    Effect.map(
      Effect.promise(() => import("../layers/telemetry/TraceFile.js")),
      ({ layerFileBeside }) => layerFileBeside(file)
    )
  )

/** If the settings are wrong or the exporter cannot be loaded, logs the reason and sends nothing. */
const otlpLayer = (
  settings: NonNullable<TraceSettings["otlp"]>,
  process: keyof typeof closeMillis
): Layer.Layer<never> =>
  Layer.unwrapEffect(
    Effect.gen(function* () {
      const { layerOtlp } = yield* Effect.promise(() => import("../layers/telemetry/otlp.js"))
      const { otlpSettings } = yield* Effect.promise(() => import("../layers/telemetry/otlpSettings.js"))
      return layerOtlp({ ...(yield* otlpSettings(settings)), closeMillis: closeMillis[process] })
    })
  ).pipe(Layer.catchAll(({ message }) => Layer.effectDiscard(Effect.logWarning(message))))
