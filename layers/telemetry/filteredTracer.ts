import * as Tracer from "effect/Tracer"
import { isSafeAttribute, safeAttributes, safeNameOf } from "./attributes.js"
import { spanOutcomeOf } from "./ending.js"

type Methods = { -readonly [Name in "attribute" | "event" | "end" | "addLinks"]: Tracer.Span[Name] }

/**
 * A tracer that passes on only ids, counts and known words. It filters attributes and names of spans and events by the
 * list in `attributes.ts`, and reduces a failure to its tag. An error's message, or a span of another library, may
 * quote a memory.
 */
export const filteredTracer = (inner: Tracer.Tracer): Tracer.Tracer =>
  Tracer.make({
    // Effect calls `context` for every step of a fiber, so it is not wrapped.
    context: inner.context,
    span: (name, parent, context, links, startTime, kind, options) =>
      filtered(inner.span(safeNameOf(name), parent, context, links.map(bare), startTime, kind, options))
  })

/** Replaces methods of the span itself, because exporters recognise their own spans by their class. */
const filtered = (span: Tracer.Span): Tracer.Span => {
  const methods: Methods = {
    attribute: span.attribute.bind(span),
    event: span.event.bind(span),
    end: span.end.bind(span),
    addLinks: span.addLinks.bind(span)
  }
  return Object.assign<Tracer.Span, Methods>(span, {
    attribute: (key, value) => {
      if (isSafeAttribute(key, value)) methods.attribute(key, value)
    },
    event: (name, startTime, attributes = {}) =>
      methods.event(safeNameOf(name), startTime, safeAttributes(Object.entries(attributes))),
    addLinks: (links) => methods.addLinks(links.map(bare)),
    end: (endTime, exit) => {
      const ending = spanOutcomeOf(exit)
      if (ending.errorType !== undefined) methods.attribute("error.type", ending.errorType)
      methods.end(endTime, ending.exit)
    }
  })
}

const bare = ({ _tag, span }: Tracer.SpanLink): Tracer.SpanLink => ({ _tag, span, attributes: {} })
