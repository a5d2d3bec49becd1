import * as Arr from "effect/Array"
import * as Cause from "effect/Cause"
import * as Clock from "effect/Clock"
import type * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import type * as Either from "effect/Either"
import * as Fiber from "effect/Fiber"
import { identity } from "effect/Function"
import * as Option from "effect/Option"
import { embeddingText, type Memory } from "../../events/Memory.js"
import type { Store } from "../../events/Trust.js"
import type { QueryVector } from "../../projections/hits.js"
import { contentOf, findDuplicate } from "../../projections/observations.js"
import type { Db } from "../../projections/Projection.js"
import type { ViewError } from "../../projections/view/build.js"
import { checkpointOf } from "../../projections/view/ViewFile.js"
import type { AnyCommand } from "../actor/Command.js"
import type { Asked, Told, Weighed } from "../actor/Told.js"
import { atOnce } from "../ports/atOnce.js"
import { ofStore } from "../ports/byStore.js"
import type { Embedder } from "../ports/Embedder.js"
import { embedAll } from "../ports/embedAll.js"
import type { PolicyValues } from "../ports/Policy.js"
import { type Judgement, type Question, type Reconciler, ReconcilerError, type Statement } from "../ports/Reconciler.js"

import { type CandidatePolicy, findLikely, type Likely } from "./candidates.js"

/** What a memory that is to be stored is weighed with. */
export interface Reconciling {
  readonly reconciler: Context.Tag.Service<Reconciler>
  readonly policy: PolicyValues["reconcile"]
  /** Words in more than this share of the rows are left out while others remain. */
  readonly commonShare: number
}

/** How candidates are looked for. What lets somebody in is shown to nobody who has to be asked. */
export const candidatePolicy = ({ commonShare, policy, reconciler }: Reconciling): CandidatePolicy => ({
  candidates: policy.candidates,
  threshold: policy.threshold,
  commonShare,
  credentials: reconciler.ask === undefined
})

/** Names candidates at the revisions in which they were weighed. */
export const about = (likely: ReadonlyArray<Likely>): string =>
  likely.map(({ memory }) => `${memory.id}/${memory.revision}`).join(" ")

/** What a reconciler is told. */
export const questionOf = (draft: Weighed, at: number, likely: ReadonlyArray<Likely>): Question => ({
  statement: statementOf(draft, at),
  candidates: likely.map(({ memory, score }) => ({ ...statementOf(memory, timeOf(memory)), score }))
})

export const timeOf = ({ createdAt, occurredAt }: Memory): number => occurredAt ?? createdAt

export const statementOf = (memory: Omit<Weighed, "store" | "occurredAt">, at: number): Statement => {
  const { facts, narrative, people, tags, title, type } = memory
  return { type, title, ...(narrative === undefined ? {} : { narrative }), facts, tags, people, at }
}

/** What a reconciler that is asked says in time (milliseconds); or why it said nothing. */
export const answerOf = (
  reconciler: Context.Tag.Service<Reconciler>,
  question: Question,
  timeout: number
): Effect.Effect<Either.Either<Judgement, ReconcilerError>> =>
  Effect.suspend(() => reconciler.ask!(question)).pipe(
    Effect.disconnect,
    Effect.timeoutFail({
      duration: timeout,
      onTimeout: () => new ReconcilerError({ name: reconciler.name, reason: "timeout" })
    }),
    // Whatever else ends it, an interruption of its own too, must not end the write.
    Effect.catchAllCause((cause) =>
      Effect.fail(
        Option.getOrElse(
          Cause.failureOption(cause),
          () => new ReconcilerError({ name: reconciler.name, reason: "failed" })
        )
      )
    ),
    Effect.either
  )

