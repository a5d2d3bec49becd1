import * as Cause from "effect/Cause"
import * as Exit from "effect/Exit"
import * as Tracer from "effect/Tracer"
import { failureNames } from "../../src/model/failureNames.js"
import { isSafeAttribute, safeAttributes, safeNameOf } from "./attributes.js"

type Methods = { -readonly [Name in "attribute" | "event" | "end" | "addLinks"]: Tracer.Span[Name] }

/**
 * A tracer that passes on ids, counts and known words only: attributes and names of spans and events by the list in
 * `attributes.ts`, and of a failure its tag. An error's message, or a span of another library, may quote a memory.
 */
export const filteredTracer = (inner: Tracer.Tracer): Tracer.Tracer =>
  Tracer.make({
    // Effect calls it for every step of a fiber, so it must not be wrapped.
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
      if (Exit.isSuccess(exit)) return methods.end(endTime, Exit.void)
      if (Cause.isInterruptedOnly(exit.cause)) return methods.end(endTime, exit)
      const names = failureNames(exit.cause)
      const type = isSafeAttribute("error.type", names) ? names : "_OTHER"
      methods.attribute("error.type", type)
      methods.end(endTime, Exit.fail(namedFailure(type)))
    }
  })
}

const bare = ({ _tag, span }: Tracer.SpanLink): Tracer.SpanLink => ({ _tag, span, attributes: {} })

/** An error that says nothing but its name, in the places that exporters read. */
const namedFailure = (name: string): Error => Object.assign(new Error(name), { name, stack: name })
