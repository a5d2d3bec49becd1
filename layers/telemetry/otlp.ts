import type { OtlpSerialization } from "@effect/opentelemetry/OtlpSerialization"
import * as FetchHttpClient from "@effect/platform/FetchHttpClient"
import * as HttpClient from "@effect/platform/HttpClient"
import * as Data from "effect/Data"
import * as Effect from "effect/Effect"
import { parallel, sequential } from "effect/ExecutionStrategy"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import * as Scope from "effect/Scope"
import type { InvalidInput } from "../../src/model/errors.js"
import { missingPackage } from "../models/packages.js"
import { withoutTrailingSlashes } from "../models/transport.js"
import { completingClient } from "./completingClient.js"
import { filteredTracer } from "./filteredTracer.js"
import { checkOtlpOptions, type OtlpOptions } from "./options.js"

/** The package that exports to a collector is missing. */
export class TelemetryUnavailable extends Data.TaggedError("TelemetryUnavailable")<{ readonly problem: string }> {
  override get message() {
    return `telemetry: ${this.problem}`
  }
}

/**
 * Sends spans with their events, and metrics, to a collector with OTLP (JSON over HTTP). Needs the package
 * `@effect/opentelemetry`, but not the peers of that package. If the collector does not answer, no operation fails. The
 * layer fails with `InvalidInput` if an option is unknown or invalid.
 */
export const layerOtlp = (options: OtlpOptions = {}): Layer.Layer<never, TelemetryUnavailable | InvalidInput> =>
  Layer.unwrapEffect(Effect.map(checkOtlpOptions(options), () => layerOf(options)))

const layerOf = ({
  closeMillis = 2_000,
  headers = {},
  metricsEvery = 10_000,
  serviceName,
  spansEvery = 5_000,
  url = "http://127.0.0.1:4318"
}: OtlpOptions): Layer.Layer<never, TelemetryUnavailable> =>
  Layer.unwrapScoped(
    Effect.gen(function* () {
      const { makeMetrics, makeTracer, serialization } = yield* exporters
      const base = withoutTrailingSlashes(url)
      const shared = {
        shutdownTimeout: closeMillis,
        resource: { serviceName: serviceName ?? process.env.OTEL_SERVICE_NAME ?? "daybook" },
        headers: Object.fromEntries(
          Object.entries(headers).map(([name, value]) => [
            name,
            Redacted.isRedacted(value) ? Redacted.value(value) : value
          ])
        )
      } as const
      // The client's finalizer runs after the finalizers of the exporters, which interrupt their requests.
      const { beginEnd, client } = yield* Effect.provide(completingClient(closeMillis), FetchHttpClient.layer)
      const services = Layer.merge(Layer.succeed(HttpClient.HttpClient, client), serialization)
      // At shutdown, both exporters send the rest at the same time, so that the program waits only once.
      const closing = yield* Effect.acquireRelease(Scope.make(parallel), Scope.close)
      const scoped = <A, E>(exporter: Effect.Effect<A, E, Exporting>) =>
        Effect.flatMap(Scope.fork(closing, sequential), (scope) =>
          Effect.provide(Scope.extend(exporter, scope), services)
        )
      const tracer = yield* scoped(makeTracer({ ...shared, url: `${base}/v1/traces`, exportInterval: spansEvery }))
      yield* scoped(makeMetrics({ ...shared, url: `${base}/v1/metrics`, exportInterval: metricsEvery }))
      yield* Effect.addFinalizer(() => beginEnd)
      return Layer.setTracer(filteredTracer(tracer))
    })
  )

/**
 * Filters the tracer that a program provides, for example the tracer of `NodeSdk.layer`: ids, counts and known words
 * pass; texts and error messages do not.
 */
export const layerFiltered: Layer.Layer<never> = Layer.unwrapEffect(
  Effect.tracerWith((tracer) => Effect.succeed(Layer.setTracer(filteredTracer(tracer))))
)

/** Loaded on demand, because the package is an optional peer. */
const exporters = Effect.tryPromise({
  try: () => import("./exporters.js"),
  catch: (error) =>
    new TelemetryUnavailable({ problem: missingPackage(error) ?? "@effect/opentelemetry cannot be loaded" })
})

type Exporting = HttpClient.HttpClient | OtlpSerialization | Scope.Scope
