import * as Context from "effect/Context"
import * as Either from "effect/Either"
import * as ParseResult from "effect/ParseResult"
import * as Schema from "effect/Schema"
import { InvalidPolicy } from "../model/errors.js"
import { limits } from "../model/limits.js"
import { Capture } from "./policy/capture.js"
import { ShortTerm, Summary } from "./policy/conversation.js"
import { fastDecays, slowDecays } from "./policy/decays.js"
import {
  defaultsOf,
  exactOptional,
  fraction,
  httpAddress,
  positiveInteger,
  positiveNumber,
  section,
  timeZoneName,
  variableName,
  withDefault
} from "./policy/fields.js"
import { Import } from "./policy/import.js"
import { Log } from "./policy/log.js"
import { Archive, Compress, Gc, Maintenance, Retention, Sessions, Tiers, Tools } from "./policy/maintenance.js"
import { Embedding, Rerank } from "./policy/models.js"
import { Prompt, PromptIndex } from "./policy/prompt.js"
import { Schedules } from "./policy/schedules.js"
import { suggestSetting } from "./policy/suggestSetting.js"
import { Tokens } from "./policy/tokens.js"
import { Trace } from "./policy/trace.js"

const Search = Schema.Struct({
  /**
   * "enhanced" searches by full text and vectors and reranks the first hits; "classic" searches by full text alone. Any
   * other name means classic.
   */
  mode: withDefault(Schema.String, "enhanced"),
  /** The time zone of "yesterday" and "last week", an IANA name. */
  zone: withDefault(timeZoneName, "UTC"),
  /** How to fuse the scores of full text and vectors: weighted min-max over the pool, or reciprocal ranks. */
  fusion: withDefault(Schema.Literal("minmax", "rrf"), "minmax"),
  /** Share of vectors in the fused score; default: the embedder's own weight. */
  vectorWeight: Schema.optional(fraction),
  /** Maximum candidates from full text, and from vectors. */
  pool: withDefault(Schema.Int.pipe(Schema.between(1, limits.topK)), 200),
  /** The constant of reciprocal rank fusion. */
  rrfConstant: withDefault(positiveNumber, 60),
  /** Score gain for a memory of today. With age it falls by the factor exp(−recencyDecay × whole UTC days). */
  recencyWeight: withDefault(fraction, 0.05),
  recencyDecay: withDefault(positiveNumber, 0.05),
  /** Replaces recencyDecay for memories of a type: people and decisions stay relevant, experiments fade. */
  decays: withDefault(Schema.Record({ key: Schema.String, value: Schema.Number.pipe(Schema.nonNegative()) }), {
    ...slowDecays,
    ...fastDecays
  }),
  /** Gain for each doubling of a memory's mentions, up to eight doublings. */
  mentionWeight: withDefault(fraction, 0.02),
  /** Gain for an importance of 1. */
  importanceWeight: withDefault(fraction, 0.1),
  /** Gain if the query names the memory's project, as a share of the memory's score. */
  projectBoost: withDefault(Schema.Number.pipe(Schema.nonNegative()), 0.3),
  /**
   * Gains as a share of the score: `speakerBoost` for a turn whose speaker the query names, `dateBoost` for a row whose
   * date the query names.
   */
  speakerBoost: withDefault(Schema.Number.pipe(Schema.nonNegative()), 0.8),
  dateBoost: withDefault(Schema.Number.pipe(Schema.nonNegative()), 0.5),
  /**
   * Minimum evidence, 0…1, of a near memory: one that may answer the query. Evidence combines the share of the query's
   * words that the memory contains, weighted by rarity, with the memory's similarity.
   */
  nearEvidence: withDefault(fraction, 0.46),
  /**
   * For each embedder: the cosine of unrelated texts, and the cosine of texts that mean the same. `other` applies to
   * all embedders that are not listed.
   */
  similarities: withDefault(Schema.Record({ key: Schema.String, value: Schema.Tuple(Schema.Number, Schema.Number) }), {
    other: [0.3, 0.9] as const,
    "glove-100-v1": [0.5, 0.8] as const
  }),
  /**
   * Gain of a memory in a time that the query names, if the query also names the memory's type ("decisions of last
   * week").
   */
  typeGain: withDefault(Schema.Number.pipe(Schema.nonNegative()), 0.5),
  /**
   * For neighbouring turns: `contextWeight` is the share of a neighbour's score that a short turn gains, `contextDecay`
   * the factor per turn of distance, and `contextTurns` the maximum distance in turns.
   */
  contextWeight: withDefault(fraction, 0.1),
  contextDecay: withDefault(fraction, 0.7),
  contextTurns: withDefault(Schema.Int.pipe(Schema.between(0, 20)), 5),
  /** Words that occur in a larger share of the rows are left out, as long as other words remain. */
  commonShare: withDefault(fraction, 0.2),
  /** Number of first hits that are read, folded and reranked. */
  drafts: withDefault(Schema.Int.pipe(Schema.between(1, 1_000)), 15),
  /** Whether to fold hits with equal text (ignoring case, accents, punctuation and articles) into the newest one. */
  fold: withDefault(Schema.Boolean, true),
  /** Whether to rerank, and the gain for the reranker's best score (default: the reranker's own weight). */
  rerank: withDefault(Schema.Boolean, true),
  rerankWeight: Schema.optional(fraction),
  /**
   * Milliseconds that a query waits for its vector before it searches by full text alone. Also the time-out of the
   * reranker.
   */
  queryTimeout: withDefault(positiveInteger, 2_000)
})

