import * as Context from "effect/Context"
import * as Either from "effect/Either"
import * as ParseResult from "effect/ParseResult"
import * as Schema from "effect/Schema"
import { InvalidPolicy } from "../model/errors.js"
import { address, count, exactly, positive, section, share, variable, withDefault, zone } from "./policy/fields.js"
import { Archive, Compress, Gc, Maintenance, Retention, Sessions, Tiers } from "./policy/life.js"
import { Embedding, Rerank } from "./policy/models.js"
import { Schedules } from "./policy/schedules.js"

const Search = Schema.Struct({
  /** Full text and vectors, a look at the first hits by the reranker; or full text alone. Any other name is classic. */
  mode: withDefault(Schema.String, "enhanced"),
  /** The time zone of "yesterday" and "last week", by its IANA name. */
  zone: withDefault(zone, "UTC"),
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
  /** In place of recencyDecay for memories of a type: what people are and decide stays, what is tried passes. */
  decays: withDefault(Schema.Record({ key: Schema.String, value: Schema.Number.pipe(Schema.nonNegative()) }), {
    identity: 0.002,
    person: 0.005,
    credential: 0.005,
    preference: 0.01,
    decision: 0.01,
    config: 0.01,
    solution: 0.01,
    technical: 0.02,
    discovery: 0.02,
    conversation: 0.1,
    temp: 0.5,
    debug: 0.5
  }),
  /** What a memory gains for each doubling of its mentions, up to eight doublings. */
  mentionWeight: withDefault(share, 0.02),
  /** What a memory gains for an importance of 1. */
  importanceWeight: withDefault(share, 0.1),
  /** What a memory gains, as a share of its score, where the question names its project. */
  projectBoost: withDefault(Schema.Number.pipe(Schema.nonNegative()), 0.3),
  /** What a turn gains, as a share of its score, where the question names its speaker; and anything where it names its date. */
  speakerBoost: withDefault(Schema.Number.pipe(Schema.nonNegative()), 0.8),
  dateBoost: withDefault(Schema.Number.pipe(Schema.nonNegative()), 0.5),
  /** What a short turn gains of the score of the turns next to it, how that falls with each turn further, and how far it reaches. */
  contextWeight: withDefault(share, 0.1),
  contextDecay: withDefault(share, 0.7),
  contextTurns: withDefault(Schema.Int.pipe(Schema.between(0, 20)), 5),
  /** Words in more than this share of the rows are left out while others remain. */
  commonShare: withDefault(share, 0.2),
  /** The first hits that are read to be folded and given to a reranker. */
  drafts: withDefault(Schema.Int.pipe(Schema.between(1, 1_000)), 15),
  /** Whether of hits that say the same, but for case, accents, punctuation and articles, the newest stands for all. */
  fold: withDefault(Schema.Boolean, true),
  /** Whether the reranker is asked, and what its best score adds; its own weight where absent. */
  rerank: withDefault(Schema.Boolean, true),
  rerankWeight: Schema.optional(share),
  /** Milliseconds that a query waits for its vector before it goes on with full text alone, and for the reranker. */
  queryTimeout: withDefault(count, 2_000)
})

const Actors = Schema.Struct({
  /** Views open at once in this process. */
  open: withDefault(count, 64),
  /** Milliseconds without use after which a view is closed. */
  idle: withDefault(count, 60_000),
  /** Commands of one agent that may wait. */
  waiting: withDefault(count, 10_000)
})

const Reconcile = Schema.Struct({
  /**
   * What decides on a memory that is like others: rules, a model, rules with a model for what they are not sure of, or
   * nobody.
   */
  reconciler: withDefault(Schema.Literal("rules", "model", "hybrid", "none"), "rules"),
  /** Memories that are weighed, of what each side finds and of both together. */
  candidates: withDefault(Schema.Int.pipe(Schema.between(1, 100)), 10),
  /** How like a memory must be to be weighed, 0…1: more than this. */
  threshold: withDefault(share, 0.3),
  /** Milliseconds that one answer of a reconciler that is asked may take, retries included. */
  timeout: withDefault(count, 30_000),
  /** Milliseconds that a local embedder may take for the texts that are weighed. */
  embedTimeout: withDefault(count, 1_000),
  /** Questions of one agent at once. */
  concurrency: withDefault(count, 4)
})

const Summarize = Schema.Struct({
  /** Who writes what maintenance makes of several memories or turns: rules, or a model whose text is checked against them. */
  summarizer: withDefault(Schema.Literal("rules", "model"), "rules"),
  /** Milliseconds that one answer may take, retries included. */
  timeout: withDefault(count, 60_000),
  /** Questions at once of one run of maintenance. */
  concurrency: withDefault(Schema.Int.pipe(Schema.between(1, 100)), 2)
})

