import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Schema from "effect/Schema"

/** What is summed up: memories that say the same over again, what a day or a week brought on one subject, a conversation. */
export type SummaryKind = "cluster" | "daily" | "weekly" | "session"

/** One of the texts that are summed up: a memory or a turn, without its id; it is named by its place, 0…n−1. */
export interface SummarySource {
  /** The type of a memory, or the role of whoever speaks. */
  readonly type: string
  readonly speaker?: string | undefined
  readonly title?: string | undefined
  /** The narrative of a memory, or what was said. */
  readonly text?: string | undefined
  readonly facts: ReadonlyArray<string>
  /** When it happened or was said, milliseconds since the epoch. */
  readonly at: number
}

/** What a summarizer is told. */
export interface SummaryRequest {
  readonly kind: SummaryKind
  /** What it is about: a title, a project, a topic; empty where nothing says it. */
  readonly subject: string
  /** In the order of time. */
  readonly sources: ReadonlyArray<SummarySource>
  /** Tokens that the texts of the answer may cost together. */
  readonly budget: number
}

/** What a line of a summary is. A memory has a title, facts and perhaps a narrative; a session has the others. */
export const Part = Schema.Literal("title", "narrative", "fact", "request", "outcome", "decision", "open")
export type Part = typeof Part.Type

/** One statement of a summary, and the sources that say it. */
export const Line = Schema.Struct({
  part: Part,
  text: Schema.String,
  sources: Schema.Array(Schema.Int.pipe(Schema.nonNegative()))
})
export type Line = typeof Line.Type

export const Summary = Schema.Struct({ lines: Schema.Array(Line) })
export type Summary = typeof Summary.Type

/** The parts that a summary has: those that stand in it once at most, and those that may be many. */
export const partsOf = (
  kind: SummaryKind
): {
  readonly required: ReadonlyArray<Part>
  readonly single: ReadonlyArray<Part>
  readonly many: ReadonlyArray<Part>
} =>
  kind === "session"
    ? { required: ["request"], single: ["request", "outcome"], many: ["decision", "open"] }
    : { required: ["title"], single: ["title", "narrative"], many: ["fact"] }

/**
 * Why a summarizer's answer cannot be used: it failed; it is not of its form (`unreadable`, `part`), names a source that
 * there is none of (`source`), is too long (`size`) or too dear (`cost`); or says what no source says (`invented`), or
 * not all that they say (`dropped`). Names the kind of failure, never a text or a key.
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
    return `summarizer ${this.name}: ${this.reason}${this.detail === undefined ? "" : ` (${this.detail})`}`
  }
}

/**
 * Writes the text of what maintenance makes of several memories or turns. What it writes is checked against its sources;
 * where it fails, hangs, or says more or less than they do, the text that the rules made is used, and the event says so.
 */
export class Summarizer extends Context.Tag("daybook/Summarizer")<
  Summarizer,
  {
    /** Name and version, as decisions name it. */
    readonly name: string
    /** Names the wording of what it asks, so that a decision tells by which it was made. */
    readonly promptDigest?: string | undefined
    readonly summarize: (request: SummaryRequest) => Effect.Effect<Summary, SummarizerError>
  }
>() {}

/** Reads an answer strictly: the parts that belong to its kind, none of them twice that may be there once, each with sources that there are. */
export const decodeSummary = (
  name: string,
  answer: unknown,
  request: Pick<SummaryRequest, "kind" | "sources">
): Either.Either<Summary, SummarizerError> => {
  const failed = (reason: SummarizerError["reason"]) => Either.left(new SummarizerError({ name, reason }))
  const decoded = Schema.decodeUnknownEither(Summary)(answer, { onExcessProperty: "error" })
  if (Either.isLeft(decoded)) return failed("unreadable")
  const { lines } = decoded.right
  const { many, required, single } = partsOf(request.kind)
  const counted = (part: Part) => lines.filter((line) => line.part === part).length
  if (
    lines.some(({ part }) => ![...single, ...many].includes(part)) ||
    single.some((part) => counted(part) > 1) ||
    required.some((part) => counted(part) === 0 && (part !== "request" || request.sources.some(isUser)))
  ) {
    return failed("part")
  }
  const isThere = (index: number) => index < request.sources.length
  if (lines.some(({ sources }) => sources.length === 0 || !sources.every(isThere))) return failed("source")
  return Either.right(decoded.right)
}

/** Nobody else asks for anything. */
const isUser = ({ type }: SummarySource): boolean => type === "user"
