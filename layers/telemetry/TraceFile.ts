import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type * as Tracer from "effect/Tracer"
import { noopTracer } from "../../events/tracing.js"
import type { InvalidInput } from "../../src/model/errors.js"
import { makeFileTracer, withFileLines } from "./fileTracer.js"
import { metricLines } from "./metricLines.js"
import { checkFileOptions, type TraceFileOptions } from "./options.js"
import { makeTraceLines, type TraceLines } from "./TraceLines.js"

export const defaultMaxBytes = 10_000_000

/**
 * Writes spans, events and metrics to a file, one JSON object per line. Needs no collector and no package. If the file
 * cannot be written, one warning is logged and no operation fails. The layer fails with `InvalidInput` if an option is
 * unknown or invalid.
 */
export const layerFile = (options: TraceFileOptions): Layer.Layer<never, InvalidInput> =>
  Layer.unwrapEffect(Effect.map(checkFileOptions(options), () => layerOf(options, makeFileTracer)))

/**
 * Writes a trace file in addition to the program's tracer, for example the tracer of `layerOtlp`: both get every span.
 * The options are not checked, because decoding the policy has checked them.
 */
export const layerFileBeside = (options: TraceFileOptions): Layer.Layer<never> =>
  Layer.unwrapEffect(
    Effect.tracerWith((tracer) =>
      Effect.succeed(layerOf(options, tracer === noopTracer ? makeFileTracer : (lines) => withFileLines(lines, tracer)))
    )
  )

const layerOf = (
  { file, maxBytes = defaultMaxBytes, metricsEvery = 60_000 }: TraceFileOptions,
  tracerOf: (lines: TraceLines) => Tracer.Tracer
): Layer.Layer<never> =>
  Layer.unwrapScoped(
    Effect.gen(function* () {
      const lines = yield* Effect.acquireRelease(
        Effect.sync(() => makeTraceLines({ file, maxBytes })),
        (opened) => Effect.sync(opened.close)
      )
      const writeMetrics = Effect.gen(function* () {
        for (const line of yield* metricLines(yield* Clock.currentTimeMillis)) {
          lines.add({ json: () => JSON.stringify(line) })
        }
      })
      let isReported = false
      const watch = Effect.gen(function* () {
        yield* Effect.sleep(metricsEvery)
        yield* writeMetrics
        yield* reportFailure
      })
      const reportFailure = Effect.suspend(() => {
        lines.flush()
        const failure = lines.failure()
        if (failure === undefined || isReported) return Effect.void
        isReported = true
        return Effect.logWarning("the trace file cannot be written", { failure })
      })
      yield* Effect.forkScoped(Effect.interruptible(Effect.forever(watch)))
      yield* Effect.addFinalizer(() => Effect.zipRight(writeMetrics, reportFailure))
      return Layer.setTracer(tracerOf(lines))
    })
  )
