import { randomFillSync } from "node:crypto"
import type * as Context from "effect/Context"
import type * as Exit from "effect/Exit"
import type * as Option from "effect/Option"
import * as Tracer from "effect/Tracer"
import type { Mutable } from "effect/Types"
import { untraced } from "../../events/tracing.js"
import { safeAttributes, safeNameOf } from "./attributes.js"
import { type Ending, endingOf } from "./ending.js"
import type { TraceLines } from "./TraceLines.js"

/**
 * A tracer that writes a line for each event when it happens, and one for each span when it ends. Only ids, counts and
 * known words get into the lines, by the list in `attributes.ts`.
 */
export const makeFileTracer = (lines: TraceLines): Tracer.Tracer =>
  Tracer.make({
    // Effect calls it for every step of a fiber. With its own function, that stays as fast as without a tracer.
    context: untraced.context,
    span: (name, parent, context, links, startTime, kind) =>
      new FileSpan(lines, { name, parent, context, links, startTime, kind })
  })

/** Writes the lines of the spans of another tracer, which receives them as before. */
export const alsoToFile = (lines: TraceLines, inner: Tracer.Tracer): Tracer.Tracer =>
  Tracer.make({
    context: inner.context,
    span: (...start) => {
      const span = inner.span(...start)
      const event = span.event.bind(span)
      const end = span.end.bind(span)
      // Exporters recognise their own spans by their class, so its methods are replaced in place.
      return Object.assign<Tracer.Span, Pick<Mutable<Tracer.Span>, "event" | "end">>(span, {
        event: (name, time, attributes = {}) => {
          event(name, time, attributes)
          lines.add(new EventLine(span, name, time, attributes))
        },
        end: (endTime, exit) => {
          const { startTime } = span.status
          end(endTime, exit)
          lines.add(new SpanLine(span, startTime, endTime, endingOf(exit)))
        }
      })
    }
  })

interface SpanStart extends Pick<Tracer.Span, "name" | "parent" | "context" | "links" | "kind"> {
  readonly startTime: bigint
}

/**
 * Ids, times and attributes become text when the lines are written, many at once. In the middle of a write each step
 * would cost several times as much, because the processor has other code in its caches.
 */
class FileSpan implements Tracer.Span {
  readonly _tag = "Span"
  readonly sampled = true
  readonly name: string
  readonly parent: Option.Option<Tracer.AnySpan>
  readonly context: Context.Context<never>
  readonly links: ReadonlyArray<Tracer.SpanLink>
  readonly kind: Tracer.SpanKind
  readonly attributes = new Map<string, unknown>()
  status: Tracer.SpanStatus
  readonly #lines: TraceLines
  #spanId: string | undefined
  #traceId: string | undefined

  constructor(lines: TraceLines, { context, kind, links, name, parent, startTime }: SpanStart) {
    this.#lines = lines
    this.name = name
    this.parent = parent
    this.context = context
    this.links = links
    this.kind = kind
    this.status = { _tag: "Started", startTime }
  }

  get spanId(): string {
    this.#spanId ??= randomHex(8)
    return this.#spanId
  }

  get traceId(): string {
    this.#traceId ??= this.parent._tag === "Some" ? this.parent.value.traceId : randomHex(16)
    return this.#traceId
  }

  attribute(key: string, value: unknown): void {
    this.attributes.set(key, value)
  }

  addLinks(): void {}

  event(name: string, startTime: bigint, attributes: Record<string, unknown> = {}): void {
    this.#lines.add(new EventLine(this, name, startTime, attributes))
  }

  end(endTime: bigint, exit: Exit.Exit<unknown, unknown>): void {
    const { startTime } = this.status
    const ending = endingOf(exit)
    this.status = { _tag: "Ended", startTime, endTime, exit: ending.exit }
    if (ending.errorType !== undefined) this.attributes.set("error.type", ending.errorType)
    this.#lines.add(new SpanLine(this, startTime, endTime, ending))
  }
}

/** The line of an event. */
class EventLine {
  constructor(
    readonly span: Tracer.Span,
    readonly name: string,
    readonly time: bigint,
    readonly attributes: Record<string, unknown>
  ) {}

  toJSON() {
    const { span } = this
    return {
      time: isoOf(this.time),
      type: "event",
      name: safeNameOf(this.name),
      in: safeNameOf(span.name),
      trace: span.traceId,
      span: span.spanId,
      ...withAttributes(Object.entries(this.attributes))
    }
  }
}

/** The line of a span that has ended. */
class SpanLine {
  constructor(
    readonly span: Tracer.Span,
    readonly startTime: bigint,
    readonly endTime: bigint,
    readonly ending: Ending
  ) {}

  toJSON() {
    const { span, startTime } = this
    return {
      time: isoOf(startTime),
      type: "span",
      name: safeNameOf(span.name),
      millis: Math.floor(Number(this.endTime - startTime) / 1_000) / 1_000,
      status: this.ending.status,
      trace: span.traceId,
      span: span.spanId,
      ...(span.parent._tag === "Some" ? { parent: span.parent.value.spanId } : {}),
      ...(span.kind === "internal" ? {} : { kind: span.kind }),
      ...withAttributes(span.attributes)
    }
  }
}

const withAttributes = (attributes: Iterable<readonly [string, unknown]>) => {
  const safe = safeAttributes(attributes)
  return Object.keys(safe).length === 0 ? {} : { attributes: safe }
}

const isoOf = (nanos: bigint): string => new Date(Math.floor(Number(nanos) / 1_000_000)).toISOString()

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
