import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Layer from "effect/Layer"
import * as Schema from "effect/Schema"

/** The kind of summary: of memories that repeat each other, of a day or a week on one subject, or of a conversation. */
export type SummaryKind = "cluster" | "daily" | "weekly" | "session"

/** One source of a summary: a memory or a turn, without its id. The index of the source, 0…n−1, identifies it. */
export interface SummarySource {
  /** The type of a memory, or the role of a turn's speaker. */
  readonly type: string
  readonly speaker?: string | undefined
  readonly title?: string | undefined
  /** The narrative of a memory, or the text of a turn. */
  readonly text?: string | undefined
  readonly facts: ReadonlyArray<string>
  /** When the source happened or was said, milliseconds since the epoch. */
  readonly at: number
}

/** The input of a summarizer. */
export interface SummaryRequest {
  readonly kind: SummaryKind
  /** The subject: a title, a project or a topic; empty if unknown. */
  readonly subject: string
  /** Oldest first. */
  readonly sources: ReadonlyArray<SummarySource>
  /** Token limit for all texts of the answer together. */
  readonly budget: number
}

/** The role of a line. A memory has a title, facts and perhaps a narrative; a session has the other parts. */
export const LineRole = Schema.Literal("title", "narrative", "fact", "request", "outcome", "decision", "open")
export type LineRole = typeof LineRole.Type

/** One statement of a summary, and the sources that support it. */
export const Line = Schema.Struct({
  part: LineRole,
  text: Schema.String,
  sources: Schema.Array(Schema.Int.pipe(Schema.nonNegative()))
})
export type Line = typeof Line.Type

export const Summary = Schema.Struct({ lines: Schema.Array(Line) })
export type Summary = typeof Summary.Type

/** The parts of a summary by kind: required, allowed at most once, and allowed many times. */
export const allowedParts = (
  kind: SummaryKind
): {
  readonly required: ReadonlyArray<LineRole>
  readonly atMostOnce: ReadonlyArray<LineRole>
  readonly repeatable: ReadonlyArray<LineRole>
} =>
  kind === "session"
    ? { required: ["request"], atMostOnce: ["request", "outcome"], repeatable: ["decision", "open"] }
    : { required: ["title"], atMostOnce: ["title", "narrative"], repeatable: ["fact"] }

/**
 * A summarizer's answer cannot be used: it failed, has the wrong form (`unreadable`, `part`), names an unknown source
 * (`source`), is too long (`size`) or costs too many tokens (`cost`), states something that no source states
 * (`invented`), or omits something that its sources state (`dropped`). Names the kind of failure, never a text or a
 * key.
 */
export class SummarizerError extends Schema.TaggedError<SummarizerError>()("SummarizerError", {
  name: Schema.String,
  reason: Schema.Literal(
    "failed",
    "timeout",
    "refused",
    "unreadable",
    "part",
    "source",
    "size",
    "cost",
    "invented",
    "dropped"
  ),
  detail: Schema.optional(Schema.String)
}) {
  override get message() {
    return `summarizer ${this.name}: ${reasons[this.reason]}${this.detail === undefined ? "" : ` (${this.detail})`}`
  }
}

const reasons = {
  failed: "failed",
  timeout: "timeout",
  refused: "refused",
  unreadable: "unreadable answer",
  part: "put a line in the wrong part",
  source: "named an unknown source",
  size: "wrote a line that is too long",
  cost: "wrote too many tokens",
  invented: "made a statement that no source supports",
  dropped: "omitted statements of the sources"
} as const

/** The functions of a `Summarizer`. */
export interface SummarizerService {
  /** Name and version, as decisions record it. */
  readonly name: string
  /** Digest of the prompt's wording, so that a decision records which prompt made it. */
  readonly promptDigest?: string | undefined
  readonly summarize: (request: SummaryRequest) => Effect.Effect<Summary, SummarizerError>
}

/**
 * Writes the summaries of maintenance. The engine checks each summary against its sources. If the summarizer fails or
 * hangs, or if the summary does not match its sources, the rules write the text, and the event records that.
 */
export class Summarizer extends Context.Tag("daybook/Summarizer")<Summarizer, SummarizerService | null>() {
  /** No summarizer: the rules write every summary. */
  static readonly layerNone: Layer.Layer<Summarizer> = Layer.succeed(this, null)
}

/**
 * Decodes an answer strictly. The answer may contain only the parts that `allowedParts` allows for its kind. Every line must
 * have valid sources.
 */
export const decodeSummary = (
  name: string,
  answer: unknown,
  request: Pick<SummaryRequest, "kind" | "sources">
): Either.Either<Summary, SummarizerError> => {
  const failed = (reason: SummarizerError["reason"]) => Either.left(new SummarizerError({ name, reason }))
  const decoded = Schema.decodeUnknownEither(Summary)(answer, { onExcessProperty: "error" })
  if (Either.isLeft(decoded)) return failed("unreadable")
  const { lines } = decoded.right
  const { repeatable, required, atMostOnce } = allowedParts(request.kind)
  const countOf = (part: LineRole) => lines.filter((line) => line.part === part).length
  if (
    lines.some(({ part }) => ![...atMostOnce, ...repeatable].includes(part)) ||
    atMostOnce.some((part) => countOf(part) > 1) ||
    required.some((part) => countOf(part) === 0 && (part !== "request" || request.sources.some(isUser)))
  ) {
    return failed("part")
  }
  const isValidSource = (index: number) => index < request.sources.length
  if (lines.some(({ sources }) => sources.length === 0 || !sources.every(isValidSource))) return failed("source")
  return Either.right(decoded.right)
}

/** Only user turns contain requests. */
const isUser = ({ type }: SummarySource): boolean => type === "user"
