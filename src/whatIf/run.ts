import type * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import type { Codec } from "../../events/Codec.js"
import type { DaybookEvent, ErasedEvent } from "../../events/catalogue.js"
import type { EventLog } from "../../events/EventLog.js"
import { isYieldDue, runInTurns, yieldToEventLoop } from "../../events/turns.js"
import { findActiveEmbedder } from "../../projections/embedders.js"
import { countActive } from "../../projections/observationReads.js"
import { findById } from "../../projections/observations.js"
import type { ViewError } from "../../projections/view/buildViewFile.js"
import type { ViewsConfig } from "../../projections/view/Views.js"
import { type ActiveEmbedders, sameModel } from "../actor/activeEmbedders.js"
import { InvalidInput } from "../model/errors.js"
import { refuseUnknownOptions } from "../model/filters.js"
import type { EmbedderService } from "../ports/Embedder.js"
import { decode, type PolicyValues } from "../ports/Policy.js"
import type { ReconcilerService } from "../ports/Reconciler.js"
import type { Writer } from "../remember/remember.js"
import * as Answers from "./answers.js"
import * as Branch from "./branch.js"
import { diffMemories } from "./diff.js"
import * as Divergence from "./divergence.js"
import type { Tally } from "./redecide.js"
import { replay } from "./replay.js"
import { makeStepper, type Step } from "./steps.js"
import { pageVectors } from "./vectors.js"
import type { Answered, DecisionDiff, DecisionResult, PolicyChange, Skipped, WhatIf, WhatIfOptions } from "./WhatIf.js"

/** The services that a branch needs. */
export interface WhatIfServices {
  readonly log: Context.Tag.Service<EventLog>
  readonly codec: Codec
  readonly config: ViewsConfig
  readonly activeEmbedders: ActiveEmbedders
  readonly countTokens: (text: string) => number
  readonly policy: PolicyValues
  /** The configured reconciler; undefined if the policy has none. */
  readonly reconciler: ReconcilerService | undefined
}

/**
 * Replays past decisions of an agent under another policy in a branch, and
 * reports what changes. It reads only the log; it does not open the agent's view. The function is long, because its
 * steps share the branch.
 */
export const runWhatIf = (
  origin: WhatIfServices,
  agent: string,
  options: WhatIfOptions = {}
): Effect.Effect<WhatIf, ViewError | InvalidInput> =>
  Effect.gen(function* () {
    const { activeEmbedders, codec, config, log, policy } = origin
    yield* refuseUnknownOptions(options, ["from", "to", "policy", "reconciler", "ask", "onProgress"])
    yield* checkPolicy(options.policy ?? {}, policy)
    const { from, to } = yield* versionRangeOf(options, (yield* log.head(agent)).version)
    const reconcile = { ...policy.reconcile, ...definedOf(options.policy?.reconcile) }
    const reconciler = yield* reconcilerOf(origin, reconcile.reconciler, options)
    const searchesSimilar = reconciler !== undefined
    const branch = yield* Branch.make({ agent, codec, config, log, searchesSimilar, to: from - 1 })
    const divergence = Divergence.make((id) => findById(branch.db, id))
    const answers = searchesSimilar
      ? Answers.make({
          reconciler,
          policy: reconcile,
          // Recorded answers of another model are not reused.
          reuses: (name) => options.reconciler === undefined || reconciler.name.split("+").includes(name),
          mayAsk: options.ask === true,
          liveNow: divergence.liveNow
        })
      : undefined
    const commonShare = options.policy?.search?.commonShare ?? policy.search.commonShare
    const reconciling = answers && { reconciler: answers.service, policy: reconcile, commonShare }
    const stepOf = makeStepper(writerOf(origin, reconciling), searchesSimilar)
    const counter = makeCounter()
    const replaySteps = replay({ branch, divergence, answers, policy: reconcile, tally: counter.tally })
    const vectors = pageVectors(origin, searchesSimilar)
    const erased: Array<number> = []
    let recordedAt = 0
    let previousEmbedder: EmbedderService | undefined
    for (let after = from - 1; after < to; ) {
      const rows = yield* log.replay(agent, { after, to, limit: pageSize })
      if (rows.length === 0) break
      const events: Array<DaybookEvent | ErasedEvent> = []
      for (const row of rows) {
        if (isYieldDue()) yield* yieldToEventLoop
        const event = yield* codec.decode(row)
        if (event.erasedAt !== undefined && decidedTypes.has(event.type)) erased.push(event.version)
        events.push(event)
      }
      for (let index = 0; index < events.length; ) {
        const embedder = yield* activeEmbedders.activeIn(branch.db)
        if (previousEmbedder !== undefined && !sameModel(previousEmbedder, embedder)) divergence.indexChanged()
        previousEmbedder = embedder
        const steps: Array<Step> = []
        for (const event of underOneEmbedder(events.slice(index), findActiveEmbedder(branch.db) === undefined)) {
          if (isYieldDue()) yield* yieldToEventLoop
          steps.push(stepOf(event))
        }
        yield* replaySteps(steps, yield* vectors.of(steps, embedder))
        index += steps.length
      }
      after = rows.at(-1)!.version
      recordedAt = rows.at(-1)!.recordedAt
      options.onProgress?.({ agent, done: after - from + 1, total: to - from + 1 })
    }
    const sides = yield* runInTurns(divergence.sides(), Effect.sync)
    const memories = yield* runInTurns(diffMemories(sides, recordedAt), Effect.sync)
    const active = countActive(branch.db, recordedAt)
    const { counts, decisions, skipped } = counter
    return {
      agent,
      from,
      to,
      reconciler: reconciler?.name ?? "none",
      decisions,
      skipped,
      erased,
      memories,
      counts: {
        events: Math.max(0, to - from + 1),
        ...counts,
        different: decisions.length,
        asked: answers?.askedCount() ?? 0,
        unembedded: vectors.failed(),
        memories: { live: active - memories.onlyBranch.length + memories.onlyLive.length, branch: active }
      }
    }
  }).pipe(Effect.scoped, Effect.withSpan("Daybook.whatIf", { captureStackTrace: false }))

