import * as Arr from "effect/Array"
import type * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import type { Codec } from "../../events/Codec.js"
import type { DaybookEvent, ErasedEvent } from "../../events/catalogue.js"
import type { EventLog } from "../../events/EventLog.js"
import { embeddingText } from "../../events/Memory.js"
import { findInForce, type ModelName } from "../../projections/embedders.js"
import type { QueryVector } from "../../projections/hits.js"
import { findById } from "../../projections/observations.js"
import { countActive } from "../../projections/reads.js"
import type { ViewError } from "../../projections/view/build.js"
import type { ViewsConfig } from "../../projections/view/Views.js"
import { type InUse, nameOf, sameModel } from "../actor/activeEmbedders.js"
import type { AnyCommand } from "../actor/Command.js"
import { InvalidInput } from "../model/errors.js"
import type { EmbedderService } from "../ports/Embedder.js"
import { embedAll } from "../ports/embedAll.js"
import { decode, type PolicyValues } from "../ports/Policy.js"
import type { Reconciler } from "../ports/Reconciler.js"
import * as Answers from "./answers.js"
import * as Branch from "./branch.js"
import { memoriesDiff } from "./diff.js"
import * as Divergence from "./divergence.js"
import { type PageVectors, replay, type Tally } from "./replay.js"
import { type Step, stepping } from "./steps.js"
import type { Answered, DecisionDiff, Skipped, Taken, WhatIf, WhatIfOptions } from "./WhatIf.js"

/** What a branch is made from: the system as it is. */
export interface Origin {
  readonly log: Context.Tag.Service<EventLog>
  readonly codec: Codec
  readonly config: ViewsConfig
  readonly inUse: InUse
  readonly countTokens: (text: string) => number
  readonly policy: PolicyValues
  /** The one in force; undefined where nothing is weighed. */
  readonly reconciler: Context.Tag.Service<Reconciler> | undefined
}

/**
 * Replays a stretch of an agent's history into a branch under another policy,
 * and tells what would be otherwise. Reads the log and nothing else of the
 * agent's: its view is not opened.
 */
export const run = (
  origin: Origin,
  agent: string,
  options: WhatIfOptions = {}
): Effect.Effect<WhatIf, ViewError | InvalidInput> =>
  Effect.gen(function* () {
    const { codec, config, countTokens, inUse, log, policy } = origin
    yield* Either.mapLeft(
      decode(options.policy ?? {}),
      ({ problems }) => new InvalidInput({ field: "policy", problem: problems.join("; ") })
    )
    const { from, to } = yield* stretchOf(options, (yield* log.head(agent)).version)
    const reconcile = { ...policy.reconcile, ...definedOf(options.policy?.reconcile) }
    const reconciler = yield* reconcilerOf(origin, reconcile.reconciler, options)
    const weighs = reconciler !== undefined
    const branch = yield* Branch.make({ agent, codec, config, log, weighs, to: from - 1 })
    const divergence = Divergence.make((id) => findById(branch.db, id))
    const answers = weighs
      ? Answers.make({
          reconciler,
          policy: reconcile,
          // Another model than the one that answered then has not been asked.
          reuses: (name) => options.reconciler === undefined || reconciler.name.split("+").includes(name),
          asks: options.ask === true,
          liveNow: divergence.liveNow
        })
      : undefined
    const commonShare = options.policy?.search?.commonShare ?? policy.search.commonShare
    const reconciling = answers && { reconciler: answers.service, policy: reconcile, commonShare }
    const writer = {
      level: "full",
      actor: "what-if",
      countTokens,
      marks: policy.marks,
      schedules: policy.schedules,
      reconciling
    } as const
    const stepOf = stepping(writer, weighs)
    const counting = tallying()
    const take = replay({ branch, divergence, answers, policy: reconcile, tally: counting.tally })
    const vectors = vectorsOf(origin, weighs)
    let recordedAt = 0
    let looked: EmbedderService | undefined
    for (let after = from - 1; after < to; ) {
      const rows = yield* log.replay(agent, { after, to, limit: page })
      if (rows.length === 0) break
      const events: Array<DaybookEvent | ErasedEvent> = []
      for (const row of rows) events.push(yield* codec.decode(row))
      for (let at = 0; at < events.length; ) {
        const embedder = yield* inUse.inForce(branch.db)
        if (looked !== undefined && !sameModel(looked, embedder)) divergence.indexChanged()
        looked = embedder
        const steps = underOne(events.slice(at), findInForce(branch.db) === undefined).map(stepOf)
        yield* take(steps, yield* vectors.of(steps, embedder))
        at += steps.length
      }
      after = rows.at(-1)!.version
      recordedAt = rows.at(-1)!.recordedAt
      options.onProgress?.({ agent, done: after - from + 1, total: to - from + 1 })
    }
    const memories = memoriesDiff(divergence.sides(), recordedAt)
    const active = countActive(branch.db, recordedAt)
    const { counts, decisions, skipped } = counting
    return {
      agent,
      from,
      to,
      reconciler: reconciler?.name ?? "none",
      decisions,
      skipped,
      memories,
      counts: {
        events: Math.max(0, to - from + 1),
        ...counts,
        different: decisions.length,
        asked: answers?.asked() ?? 0,
        unembedded: vectors.failed(),
        memories: { live: active - memories.onlyBranch.length + memories.onlyLive.length, branch: active }
      }
    }
  }).pipe(Effect.scoped, Effect.withSpan("Daybook.whatIf", { captureStackTrace: false }))

/** Events that are decoded at once. */
const page = 500