const Recall = Schema.Struct({
  /** Whether reads are recorded, where the handle does not say: which memories were shown, to whom, for which question. */
  log: withDefault(Schema.Boolean, true),
  /** Milliseconds after which what was recalled is recorded, as one event. */
  flushAfter: withDefault(count, 60_000),
  /** Recalls after which it is recorded at once. */
  batch: withDefault(Schema.Int.pipe(Schema.between(1, 1_000)), 100)
})

const Marks = Schema.Struct({
  /** Whether memories that hold personal data (an e-mail address, a phone, card or identity number, …) are tagged `pii`. */
  pii: withDefault(Schema.Boolean, true),
  /** Whether memories that hold credentials, or say that they are one by their type, are kept in store private as type `credential`. */
  credentials: withDefault(Schema.Boolean, true)
})

const AsOf = Schema.Struct({
  /** Views of past versions kept in the cache folder for one agent. */
  kept: withDefault(count, 8)
})

const Model = Schema.Struct({
  /** Whose protocol is spoken; many servers speak OpenAI's. */
  provider: Schema.Literal("openai", "anthropic"),
  /** The model, as the provider names it. */
  model: Schema.String.pipe(Schema.minLength(1), Schema.maxLength(200)),
  /** Another address than the provider's own, up to its version: http://localhost:11434/v1 say. */
  baseUrl: exactly(address),
  /** Of OpenAI's two protocols, which: "responses" at OpenAI's own address, "chat" at any other, unless told otherwise. */
  api: exactly(Schema.Literal("responses", "chat")),
  /** The environment variable that holds the key: the provider's usual one; none at another address unless it is named. */
  keyVariable: exactly(variable),
  /** Milliseconds for one request. */
  timeout: withDefault(count, 10_000),
  /** Milliseconds for one question with all its requests and the pauses between them. */
  patience: withDefault(count, 25_000),
  /** Requests after the first one, where the server is busy, broken or cannot be reached. */
  retries: withDefault(Schema.Int.pipe(Schema.between(0, 10)), 2),
  /** Milliseconds before the second request; twice as long before each further one; a random part of up to a half less. */
  backoff: withDefault(count, 500),
  /** Requests under way at once. */
  concurrency: withDefault(Schema.Int.pipe(Schema.between(1, 100)), 4)
})
/** Which language model is asked, and how long. */
export type ModelSettings = typeof Model.Type

/** Every number that may be set. Decoded from `policy.toml` or `policy.json` in the data folder. */
export const PolicySchema = Schema.Struct({
  search: section(Search),
  embedding: section(Embedding),
  rerank: section(Rerank),
  actors: section(Actors),
  reconcile: section(Reconcile),
  summarize: section(Summarize),
  recall: section(Recall),
  marks: section(Marks),
  asOf: section(AsOf),
  tiers: section(Tiers),
  gc: section(Gc),
  compress: section(Compress),
  retention: section(Retention),
  archive: section(Archive),
  sessions: section(Sessions),
  maintenance: section(Maintenance),
  schedules: section(Schedules),
  model: exactly(Model)
})
export type PolicyValues = typeof PolicySchema.Type

export const defaults: PolicyValues = Schema.decodeSync(PolicySchema)({})

/** The policy in force; the defaults unless a layer says otherwise. */
export class Policy extends Context.Reference<Policy>()("daybook/Policy", { defaultValue: () => defaults }) {}

/** Decodes a policy document; unknown names are problems too, and all problems are told at once. */
export const decode = (document: unknown): Either.Either<PolicyValues, InvalidPolicy> =>
  Either.mapLeft(
    Schema.decodeUnknownEither(PolicySchema)(document, { errors: "all", onExcessProperty: "error" }),
    (error) => {
      const problems = new Map<string, Set<string>>()
      for (const issue of ParseResult.ArrayFormatter.formatErrorSync(error)) {
        const path = issue.path.join(".") || "document"
        const problem = problemOf(issue)
        if (problem !== undefined) problems.set(path, (problems.get(path) ?? new Set()).add(problem))
      }
      return new InvalidPolicy({ problems: [...problems].map(([path, told]) => `${path}: ${either([...told])}`) })
    }
  )

/** What one place was expected to be, each alternative named once. */
const either = (told: ReadonlyArray<string>): string => told.join(" or ").replaceAll(" or expected ", " or ")

/** What is wrong, without the value, which Effect quotes; undefined where it only says that an optional one is there. */
const problemOf = ({ _tag, message }: ParseResult.ArrayFormatterIssue): string | undefined => {
  if (_tag === "Unexpected") return "is not a known setting"
  const [, expected] = /^Expected (.*?), actual /s.exec(message) ?? []
  if (expected === undefined) return message
  if (expected === "undefined") return undefined
  return expected.startsWith("Struct ") ? "must be a table" : `expected ${expected}`
}