/** Refuses an invalid policy, and changes to settings that the replay ignores. */
const checkPolicy = (changed: PolicyChange, current: PolicyValues): Either.Either<void, InvalidInput> => {
  const refuse = (problem: string) => Either.left(new InvalidInput({ field: "policy", problem }))
  const decoded = decode(changed)
  if (Either.isLeft(decoded)) return refuse(decoded.left.problems.join("; "))
  const valueIn = (policy: object, section: string, name: string): string | undefined =>
    JSON.stringify((policy as Record<string, Record<string, unknown> | undefined>)[section]?.[name])
  const ignored = Object.entries(changed).flatMap(([section, settings]) =>
    Object.keys(settings ?? {})
      .filter((name) => !isReplayed(section, name))
      .filter((name) => valueIn(decoded.right, section, name) !== valueIn(current, section, name))
      .map((name) => `${section}.${name}`)
  )
  return ignored.length === 0
    ? Either.void
    : refuse(
        `the replay ignores ${ignored.join(", ")}: only \`reconcile\` and \`search.commonShare\` may differ from the current policy`
      )
}

/**
 * Returns true if the replay uses a setting. Maintenance, marks (tags of personal data) and searches are not replayed.
 */
const isReplayed = (section: string, name: string): boolean =>
  section === "reconcile" || section === "model" || (section === "search" && name === "commonShare")

/** Types of events that store decisions on observations. */
const decidedTypes: ReadonlySet<string> = new Set(["ADD", "UPDATE", "DELETE"])

/** Number of events that are decoded together. */
const pageSize = 500

/** The writer of replayed commands. It has full trust. */
const writerOf = ({ countTokens, policy }: WhatIfServices, reconciling: Writer["reconciling"]): Writer => ({
  level: "full",
  pin: policy.tiers.pin,
  actor: "what-if",
  countTokens,
  marks: policy.marks,
  schedules: policy.schedules,
  tools: policy.tools,
  reconciling
})

const versionRangeOf = ({ from = 1, to }: WhatIfOptions, head: number) => {
  const integer = (field: string, value: number, min: number, max: number) =>
    Number.isInteger(value) && value >= min && value <= max
      ? Effect.succeed(value)
      : Effect.fail(new InvalidInput({ field, problem: `must be a whole number from ${min} to ${max}` }))
  return Effect.gen(function* () {
    const first = yield* integer("from", from, 1, Math.max(1, head))
    return { from: first, to: to === undefined ? head : yield* integer("to", to, first, head) }
  })
}

/**
 * Returns the reconciler of the branch: the given one, or else the configured one. Fails if no reconciler is given and
 * the policy names another one than the configured one.
 */
const reconcilerOf = (
  origin: WhatIfServices,
  name: PolicyValues["reconcile"]["reconciler"],
  { reconciler }: WhatIfOptions
): Effect.Effect<ReconcilerService | undefined, InvalidInput> => {
  if (name === "none") return Effect.succeed(undefined)
  if (reconciler !== undefined) return Effect.succeed(reconciler)
  return name === origin.policy.reconcile.reconciler
    ? Effect.succeed(origin.reconciler)
    : Effect.fail(
        new InvalidInput({ field: "reconciler", problem: `is required, because the policy uses \`${name}\`` })
      )
}

/** Returns the first events, up to and including the first event that may change the active embedder. */
const underOneEmbedder = (
  events: ReadonlyArray<DaybookEvent | ErasedEvent>,
  isFirst: boolean
): ReadonlyArray<DaybookEvent | ErasedEvent> => {
  const last = events.findIndex(({ type }) => type === "EMBEDDER" || (isFirst && type === "EMBED"))
  return last === -1 ? events : events.slice(0, last + 1)
}

type Outcomes = Record<DecisionResult["outcome"], number>
const noOutcomes = (): Outcomes => ({ added: 0, duplicate: 0, mentioned: 0, merged: 0, replaced: 0, refused: 0 })

/** Counts decisions as they are made. */
const makeCounter = () => {
  const decisions: Array<DecisionDiff> = []
  const skipped: Array<Skipped> = []
  const answers: Record<Answered, number> = { judged: 0, reused: 0, asked: 0, fallback: 0 }
  const counts = { decided: 0, otherGrounds: 0, answers, outcomes: { live: noOutcomes(), branch: noOutcomes() } }
  const tally: Tally = {
    decisions,
    skipped,
    count: (before, after, agreement) => {
      counts.decided++
      counts.outcomes.live[before.outcome]++
      counts.outcomes.branch[after.outcome]++
      if (after.answered !== undefined) answers[after.answered]++
      if (agreement === "otherGrounds") counts.otherGrounds++
    }
  }
  return { counts, decisions, skipped, tally }
}

const definedOf = <A extends object>(fields: A | undefined): A =>
  Object.fromEntries(Object.entries(fields ?? {}).filter(([, value]) => value !== undefined)) as A