const Actors = Schema.Struct({
  /** Maximum open views in this process. */
  open: withDefault(positiveInteger, 64),
  /** Milliseconds without use before a view is closed. */
  idle: withDefault(positiveInteger, 60_000),
  /** Maximum waiting commands of one agent. */
  waiting: withDefault(positiveInteger, 10_000)
})

const Reconcile = Schema.Struct({
  /**
   * Decides on a memory that resembles others: rules, a model, hybrid (rules that ask a model if they are unsure), or
   * none.
   */
  reconciler: withDefault(Schema.Literal("rules", "model", "hybrid", "none"), "rules"),
  /** Maximum candidate memories from full text, from vectors, and in total. */
  candidates: withDefault(Schema.Int.pipe(Schema.between(1, 100)), 10),
  /** Minimum similarity of a candidate, 0…1, exclusive. */
  threshold: withDefault(fraction, 0.3),
  /** Minimum confidence, 0…1, at which a contradiction retires a memory. Below it, both memories stay, as a dispute. */
  certain: withDefault(fraction, 0.98),
  /** Milliseconds for one answer of a model reconciler, including retries. */
  timeout: withDefault(positiveInteger, 30_000),
  /** Milliseconds that a local embedder gets to embed the compared texts. */
  embedTimeout: withDefault(positiveInteger, 1_000),
  /** Maximum concurrent requests of one agent. */
  concurrency: withDefault(positiveInteger, 4)
})

const Summarize = Schema.Struct({
  /** Writes the summaries of maintenance: rules, or a model whose text is checked against its sources. */
  summarizer: withDefault(Schema.Literal("rules", "model"), "rules"),
  /** Milliseconds for one answer, including retries. */
  timeout: withDefault(positiveInteger, 60_000),
  /** Maximum concurrent requests of one maintenance run. */
  concurrency: withDefault(Schema.Int.pipe(Schema.between(1, 100)), 2)
})

const Recall = Schema.Struct({
  /**
   * Whether reads are recorded by default: which memories were shown, to whom, for which query. A handle can override
   * it.
   */
  log: withDefault(Schema.Boolean, true),
  /** Maximum milliseconds that recalls wait before one event records them. */
  flushAfter: withDefault(positiveInteger, 60_000),
  /** When this many recalls wait, they are recorded immediately. */
  batch: withDefault(Schema.Int.pipe(Schema.between(1, 1_000)), 100)
})

const Marks = Schema.Struct({
  /** Whether memories with personal data (an e-mail address, a phone, card or identity number, …) are tagged `pii`. */
  pii: withDefault(Schema.Boolean, true),
  /** Whether memories that contain credentials, or have the type `credential`, are stored in private with that type. */
  credentials: withDefault(Schema.Boolean, true)
})

const AsOf = Schema.Struct({
  /** Maximum views of past versions in the cache folder, per agent. */
  kept: withDefault(positiveInteger, 8)
})