/** Finds out, before the turn of commands that weigh something, what takes longer than a transaction may. */
export const consult = (
  reconciling: Reconciling,
  inForce: Effect.Effect<Context.Tag.Service<Embedder>>,
  read: <A>(f: (db: Db) => A) => Effect.Effect<A, ViewError>
) => {
  const { policy, reconciler } = reconciling
  const settings = candidatePolicy(reconciling)
  /** By what embeds the store that they are weighed in: what is embedded in a stricter one decides nothing here. */
  const vectorsOf = (weighed: ReadonlyArray<Weighed>): Effect.Effect<ReadonlyArray<QueryVector | null>> =>
    Effect.flatMap(inForce, (all) =>
      Effect.gen(function* () {
        if (weighed.every(({ store }) => ofStore(all, store) === all)) {
          return yield* vectorsBy(all, weighed.map(embeddingText))
        }
        const vectors = new Map<Weighed, QueryVector | null>()
        for (const [store, some] of Object.entries(Arr.groupBy(weighed, ({ store }) => store))) {
          const made = yield* vectorsBy(ofStore(all, store as Store), some.map(embeddingText))
          for (const [at, one] of some.entries()) vectors.set(one, made[at]!)
        }
        return weighed.map((one) => vectors.get(one)!)
      })
    )
  const vectorsBy = (
    embedder: Context.Tag.Service<Embedder>,
    texts: ReadonlyArray<string>
  ): Effect.Effect<ReadonlyArray<QueryVector | null>> =>
    embedder.local !== true
      ? Effect.succeed(texts.map(() => null))
      : Effect.map(
          Effect.forEach(Arr.chunksOf(texts, embedder.batch), (page) =>
            embedAll(embedder, page, "document", policy.embedTimeout).pipe(
              Effect.map((vectors) =>
                vectors.map((values) =>
                  values === undefined ? null : { model: embedder.model, values, floor: embedder.floor }
                )
              ),
              Effect.orElseSucceed(() => page.map(() => null))
            )
          ),
          (pages) => pages.flat()
        )

  const ask = (draft: Weighed, vector: QueryVector | null): Effect.Effect<Asked | undefined, ViewError> =>
    Effect.gen(function* () {
      const began = yield* Clock.currentTimeMillis
      const { likely, now } = yield* read((db) => {
        // As it will be when it is decided: never before what was stored last, wherever the clock stands.
        const now = Math.max(began, checkpointOf(db).recordedAt)
        const known = findDuplicate(db, draft.store, contentOf(draft.title, draft.facts), now) !== undefined
        return { now, likely: known ? [] : findLikely(db, draft, vector, now, settings) }
      })
      if (likely.length === 0) return undefined
      const answer = yield* answerOf(reconciler, questionOf(draft, draft.occurredAt ?? now, likely), policy.timeout)
      return { about: about(likely), answer, latency: (yield* Clock.currentTimeMillis) - began }
    })

  /** For each command that weighs something; what one was told before stands unless it is the first: that one has to be asked again. */
  return (
    commands: ReadonlyArray<AnyCommand>,
    before: ReadonlyMap<AnyCommand, Told>
  ): Effect.Effect<ReadonlyMap<AnyCommand, Told>, ViewError> | null => {
    const weighing = commands.filter(
      (command, at) => command.weighs !== undefined && (at === 0 || before.get(command) === undefined)
    )
    if (weighing.length === 0) return before.size === 0 ? null : Effect.succeed(before)
    const told = Effect.gen(function* () {
      const vectors = yield* vectorsOf(weighing.map(({ weighs }) => weighs!))
      const told = new Map(before)
      const answers =
        reconciler.ask === undefined
          ? []
          : yield* Effect.forEach(weighing, ({ weighs }, at) => ask(weighs!, vectors[at]!), {
              concurrency: policy.concurrency
            })
      weighing.forEach((command, at) => {
        const asked = answers[at]
        told.set(command, { vector: vectors[at]!, ...(asked === undefined ? {} : { asked }) })
      })
      return told
    })
    // A write is not to be interrupted, and no time-out would end what runs in its fiber.
    return reconciler.ask === undefined
      ? atOnce(told, identity)
      : Effect.flatMap(Effect.forkDaemon(Effect.interruptible(told)), Fiber.join)
  }
}
