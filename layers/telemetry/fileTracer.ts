import { randomBytes } from "node:crypto"
import type * as Context from "effect/Context"
import type * as Exit from "effect/Exit"
import type * as Option from "effect/Option"
import * as Tracer from "effect/Tracer"
import type { Mutable } from "effect/Types"
import { noopTracer } from "../../events/tracing.js"
import { safeNameOf } from "./attributes.js"
import { type SpanOutcome, spanOutcomeOf } from "./ending.js"
import { attributesJson, quoteJson } from "./lineJson.js"
import type { TraceLines } from "./TraceLines.js"

/**
 * A tracer that writes a line for each event when it happens, and a line for each span when it ends. Lines contain only
 * ids, counts and known words, according to the list in `attributes.ts`.
 */
export const makeFileTracer = (lines: TraceLines): Tracer.Tracer =>
  Tracer.make({
    // Effect calls `context` for every step of a fiber. With this function, a step is as fast as without a tracer.
    context: noopTracer.context,
    span: (name, parent, context, links, startTime, kind) =>
      new FileSpan(lines, { name, parent, context, links, startTime, kind })
  })

/** Wraps another tracer, so that its spans and events are also written as lines. */
export const withFileLines = (lines: TraceLines, inner: Tracer.Tracer): Tracer.Tracer =>
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
          lines.add(new SpanLine(span, startTime, endTime, spanOutcomeOf(exit)))
        }
      })
    }
  })

interface SpanStart extends Pick<Tracer.Span, "name" | "parent" | "context" | "links" | "kind"> {
  readonly startTime: bigint
}

/**
 * Ids, times and attributes are converted to text when the lines are written, many lines at once. Converting each line
 * during a memory operation would cost several times as much, because the processor's caches contain other code then.
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
    const ending = spanOutcomeOf(exit)
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

  json(): string {
    const { span } = this
    const names = `"name":"${safeNameOf(this.name)}","in":"${safeNameOf(span.name)}"`
    const attributes = attributesJson(Object.entries(this.attributes))
    return `{"time":"${isoOf(this.time)}","type":"event",${names},${idsOf(span)}${attributes}}`
  }
}

/** The line of a span that has ended. */
class SpanLine {
  constructor(
    readonly span: Tracer.Span,
    readonly startTime: bigint,
    readonly endTime: bigint,
    readonly ending: SpanOutcome
  ) {}

  json(): string {
    const { span, startTime } = this
    const millis = Math.floor(Number(this.endTime - startTime) / 1_000) / 1_000
    const outcome = `"millis":${millis},"status":"${this.ending.status}"`
    const parent = span.parent._tag === "Some" ? `,"parent":${quoteJson(span.parent.value.spanId)}` : ""
    const kind = span.kind === "internal" ? "" : `,"kind":${quoteJson(span.kind)}`
    const start = `{"time":"${isoOf(startTime)}","type":"span","name":"${safeNameOf(span.name)}"`
    return `${start},${outcome},${idsOf(span)}${parent}${kind}${attributesJson(span.attributes)}}`
  }
}

const idsOf = ({ spanId, traceId }: Tracer.Span): string => `"trace":${quoteJson(traceId)},"span":${quoteJson(spanId)}`

let isoSecond = Number.NaN
let isoStart = ""

/** A time as ISO 8601. The text of the last second is cached, because most lines are in the same second. */
const isoOf = (nanos: bigint): string => {
  const millis = Math.floor(Number(nanos) / 1_000_000)
  const second = Math.floor(millis / 1_000)
  if (second !== isoSecond) {
    isoSecond = second
    isoStart = new Date(second * 1_000).toISOString().slice(0, -4)
  }
  return `${isoStart}${String(millis - second * 1_000).padStart(3, "0")}Z`
}

let pool = ""
let used = 0

/** Random bytes as hexadecimal digits, from a pool: a call for each id would cost more than the rest of a span. */
const randomHex = (bytes: number): string => {
  if (used + 2 * bytes > pool.length) {
    pool = randomBytes(4_096).toString("hex")
    used = 0
  }
  used += 2 * bytes
  return pool.slice(used - 2 * bytes, used)
}
