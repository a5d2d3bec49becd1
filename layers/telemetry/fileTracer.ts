import { randomFillSync } from "node:crypto"
import * as Cause from "effect/Cause"
import * as Exit from "effect/Exit"
import * as Option from "effect/Option"
import * as Tracer from "effect/Tracer"
import { untraced } from "../../events/tracing.js"
import type { TraceLines } from "./TraceLines.js"

/** A tracer that writes a line for each event when it happens, and one for each span when it ends. */
export const makeFileTracer = (lines: TraceLines): Tracer.Tracer =>
  Tracer.make({
    // Effect calls it for every step of a fiber. With its own function, that stays as fast as without a tracer.
    context: untraced.context,
    span: (name, parent, context, links, startTime, kind) => {
      const attributes = new Map<string, unknown>()
      const spanId = randomHex(8)
      const traceId = Option.match(parent, { onNone: () => randomHex(16), onSome: (span) => span.traceId })
      const ids = { trace: traceId, span: spanId }
      const parentId = Option.map(parent, (span) => ({ parent: span.spanId }))
      let status: Tracer.SpanStatus = { _tag: "Started", startTime }
      return {
        _tag: "Span",
        name,
        spanId,
        traceId,
        parent,
        context,
        links,
        kind,
        sampled: true,
        attributes,
        get status() {
          return status
        },
        attribute: (key, value) => attributes.set(key, value),
        addLinks: () => {},
        event: (event, time, fields) =>
          lines.add({ time: isoOf(time), type: "event", name: event, in: name, ...ids, ...withAttributes(fields) }),
        end: (endTime, exit) => {
          status = { _tag: "Ended", startTime, endTime, exit }
          lines.add({
            time: isoOf(startTime),
            type: "span",
            name,
            millis: Number((endTime - startTime) / 1_000n) / 1_000,
            status: statusOf(exit),
            ...ids,
            ...Option.getOrElse(parentId, () => ({})),
            ...(kind === "internal" ? {} : { kind }),
            ...withAttributes(Object.fromEntries(attributes))
          })
        }
      }
    }
  })

const statusOf = (exit: Exit.Exit<unknown, unknown>): "ok" | "error" | "interrupted" =>
  Exit.isSuccess(exit) ? "ok" : Cause.isInterruptedOnly(exit.cause) ? "interrupted" : "error"

const withAttributes = (attributes: Record<string, unknown> = {}) =>
  Object.keys(attributes).length === 0 ? {} : { attributes }

const isoOf = (nanos: bigint): string => new Date(Number(nanos / 1_000_000n)).toISOString()

const pool = Buffer.alloc(4_096)
let used = pool.length

/** Random bytes as hexadecimal digits. A call for each id would cost more than the rest of a span. */
const randomHex = (bytes: number): string => {
  if (used + bytes > pool.length) {
    randomFillSync(pool)
    used = 0
  }
  used += bytes
  return pool.toString("hex", used - bytes, used)
}
