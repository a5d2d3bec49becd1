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
import { traceEvent } from "../../events/tracing.js"
import type { QueryVector } from "../../projections/hybridSearch.js"
import type { Db } from "../../projections/Projection.js"
import type { ViewError } from "../../projections/view/buildViewFile.js"
import type { WeighedStatement } from "../actor/Advice.js"
import type { AnyCommand } from "../actor/Command.js"
import type { AdviceByCommand } from "../actor/decideAll.js"
import { splitArray } from "../model/chunksOf.js"
import type { Embedder } from "../ports/Embedder.js"
import { embedAll } from "../ports/embedAll.js"
import { embedderForStore } from "../ports/embeddersByStore.js"
import type { PolicyValues } from "../ports/Policy.js"
import {
  type Judgement,
  type Question,
  ReconcilerError,
  type ReconcilerService,
  type Statement
} from "../ports/Reconciler.js"
import { runInOwnFiber } from "../ports/runInOwnFiber.js"
import { type CandidatePolicy, findSimilar, type SimilarMemory } from "./candidates.js"
import { findRepeat, levelOfStatement } from "./levels.js"

/** The reconciler and its settings. */
export interface ReconcilerSetup {
  readonly reconciler: ReconcilerService
  readonly policy: PolicyValues["reconcile"]
  /** Words that occur in a larger share of the rows are ignored, as long as rarer ones remain. */
  readonly commonShare: number
}

/**
 * The settings for finding candidates. Credentials are candidates only if the reconciler has no `ask`, because they
 * must not leave the process.
 */
export const candidatePolicy = ({ commonShare, policy, reconciler }: ReconcilerSetup): CandidatePolicy => ({
  candidates: policy.candidates,
  threshold: policy.threshold,
  commonShare,
  credentials: reconciler.ask === undefined
})

/** The key of candidates with their revisions. An answer for another key is stale. */
export const candidatesKey = (candidates: ReadonlyArray<SimilarMemory>): string =>
  candidates.map(({ memory }) => `${memory.id}/${memory.revision}`).join(" ")

/** Makes the question for a reconciler. */
export const questionOf = (
  draft: WeighedStatement,
  at: number,
  candidates: ReadonlyArray<SimilarMemory>
): Question => ({
  statement: statementOf(draft, at),
  candidates: candidates.map(({ memory, score }) => ({ ...statementOf(memory, timeOf(memory)), score }))
})

export const timeOf = ({ createdAt, occurredAt }: Memory): number => occurredAt ?? createdAt

export const statementOf = (
  memory: Pick<WeighedStatement, "facts" | "narrative" | "people" | "tags" | "title" | "type">,
  at: number
): Statement => {
  const { facts, narrative, people, tags, title, type } = memory
  return { type, title, ...(narrative === undefined ? {} : { narrative }), facts, tags, people, at }
}

