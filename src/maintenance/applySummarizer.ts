import * as Cause from "effect/Cause"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Option from "effect/Option"
import type { Decision } from "../../events/catalogue.js"
import type { Memory } from "../../events/Memory.js"
import type { DecidedEvent } from "../actor/Command.js"
import { memoryText } from "../model/memoryText.js"
import { countFallback } from "../model/operationMetrics.js"
import type { PolicyValues } from "../ports/Policy.js"
import type { StatementReaderService } from "../ports/StatementReader.js"
import {
  decodeSummary,
  type Line,
  SummarizerError,
  type SummarizerService,
  type Summary,
  type SummaryRequest
} from "../ports/Summarizer.js"
import { findSummaryProblem } from "./checkSummary.js"

/** The summarizer, the reader that checks its answers, and the policy with its time-out and concurrency. */
export interface SummarizerSetup {
  readonly summarizer: SummarizerService
  /** Reads statements in a summary and in its sources, to compare them. */
  readonly reader: StatementReaderService
  readonly policy: PolicyValues["summarize"]
}

/** A planned event with a text that the rules wrote, and the request for a better text from a summarizer. */
export interface Draft {
  /** Index of the event in the plan. */
  readonly eventIndex: number
  readonly request: SummaryRequest
  /** Returns the event with the summarizer's lines as its text, and with the same decision. */
  readonly write: (lines: ReadonlyArray<Line>, countTokens: (text: string) => number) => DecidedEvent
}

/**
 * Replaces the texts of planned events with the summarizer's answers. If the summarizer fails, or if the sources do not
 * support its answer word for word, the event keeps the text that the rules wrote, and its decision names the failure.
 * The returned effect never fails. Without a summarizer, the events are returned unchanged.
 */
export const applySummarizer = (
  summarizing: SummarizerSetup | undefined,
  events: ReadonlyArray<DecidedEvent>,
  drafts: ReadonlyArray<Draft>,
  countTokens: (text: string) => number
): Effect.Effect<ReadonlyArray<DecidedEvent>> => {
  if (summarizing === undefined || drafts.length === 0) return Effect.succeed(events)
  const { policy, summarizer } = summarizing
  const { name, promptDigest } = summarizer
  const eventOf = Effect.fnUntraced(function* (draft: Draft) {
    const startedAt = yield* Clock.currentTimeMillis
    const answer = yield* answerOf(summarizing, draft.request, countTokens)
    const latency = (yield* Clock.currentTimeMillis) - startedAt
    if (Either.isLeft(answer)) countFallback("summarizer")
    const event = Either.match(answer, {
      onLeft: ({ message }) => withDecision(events[draft.eventIndex]!, { fallback: message, latency }),
      onRight: ({ lines }) =>
        withDecision(draft.write(lines, countTokens), {
          by: { kind: "model", name, ...(promptDigest === undefined ? {} : { promptDigest }) },
          latency
        })
    })
    return [draft.eventIndex, event] as const
  })
  return Effect.map(Effect.forEach(drafts, eventOf, { concurrency: policy.concurrency }), (written) => {
    const byIndex = new Map(written)
    return events.map((event, index) => byIndex.get(index) ?? event)
  })
}

/** Returns a valid answer that arrives before the time-out, or the reason for the failure. */
const answerOf = (
  { policy, reader, summarizer }: SummarizerSetup,
  request: SummaryRequest,
  countTokens: (text: string) => number
): Effect.Effect<Either.Either<Summary, SummarizerError>> => {
  const { name } = summarizer
  return Effect.suspend(() => summarizer.summarize(request)).pipe(
    Effect.disconnect,
    Effect.timeoutFail({
      duration: policy.timeout,
      onTimeout: () => new SummarizerError({ name, reason: "timeout" })
    }),
    // Summarizers are plug-ins, so their answers are not trusted.
    Effect.flatMap((answer) => decodeSummary(name, answer, request)),
    Effect.tap((summary) => {
      const problem = findSummaryProblem(request, summary, countTokens, reader)
      return problem === undefined ? Effect.void : Effect.fail(new SummarizerError({ name, ...problem }))
    }),
    // A defect or an interruption inside the summarizer must not end the run.
    Effect.catchAllCause((cause) =>
      Effect.fail(Option.getOrElse(Cause.failureOption(cause), () => new SummarizerError({ name, reason: "failed" })))
    ),
    Effect.either
  )
}

/** Adds fields to the decision of an event. */
const withDecision = (event: DecidedEvent, fields: Partial<Decision>): DecidedEvent =>
  ({
    ...event,
    payload: {
      ...event.payload,
      decision: { ...(event.payload as { readonly decision: Decision }).decision, ...fields }
    }
  }) as DecidedEvent

/**
 * Makes the request to summarize memories. Returns undefined if a memory is a credential, because no summarizer may
 * read credentials.
 */
export const memoriesRequest = (
  kind: SummaryRequest["kind"],
  subject: string,
  memories: ReadonlyArray<Memory>,
  budget: number
): SummaryRequest | undefined =>
  memories.some(({ type }) => type === "credential")
    ? undefined
    : {
        kind,
        subject,
        budget,
        sources: memories.map(({ createdAt, facts, narrative, occurredAt, title, type }) => ({
          type,
          title,
          ...(narrative === undefined ? {} : { text: narrative }),
          facts,
          at: occurredAt ?? createdAt
        }))
      }

/**
 * Makes the draft of an event that adds a memory. The lines replace the memory's title, narrative and facts. The facts
 * in `keep` remain.
 */
export const memoryDraft = (
  eventIndex: number,
  event: Extract<DecidedEvent, { type: "ADD" | "COMPRESS" }>,
  request: SummaryRequest,
  keep: ReadonlyArray<string> = []
): Draft => ({
  eventIndex,
  request,
  write: (lines, countTokens) => {
    const textsOf = (part: Line["part"]) => lines.flatMap((line) => (line.part === part ? [line.text] : []))
    const [title = ""] = textsOf("title")
    const [narrative] = textsOf("narrative")
    const facts = [...new Set([...textsOf("fact"), ...keep])]
    const tokens = countTokens(memoryText({ title, narrative, facts }))
    const { narrative: _, ...memory } = event.payload.memory
    const written = { ...memory, title, ...(narrative === undefined ? {} : { narrative }), facts, tokens }
    return { ...event, payload: { ...event.payload, memory: written } } as DecidedEvent
  }
})