const stretchOf = ({ from = 1, to }: WhatIfOptions, head: number) => {
  const whole = (field: string, value: number, least: number, most: number) =>
    Number.isInteger(value) && value >= least && value <= most
      ? Effect.succeed(value)
      : Effect.fail(new InvalidInput({ field, problem: `must be a whole number from ${least} to ${most}` }))
  return Effect.gen(function* () {
    const first = yield* whole("from", from, 1, Math.max(1, head))
    return { from: first, to: to === undefined ? head : yield* whole("to", to, first, head) }
  })
}

/** Who decides: whoever is given, or whoever is in force, where the policy does not name another one. */
const reconcilerOf = (
  origin: Origin,
  name: PolicyValues["reconcile"]["reconciler"],
  { reconciler }: WhatIfOptions
): Effect.Effect<Context.Tag.Service<Reconciler> | undefined, InvalidInput> => {
  if (name === "none") return Effect.succeed(undefined)
  if (reconciler !== undefined) return Effect.succeed(reconciler)
  return name === origin.policy.reconcile.reconciler
    ? Effect.succeed(origin.reconciler)
    : Effect.fail(new InvalidInput({ field: "reconciler", problem: `must be given where the policy names ${name}` }))
}

/** Of events the first ones, up to the one after which another embedder may be in force. */
const underOne = (
  events: ReadonlyArray<DaybookEvent | ErasedEvent>,
  isFirst: boolean
): ReadonlyArray<DaybookEvent | ErasedEvent> => {
  const last = events.findIndex(({ type }) => type === "EMBEDDER" || (isFirst && type === "EMBED"))
  return last === -1 ? events : events.slice(0, last + 1)
}

/** The vectors that steps need: made as the writes made theirs, where they had any. */
const vectorsOf = ({ log, policy }: Origin, wanted: boolean) => {
  let failed = 0
  const madeBy =
    (embedder: EmbedderService) =>
    (texts: ReadonlyArray<string>): Effect.Effect<ReadonlyArray<Float32Array | undefined>> =>
      Effect.map(
        Effect.forEach(Arr.chunksOf(texts, embedder.batch), (some) =>
          // Nobody waits for this as for a write: the patience of writes would make differences of its own.
          embedAll(embedder, some, "document", policy.embedding.timeout).pipe(
            Effect.catchAll(() =>
              Effect.sync(() => {
                failed += some.length
                return some.map(() => undefined)
              })
            )
          )
        ),
        (all) => all.flat()
      )
  /** What the cache has of the vectors of these steps, of each index. */
  const cachedOf = (steps: ReadonlyArray<Step>) =>
    Effect.gen(function* () {
      const wanted = new Map<string, ModelName & { readonly digests: Array<string> }>()
      for (const step of steps) {
        if (step.kind !== "embed") continue
        const { dimensions, entries, model } = step.event.payload
        const key = nameOf({ model, dimensions })
        const { digests } = wanted.get(key) ?? { digests: [] }
        wanted.set(key, { model, dimensions, digests: [...digests, ...entries.map(({ digest }) => digest)] })
      }
      const found = new Map<string, ReadonlyMap<string, Float32Array>>()
      for (const [key, { digests, dimensions, model }] of wanted) {
        found.set(key, yield* log.vectors(model, dimensions, digests))
      }
      return (model: string, dimensions: number, digest: string) =>
        found.get(nameOf({ model, dimensions }))?.get(digest)
    })
  return {
    failed: () => failed,
    of: (steps: ReadonlyArray<Step>, embedder: EmbedderService) =>
      Effect.gen(function* () {
        // A distant embedder is not waited for by writes: they weigh by words alone, and so does the branch.
        const looks = wanted && embedder.local === true
        const made = madeBy(embedder)
        const weighing = steps.flatMap((step) =>
          looks && step.kind === "decide" && step.command.weighs !== undefined ? [step.command] : []
        )
        const vectors = yield* made(weighing.map(({ weighs }) => embeddingText(weighs!)))
        const told = new Map<AnyCommand, QueryVector | null>()
        for (const [at, command] of weighing.entries()) {
          const values = vectors[at]
          told.set(command, values === undefined ? null : { model: embedder.model, values, floor: embedder.floor })
        }
        return {
          told,
          cached: yield* cachedOf(steps),
          isLooked: (index) => looks && sameModel(index, embedder),
          make: (texts) =>
            Effect.map(made([...texts.values()]), (vectors) => {
              const found = new Map<string, Float32Array>()
              for (const [at, digest] of [...texts.keys()].entries()) if (vectors[at]) found.set(digest, vectors[at])
              return found
            })
        } satisfies PageVectors
      })
  }
}

type Outcomes = Record<Taken["outcome"], number>
const noOutcomes = (): Outcomes => ({ added: 0, duplicate: 0, mentioned: 0, merged: 0, replaced: 0, refused: 0 })

/** Counts decisions as they are taken. */
const tallying = () => {
  const decisions: Array<DecisionDiff> = []
  const skipped: Array<Skipped> = []
  const answers: Record<Answered, number> = { judged: 0, reused: 0, asked: 0, fallback: 0 }
  const counts = { decided: 0, otherGrounds: 0, answers, outcomes: { live: noOutcomes(), branch: noOutcomes() } }
  const tally: Tally = {
    decisions,
    skipped,
    taken: (before, after, how) => {
      counts.decided++
      counts.outcomes.live[before.outcome]++
      counts.outcomes.branch[after.outcome]++
      if (after.answered !== undefined) answers[after.answered]++
      if (how === "otherGrounds") counts.otherGrounds++
    }
  }
  return { counts, decisions, skipped, tally }
}

const definedOf = <A extends object>(fields: A | undefined): A =>
  Object.fromEntries(Object.entries(fields ?? {}).filter(([, value]) => value !== undefined)) as A