/** Asks a reconciler, with a time-out in milliseconds. It never fails: the Left says why there is no answer. */
export const askReconciler = (
  reconciler: ReconcilerService,
  question: Question,
  timeout: number
): Effect.Effect<Either.Either<Judgement, ReconcilerError>> =>
  Effect.suspend(() => reconciler.ask!(question)).pipe(
    Effect.disconnect,
    Effect.timeoutFail({
      duration: timeout,
      onTimeout: () => new ReconcilerError({ name: reconciler.name, reason: "timeout" })
    }),
    // No defect or interruption of the reconciler may end the write.
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

type Read = <A>(f: (db: Db) => A) => Effect.Effect<A, ViewError>

/**
 * Makes the function that embeds statements and asks the reconciler before commands are decided, because a transaction
 * cannot wait for either. It keeps existing advice, except the advice about the first command, which is stale.
 */
export const askModels = (
  reconciling: ReconcilerSetup,
  activeEmbedder: Effect.Effect<Context.Tag.Service<Embedder>>,
  read: Read
) => {
  const { policy, reconciler } = reconciling

  // Not Effect.gen: V8 keeps the closure of each new generator function until the next full garbage collection. Here
  // and below, one generator function serves all writes.
  const advise = Effect.fnUntraced(function* (pendingCommands: ReadonlyArray<AnyCommand>, existing: AdviceByCommand) {
    const embedder = yield* activeEmbedder
    const statements = pendingCommands.map(({ statement }) => statement!)
    const by = reconciler.ask === undefined ? "rule" : "model"
    yield* traceEvent("reconciliation.requested", { by, statements: statements.length })
    const vectors = yield* embedByStore(embedder, statements, policy.embedTimeout)
    const answers =
      reconciler.ask === undefined
        ? []
        : yield* Effect.forEach(statements, (draft, index) => ask(reconciling, read, draft, vectors[index]!), {
            concurrency: policy.concurrency
          })
    const advice = new Map(existing)
    pendingCommands.forEach((command, index) => {
      const modelAnswer = answers[index]
      advice.set(command, { vector: vectors[index]!, ...(modelAnswer === undefined ? {} : { modelAnswer }) })
    })
    return advice
  })

  return (
    commands: ReadonlyArray<AnyCommand>,
    existing: AdviceByCommand
  ): Effect.Effect<AdviceByCommand, ViewError> | null => {
    const pendingCommands = commands.filter(
      (command, index) => command.statement !== undefined && (index === 0 || existing.get(command) === undefined)
    )
    if (pendingCommands.length === 0) return existing.size === 0 ? null : Effect.succeed(existing)
    // Writes are uninterruptible, and a time-out cannot end work in an uninterruptible fiber. So this work gets its own
    // fiber.
    return reconciler.ask === undefined
      ? runInOwnFiber(advise(pendingCommands, existing), identity)
      : Effect.flatMap(Effect.forkDaemon(Effect.interruptible(advise(pendingCommands, existing))), Fiber.join)
  }
}

/** Finds the candidates of a draft and asks the reconciler about them. Undefined if there is nothing to ask. */
const ask = Effect.fnUntraced(function* (
  reconciling: ReconcilerSetup,
  read: Read,
  draft: WeighedStatement,
  vector: QueryVector | null
) {
  const { policy, reconciler } = reconciling
  const startedAt = yield* Clock.currentTimeMillis
  const { likely: candidates, now } = yield* read((db) => {
    const now = startedAt
    const statement = { ...draft, level: levelOfStatement(db, draft) }
    const repeat = findRepeat(db, statement, now)
    const isRepeat = repeat !== undefined && repeat.effect !== "replace"
    return { now, likely: isRepeat ? [] : findSimilar(db, statement, { vector, now }, candidatePolicy(reconciling)) }
  })
  if (candidates.length === 0) return undefined
  const answer = yield* askReconciler(
    reconciler,
    questionOf(draft, draft.occurredAt ?? now, candidates),
    policy.timeout
  )
  return { candidatesKey: candidatesKey(candidates), answer, latency: (yield* Clock.currentTimeMillis) - startedAt }
})

/** Embeds statements with the embedder of their own store, because only vectors of one model can be compared. */
const embedByStore = Effect.fnUntraced(function* (
  active: Context.Tag.Service<Embedder>,
  statements: ReadonlyArray<WeighedStatement>,
  timeout: number
) {
  if (statements.every(({ store }) => embedderForStore(active, store) === active)) {
    return yield* embedWith(active, statements.map(embeddingText), timeout)
  }
  const byStatement = new Map<WeighedStatement, QueryVector | null>()
  for (const [store, ofOneStore] of Object.entries(Arr.groupBy(statements, ({ store }) => store))) {
    const vectors = yield* embedWith(embedderForStore(active, store as Store), ofOneStore.map(embeddingText), timeout)
    for (const [index, statement] of ofOneStore.entries()) byStatement.set(statement, vectors[index]!)
  }
  return statements.map((statement) => byStatement.get(statement)!)
})

/**
 * Embeds texts with a local embedder. A vector is null if the embedder is remote, because a write does not wait for it,
 * or if embedding failed.
 */
const embedWith = (
  embedder: Context.Tag.Service<Embedder>,
  texts: ReadonlyArray<string>,
  timeout: number
): Effect.Effect<ReadonlyArray<QueryVector | null>> =>
  embedder.local !== true
    ? Effect.succeed(texts.map(() => null))
    : Effect.map(
        Effect.forEach(splitArray(texts, embedder.batch), (page) =>
          embedAll(embedder, page, "document", timeout).pipe(
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
