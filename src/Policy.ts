import * as Context from "effect/Context"
import * as Either from "effect/Either"
import * as ParseResult from "effect/ParseResult"
import * as Schema from "effect/Schema"
import { InvalidPolicy } from "./errors.js"

const positive = Schema.Number.pipe(Schema.positive())
const count = Schema.Int.pipe(Schema.positive())
const share = Schema.Number.pipe(Schema.between(0, 1))
const withDefault = <A, I>(schema: Schema.Schema<A, I>, value: A) =>
  Schema.optionalWith(schema, { default: () => value })

const Search = Schema.Struct({
  /** How scores of both sides are brought together: weighted min-max over the pool, or reciprocal ranks. */
  fusion: withDefault(Schema.Literal("minmax", "rrf"), "minmax"),
  /** Share of vectors in the fused score; the embedder's own where absent. */
  vectorWeight: Schema.optional(share),
  /** Candidates of each side. */
  pool: withDefault(Schema.Int.pipe(Schema.between(1, 4_095)), 200),
  /** The constant of reciprocal rank fusion. */
  rrfConstant: withDefault(positive, 60),
  /** What a memory of today gains; falls by exp(−recencyDecay × whole UTC days). */
  recencyWeight: withDefault(share, 0.05),
  recencyDecay: withDefault(positive, 0.05),
  /** What a memory gains for each doubling of its mentions, up to eight doublings. */
  mentionWeight: withDefault(share, 0.02),
  /** What a turn gains, as a share of its score, where the question names its speaker, and its date. */
  speakerBoost: withDefault(Schema.Number.pipe(Schema.nonNegative()), 0.8),
  dateBoost: withDefault(Schema.Number.pipe(Schema.nonNegative()), 0.5),
  /** What a short turn gains of the score of the turns next to it, how that falls with each turn further, and how far it reaches. */
  contextWeight: withDefault(share, 0.1),
  contextDecay: withDefault(share, 0.7),
  contextTurns: withDefault(Schema.Int.pipe(Schema.between(0, 20)), 5),
  /** Words in more than this share of the rows are left out while others remain. */
  commonShare: withDefault(share, 0.2),
  /** Milliseconds that a query waits for its vector before it goes on with full text alone. */
  queryTimeout: withDefault(count, 2_000)
})

const Embedding = Schema.Struct({
  /** Milliseconds for one batch. */
  timeout: withDefault(count, 30_000),
  /** Milliseconds that a bulk write waits for a local embedder, all batches together; what is not done by then is done after it. */
  beside: withDefault(Schema.Int.pipe(Schema.nonNegative()), 2_000),
  /** Milliseconds to let texts gather before a batch is sent. */
  gather: withDefault(Schema.Int.pipe(Schema.nonNegative()), 100)
})

const Actors = Schema.Struct({
  /** Views open at once in this process. */
  open: withDefault(count, 64),
  /** Milliseconds without use after which a view is closed. */
  idle: withDefault(count, 60_000),
  /** Commands of one agent that may wait. */
  waiting: withDefault(count, 10_000)
})

const AsOf = Schema.Struct({
  /** Views of past versions kept in the cache folder for one agent. */
  kept: withDefault(count, 8)
})

/** Every number that may be set. Decoded from `policy.toml` or `policy.json` in the data folder. */
export const PolicySchema = Schema.Struct({
  search: withDefault(Search, Schema.decodeSync(Search)({})),
  embedding: withDefault(Embedding, Schema.decodeSync(Embedding)({})),
  actors: withDefault(Actors, Schema.decodeSync(Actors)({})),
  asOf: withDefault(AsOf, Schema.decodeSync(AsOf)({}))
})
export type PolicyValues = typeof PolicySchema.Type

export const defaults: PolicyValues = Schema.decodeSync(PolicySchema)({})

/** The policy in force; the defaults unless a layer says otherwise. */
export class Policy extends Context.Reference<Policy>()("daybook/Policy", { defaultValue: () => defaults }) {}

/** Decodes a policy document; unknown names are problems too, and all problems are told at once. */
export const decode = (document: unknown): Either.Either<PolicyValues, InvalidPolicy> =>
  Either.mapLeft(
    Schema.decodeUnknownEither(PolicySchema)(document, { errors: "all", onExcessProperty: "error" }),
    (error) =>
      new InvalidPolicy({
        problems: ParseResult.ArrayFormatter.formatErrorSync(error).map(
          (issue) => `${issue.path.join(".") || "document"}: ${issue.message}`
        )
      })
  )
