import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Layer from "effect/Layer"
import * as Schema from "effect/Schema"
import type { Decision } from "../../events/catalogue.js"

/** The content of a memory as a reconciler sees it. */
export interface Statement {
  readonly type: string
  readonly title: string
  readonly narrative?: string
  readonly facts: ReadonlyArray<string>
  readonly tags: ReadonlyArray<string>
  readonly people: ReadonlyArray<string>
  /** When the statement happened or was said, milliseconds since the epoch. */
  readonly at: number
}

/**
 * A new statement, and the existing memories of the same store that it may concern, most similar first. The index of a
 * memory, 0…n−1, identifies it.
 */
export interface Question {
  readonly statement: Statement
  readonly candidates: ReadonlyArray<Statement & { readonly score: number }>
}

/** The new content of an updated memory; `mergeStatements` fills in absent fields. */
export const UpdatedContent = Schema.Struct({
  title: Schema.optional(Schema.String),
  narrative: Schema.optional(Schema.String),
  facts: Schema.optional(Schema.Array(Schema.String)),
  tags: Schema.optional(Schema.Array(Schema.String))
})
export type UpdatedContent = typeof UpdatedContent.Type

const target = Schema.Int.pipe(Schema.nonNegative())
const reason = Schema.String

/**
 * The decision about a statement. ADD stores the statement as a new memory. UPDATE merges it into the target, which
 * keeps its id. DELETE means that the statement contradicts the target: if that is certain, the statement replaces the
 * target, which is retired; otherwise both stay, as a dispute. NONE adds nothing and counts as another mention of the
 * target (default: the first candidate).
 */
export const Verdict = Schema.Union(
  Schema.Struct({ action: Schema.Literal("ADD"), reason }),
  Schema.Struct({ action: Schema.Literal("UPDATE"), target, merged: Schema.optional(UpdatedContent), reason }),
  Schema.Struct({ action: Schema.Literal("DELETE"), target, reason }),
  Schema.Struct({ action: Schema.Literal("NONE"), target: Schema.optionalWith(target, { default: () => 0 }), reason })
)
export type Verdict = typeof Verdict.Type

/** A verdict and who made it. */
export interface Judgement {
  readonly verdict: Verdict
  readonly by: Decision["by"]
  /**
   * Set by rules: true if no second opinion from a model is needed. Set by a model: true if it says that it is certain.
   */
  readonly sure: boolean
  /**
   * How likely the verdict is right, 0…1. A DELETE below `reconcile.certain` retires nothing. Absent: 1 if `sure`, else 0.
   */
  readonly confidence?: number | undefined
}

/** How likely a judgement is right, 0…1. */
export const confidenceOf = ({ confidence, sure }: Pick<Judgement, "confidence" | "sure">): number =>
  confidence ?? (sure ? 1 : 0)

/**
 * Returns true if a judgement by rules needs no second opinion from a model. A contradiction needs at least the
 * confidence `certain`, 0…1. Any other judgement must be `sure`.
 */
export const needsNoModel = (judgement: Judgement, certain: number): boolean =>
  judgement.verdict.action === "DELETE" ? confidenceOf(judgement) >= certain : judgement.sure

/** A reconciler's answer cannot be used. Names the kind of failure, never a text or a key. */
export class ReconcilerError extends Schema.TaggedError<ReconcilerError>()("ReconcilerError", {
  name: Schema.String,
  reason: Schema.Literal("failed", "timeout", "refused", "unreadable", "action", "target", "merged"),
  detail: Schema.optional(Schema.String)
}) {
  override get message() {
    return `reconciler ${this.name}: ${reasons[this.reason]}${this.detail === undefined ? "" : ` (${this.detail})`}`
  }
}

const reasons = {
  failed: "failed",
  timeout: "timeout",
  refused: "refused",
  unreadable: "unreadable answer",
  action: "answered with an unknown action",
  target: "named an unknown target",
  merged: "returned an invalid merged memory"
} as const

/** The functions of a `Reconciler`. */
export interface ReconcilerService {
  /** Name and version, as decisions record it. */
  readonly name: string
  readonly judge: (question: Question) => Judgement
  readonly ask?: (question: Question) => Effect.Effect<Judgement, ReconcilerError>
}

/**
 * Decides what a statement means for similar memories. It is called only if there are candidates. `judge` is
 * synchronous and a pure function of the question: no clock, no network, no randomness. `ask` is optional and runs
 * first, outside of any transaction. If `ask` fails, hangs or returns an invalid answer, `judge` decides and the event
 * records that.
 */
export class Reconciler extends Context.Tag("daybook/Reconciler")<Reconciler, ReconcilerService | null>() {
  /** No reconciler: statements are stored without a comparison. */
  static readonly layerNone: Layer.Layer<Reconciler> = Layer.succeed(this, null)
}

/** Decodes an answer strictly: its action must be known, and its target must be a candidate. */
export const decodeVerdict = (
  name: string,
  answer: unknown,
  candidates: number
): Either.Either<Verdict, ReconcilerError> =>
  Schema.decodeUnknownEither(Verdict)(answer).pipe(
    Either.mapLeft(() => new ReconcilerError({ name, reason: isAction(answer) ? "unreadable" : "action" })),
    Either.flatMap((verdict) =>
      verdict.action === "ADD" || verdict.target < candidates
        ? Either.right(verdict)
        : Either.left(new ReconcilerError({ name, reason: "target" }))
    )
  )

const isAction = (answer: unknown): boolean =>
  ["ADD", "UPDATE", "DELETE", "NONE"].includes((answer as { readonly action?: string } | null)?.action ?? "")

/** Stores every statement as a new memory. */
export const noReconciler: ReconcilerService = {
  name: "none",
  judge: () => ({
    verdict: { action: "ADD", reason: "nothing is reconciled" },
    by: { kind: "rule", name: "none" },
    sure: true
  })
}

/** Judges a question locally: nothing leaves the process. */
export type Judge = (question: Question) => Judgement
