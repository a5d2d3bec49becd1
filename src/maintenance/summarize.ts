import * as Cause from "effect/Cause"
import * as Clock from "effect/Clock"
import type * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Option from "effect/Option"
import type { Decision } from "../../events/catalogue.js"
import type { Memory } from "../../events/Memory.js"
import type { DecidedEvent } from "../actor/Command.js"
import type { PolicyValues } from "../ports/Policy.js"
import type { StatementReaderService } from "../ports/StatementReader.js"
import {
  decodeSummary,
  type Line,
  type Summarizer,
  SummarizerError,
  type Summary,
  type SummaryRequest
} from "../ports/Summarizer.js"
import { problemOf } from "./checkSummary.js"

/** Who writes summaries, and how long that may take. */
export interface Summarizing {
  readonly summarizer: Context.Tag.Service<Summarizer>
  /** Reads summaries and their sources, to check one against the other. */
  readonly reader: StatementReaderService
  readonly policy: PolicyValues["summarize"]
}

/** An event that a stage planned by rule alone, and what a summarizer would be asked to write it better. */
export interface Draft {
  /** Its place among the events that were planned. */
  readonly at: number
  readonly request: SummaryRequest
  /** The event with what was written in place of the rule's text; its decision is not for it to change. */
  readonly write: (lines: ReadonlyArray<Line>, countTokens: (text: string) => number) => DecidedEvent
}

/**
 * The planned events with what a summarizer wrote in them. An answer that failed, or that its sources do not bear out
 * to the word, leaves the rule's text where it is, and the decision says so. Never fails; without a summarizer nothing
 * changes.
 */
export const summarized = (
  summarizing: Summarizing | undefined,
  events: ReadonlyArray<DecidedEvent>,
  drafts: ReadonlyArray<Draft>,
  countTokens: (text: string) => number
): Effect.Effect<ReadonlyArray<DecidedEvent>> =>
  summarizing === undefined || drafts.length === 0
    ? Effect.succeed(events)
    : Effect.gen(function* () {
        const { policy, summarizer } = summarizing
        const written = [...events]
        yield* Effect.forEach(
          drafts,
          (draft) =>
            Effect.gen(function* () {
              const began = yield* Clock.currentTimeMillis
              const answer = yield* answerOf(summarizing, draft.request, countTokens)
              const latency = (yield* Clock.currentTimeMillis) - began
              const { name, promptDigest } = summarizer
              written[draft.at] = Either.match(answer, {
                onLeft: ({ message }) => deciding(events[draft.at]!, { fallback: message, latency }),
                onRight: ({ lines }) =>
                  deciding(draft.write(lines, countTokens), {
                    by: { kind: "model", name, ...(promptDigest === undefined ? {} : { promptDigest }) },
                    latency
                  })
              })
            }),
          { concurrency: policy.concurrency, discard: true }
        )
        return written
      })

/** What a summarizer says in time, as far as it can be used; or why not. */
const answerOf = (
  { policy, reader, summarizer }: Summarizing,
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
    // Summarizers come from anywhere.
    Effect.flatMap((answer) => decodeSummary(name, answer, request)),
    Effect.tap((summary) => {
      const problem = problemOf(request, summary, countTokens, reader)
      return problem === undefined ? Effect.void : Effect.fail(new SummarizerError({ name, ...problem }))
    }),
    // Whatever else ends it, an interruption of its own too, must not end the run.
    Effect.catchAllCause((cause) =>
      Effect.fail(Option.getOrElse(Cause.failureOption(cause), () => new SummarizerError({ name, reason: "failed" })))
    ),
    Effect.either
  )
}

/** An event with more on its decision. */
const deciding = (event: DecidedEvent, more: Partial<Decision>): DecidedEvent =>
  ({
    ...event,
    payload: { ...event.payload, decision: { ...(event.payload as { readonly decision: Decision }).decision, ...more } }
  }) as DecidedEvent

/** What a summarizer is asked about memories; undefined where it may not be shown them: what lets somebody in is shown to nobody. */
export const requestAbout = (
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

/** A draft of an event that adds a memory: what is written takes the place of its title, narrative and facts; `keep` are facts that stay beside it. */
export const memoryDraft = (
  at: number,
  event: Extract<DecidedEvent, { type: "ADD" | "COMPRESS" }>,
  request: SummaryRequest,
  keep: ReadonlyArray<string> = []
): Draft => ({
  at,
  request,
  write: (lines, countTokens) => {
    const of = (part: Line["part"]) => lines.flatMap((line) => (line.part === part ? [line.text] : []))
    const [title = ""] = of("title")
    const [narrative] = of("narrative")
    const facts = [...new Set([...of("fact"), ...keep])]
    const tokens = countTokens([title, narrative ?? "", ...facts].join("\n"))
    const { narrative: _, ...memory } = event.payload.memory
    const written = { ...memory, title, ...(narrative === undefined ? {} : { narrative }), facts, tokens }
    return { ...event, payload: { ...event.payload, memory: written } } as DecidedEvent
  }
})
