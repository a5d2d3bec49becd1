import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import * as Effect from "effect/Effect"

interface Value {
  readonly stringValue?: string
  readonly intValue?: number | string
  readonly doubleValue?: number
  readonly boolValue?: boolean
}

interface KeyValue {
  readonly key: string
  readonly value: Value
}

/** A span as a collector gets it. */
export interface CollectedSpan {
  readonly name: string
  readonly traceId: string
  readonly spanId: string
  readonly parentSpanId?: string
  readonly attributes: ReadonlyArray<KeyValue>
  readonly events: ReadonlyArray<{ readonly name: string; readonly attributes: ReadonlyArray<KeyValue> }>
  readonly status: { readonly code: number; readonly message?: string }
}

/** The attributes of a span or an event by name. */
export const attributesOf = ({ attributes }: { readonly attributes: ReadonlyArray<KeyValue> }) =>
  Object.fromEntries(attributes.map(({ key, value }) => [key, Object.values(value)[0] as unknown]))

/**
 * A collector of OTLP in JSON on a port of its own, until the scope closes. It answers each request after `delay`
 * milliseconds, and keeps its bytes, unless the client has gone by then.
 */
export const collector = ({ delay = 0 } = {}) =>
  Effect.gen(function* () {
    const bodies: Array<{ readonly path: string; readonly text: string; readonly headers: string }> = []
    const server = createServer((request, response) => {
      const chunks: Array<Buffer> = []
      request.on("data", (chunk: Buffer) => chunks.push(chunk))
      request.on("end", () => {
        const text = Buffer.concat(chunks).toString("utf8")
        setTimeout(() => {
          if (response.destroyed) return
          bodies.push({ path: request.url ?? "", text, headers: JSON.stringify(request.headers) })
          response.writeHead(200, { "content-type": "application/json" }).end("{}")
        }, delay)
      })
    })
    yield* Effect.acquireRelease(
      Effect.async<void>((resume) => {
        server.listen(0, "127.0.0.1", () => resume(Effect.void))
      }),
      () => Effect.sync(() => server.close())
    )
    const documents = (path: string) =>
      bodies.filter((body) => body.path === path).map(({ text }) => JSON.parse(text) as Record<string, never>)
    const spans = (): ReadonlyArray<CollectedSpan> =>
      documents("/v1/traces").flatMap((document) =>
        (document as unknown as Traces).resourceSpans.flatMap(({ scopeSpans }) =>
          scopeSpans.flatMap(({ spans }) => spans)
        )
      )
    return {
      url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
      bodies,
      spans,
      metricNames: (): ReadonlySet<string> =>
        new Set(
          documents("/v1/metrics").flatMap((document) =>
            (document as unknown as MetricsDocument).resourceMetrics.flatMap(({ scopeMetrics }) =>
              scopeMetrics.flatMap(({ metrics }) => metrics.map(({ name }) => name))
            )
          )
        )
    }
  })

interface Traces {
  readonly resourceSpans: ReadonlyArray<{
    readonly scopeSpans: ReadonlyArray<{ readonly spans: ReadonlyArray<CollectedSpan> }>
  }>
}

interface MetricsDocument {
  readonly resourceMetrics: ReadonlyArray<{
    readonly scopeMetrics: ReadonlyArray<{ readonly metrics: ReadonlyArray<{ readonly name: string }> }>
  }>
}