const modelName = Schema.String.pipe(Schema.minLength(1), Schema.maxLength(200))
const modelConnection = {
  /** The base URL including the API version, for example http://localhost:11434/v1; default: the provider's own URL. */
  baseUrl: exactOptional(httpAddress),
  /** OpenAI's API variant; default: "responses" at OpenAI's own address, "chat" at any other. */
  api: exactOptional(Schema.Literal("responses", "chat")),
  /**
   * The environment variable with the key. Default: the provider's usual variable; to other addresses no key is sent
   * unless this is set.
   */
  keyVariable: exactOptional(variableName)
}

const Model = Schema.Struct({
  /** The protocol of the provider; many servers speak OpenAI's. */
  provider: Schema.Literal("openai", "anthropic"),
  /** The provider's name of the model. */
  model: modelName,
  ...modelConnection,
  /**
   * A second, faster model that extracts from turns and decides about memories. If it sets neither provider nor
   * baseUrl, it uses the connection of the first model. The limits below apply to each of the two models.
   */
  fast: exactOptional(
    Schema.Struct({
      provider: exactOptional(Schema.Literal("openai", "anthropic")),
      model: modelName,
      ...modelConnection
    })
  ),
  /**
   * Seconds for one extraction or decision with all its requests and the pauses between them; at most `patience`. Then
   * the rules answer.
   */
  timeout_s: withDefault(Schema.Number.pipe(Schema.greaterThan(0), Schema.lessThanOrEqualTo(600)), 8),
  /** Milliseconds for one request. */
  timeout: withDefault(positiveInteger, 10_000),
  /** Milliseconds for one question with all its requests and the pauses between them. */
  patience: withDefault(positiveInteger, 25_000),
  /** Maximum retries if the server is busy, broken or unreachable. */
  retries: withDefault(Schema.Int.pipe(Schema.between(0, 10)), 2),
  /** Milliseconds before the first retry, doubled for each further one. A random part of up to a half is subtracted. */
  backoff: withDefault(positiveInteger, 500),
  /** Maximum concurrent requests. */
  concurrency: withDefault(Schema.Int.pipe(Schema.between(1, 100)), 4)
})
/** The language model and its time limits. */
export type ModelSettings = typeof Model.Type

/** Every setting. Decoded from `policy.toml` or `policy.json` in the data folder. */
export const PolicySchema = Schema.Struct({
  search: section(Search),
  embedding: section(Embedding),
  rerank: section(Rerank),
  actors: section(Actors),
  reconcile: section(Reconcile),
  summarize: section(Summarize),
  capture: section(Capture),
  recall: section(Recall),
  marks: section(Marks),
  asOf: section(AsOf),
  import: section(Import),
  tiers: section(Tiers),
  gc: section(Gc),
  compress: section(Compress),
  retention: section(Retention),
  archive: section(Archive),
  sessions: section(Sessions),
  tools: section(Tools),
  maintenance: section(Maintenance),
  prompt: section(Prompt),
  prompt_index: section(PromptIndex),
  short_term: section(ShortTerm),
  summary: section(Summary),
  schedules: section(Schedules),
  tokens: section(Tokens),
  trace: section(Trace),
  log: section(Log),
  model: exactOptional(Model)
})
export type PolicyValues = typeof PolicySchema.Type

export const defaults: PolicyValues = defaultsOf(PolicySchema)

/** The active policy; default values unless a layer provides another one. */
export class Policy extends Context.Reference<Policy>()("daybook/Policy", { defaultValue: () => defaults }) {}

/** Decodes a policy document. Reports all problems together; an unknown name is a problem too. */
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
      return new InvalidPolicy({
        problems: [...problems].map(([path, problemsOfPath]) => `${path}: ${alternativesText([...problemsOfPath])}`)
      })
    }
  )

/** Joins the alternatives for one path, without repeating "expected". */
const alternativesText = (alternatives: ReadonlyArray<string>): string =>
  alternatives.join(" or ").replaceAll(" or expected ", " or ")

/**
 * The problem without the value, which Effect quotes. Undefined for an alternative that only allows the value to be
 * absent.
 */
const problemOf = ({ _tag, message, path }: ParseResult.ArrayFormatterIssue): string | undefined => {
  if (_tag === "Unexpected") {
    const similar = suggestSetting(PolicySchema, path)
    return `is not a known setting${similar === undefined ? "" : ` (did you mean ${similar}?)`}`
  }
  const [, expected] = /^Expected (.*?), actual /s.exec(message) ?? []
  if (expected === undefined) return message
  if (expected === "undefined") return undefined
  return expected.startsWith("Struct ") ? "must be a table" : `expected ${expected}`
}
