import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import * as Stream from "effect/Stream"
import { installationStream } from "../../events/accepted.js"
import { Erase } from "../../events/catalogue.js"
import { type EraseRequest, readAll, type StreamErasure } from "../../events/EventLog.js"
import type { StorageError, VersionConflict } from "../../events/errors.js"
import { InvalidInput } from "../model/errors.js"
import { refuseUnknownOptions } from "../model/filters.js"
import { randomId } from "../model/ids.js"
import { decodeKey } from "../model/input.js"
import type { Erasable, EraseError, EraseOptions, Erasure } from "./Erasure.js"
import { cleanOrWarn, type Eraser } from "./eraser.js"
import { unconcernedHead } from "./plan/findSubjects.js"
import { type AgentPlan, type PlanError, planAgent } from "./plan/planAgent.js"
import { reportWholeAgent } from "./plan/planWhole.js"
import type { AgentErasure } from "./plan/report.js"
import { decodeErasable, type ErasureScope, nothingToErase } from "./plan/selection.js"
import { findRevivableMemories, revive } from "./revive.js"

export { eraseByLedger } from "./eraseByLedger.js"
export { erasures } from "./erasures.js"

/** Maximum plans while other writers keep adding events that concern the erasure. */
const maxPlans = 100

/**
 * The plans during which writers wait, counted from 0. The first plans do not stop writers, and the last ones do not
 * either, so that writers do not wait forever.
 */
const pausedPlans = { from: 3, to: 13 }

/** Maximum attempts with one plan while other writers keep adding events that do not concern it. */
const maxAttempts = 1_000

/** Implements `Daybook.erase`. */
export const erase = (
  eraser: Eraser,
  input: Erasable,
  options: EraseOptions = {}
): Effect.Effect<Erasure, EraseError> =>
  Effect.gen(function* () {
    yield* refuseUnknownOptions(options, ["reason", "dryRun", "revive", "actor"])
    const { actor = "program", dryRun = false, reason = "request", revive: isReviving = false } = options
    if (!Schema.is(Erase.fields.reason)(reason)) {
      const problem = `must be one of ${Erase.fields.reason.literals.join(", ")}`
      return yield* new InvalidInput({ field: "reason", problem })
    }
    for (const [field, value] of Object.entries({ dryRun, revive: isReviving })) {
      if (typeof value !== "boolean") return yield* new InvalidInput({ field, problem: "must be true or false" })
    }
    yield* decodeKey("actor", actor)
    const scope = yield* decodeErasable(input)
    /** `plans` is the number of plans that became outdated before they were carried out. */
    const attempt = (plans: number): Effect.Effect<Erasure, EraseError> =>
      Effect.gen(function* () {
        const { chosen } = yield* agentStreams(eraser, scope)
        if (plans === 0 && !dryRun) yield* Effect.forEach(chosen, eraser.awaitRebuild, { concurrency: "unbounded" })
        // If the waiting recalls cannot be recorded, the erasure drops them: see `recordRecalls`.
        yield* Effect.forEach(chosen, (stream) => Effect.ignore(eraser.flushRecalls(stream)))
        const planning = planAll({ ...eraser, hasItems: dryRun }, scope)
        const isPaused = plans >= pausedPlans.from && plans < pausedPlans.to
        const plan = yield* isPaused ? eraser.log.pauseWrites(planning) : planning
        const now = Math.floor(yield* Clock.currentTimeMillis)
        if (dryRun) {
          const agents = isReviving ? yield* planRevivals(eraser, plan.erasure.agents, now) : plan.erasure.agents
          return { ...plan.erasure, agents, cleaning: "none" as const }
        }
        const { wholeStreams, vectors } = plan
        const request = { actor, now, reason, selector: scope.selection.kind, wholeStreams, vectors }
        yield* eraseUnconcerned(eraser, request, plan)
        const agents = isReviving ? yield* reviveAll(eraser, plan.erasure.agents, actor) : plan.erasure.agents
        return { ...plan.erasure, agents, cleaning: yield* cleanOrWarn(eraser) }
      }).pipe(
        Effect.catchTag("VersionConflict", (conflict) =>
          plans < maxPlans ? attempt(plans + 1) : Effect.fail(conflict)
        )
      )
    return yield* attempt(0)
  }).pipe(Effect.withSpan("Daybook.erase"))

/**
 * Carries out a plan. New events of a stream that do not concern the plan do not make it invalid. Otherwise a busy
 * writer, which adds events faster than a plan is made, could delay an erasure forever.
 */
const eraseUnconcerned = (
  { log }: Pick<Eraser, "log">,
  request: Omit<EraseRequest, "streams">,
  { mayConcern, streams }: Pick<Effect.Effect.Success<ReturnType<typeof planAll>>, "mayConcern" | "streams">,
  attempts = maxAttempts
): Effect.Effect<unknown, VersionConflict | StorageError> =>
  Effect.catchTag(
    log.erase({ ...request, streams }),
    "VersionConflict",
    Effect.fnUntraced(function* (conflict) {
      const removed = new Set(request.vectors)
      const moved: Array<StreamErasure> = []
      for (const erasure of streams) {
        const { readAt: after, stream } = erasure
        const readAt = yield* unconcernedHead({ log }, { stream, after }, mayConcern.get(stream)!, removed)
        if (readAt === undefined || attempts === 0) return yield* conflict
        moved.push({ ...erasure, readAt })
      }
      return yield* eraseUnconcerned({ log }, request, { mayConcern, streams: moved }, attempts - 1)
    })
  )

/** The streams of agents, and those in the scope of an erasure. */
const agentStreams = ({ log }: Pick<Eraser, "log">, { agent }: Pick<ErasureScope, "agent">) =>
  Effect.map(log.streams, (heads) => {
    const all = heads.map(({ stream }) => stream).filter((stream) => stream !== installationStream)
    return { all, chosen: all.filter((stream) => agent === undefined || stream === agent) }
  })

/** Plans the erasure for all agents in its scope. Fails if nothing is selected. */
const planAll = Effect.fnUntraced(function* (eraser: Eraser, { agent, selection }: ErasureScope) {
  const { all, chosen } = yield* agentStreams(eraser, { agent })
  if (chosen.length === 0) return yield* nothingToErase(selection, agent)
  const isWhole = selection.kind === "agent"
  const plans = new Map<string, AgentPlan>()
  for (const stream of chosen) plans.set(stream, yield* planAgent(eraser, stream, selection))
  const planned = [...plans.values()].filter(
    ({ erasure }) => erasure.versions.length + (erasure.names?.length ?? 0) > 0
  )
  if (planned.length === 0 && !isWhole) return yield* nothingToErase(selection, agent)
  if (selection.kind === "memory") yield* requireAll(selection.ids, plans.get(chosen[0]!)!, agent)
  const vectors = yield* unusedVectors(eraser, all, plans, isWhole)
  const reports = isWhole
    ? eraser.hasItems === true
      ? yield* Effect.forEach(chosen, (stream) => reportWholeAgent(eraser, stream))
      : []
    : planned.map(({ report }) => report())
  const leftovers = isWhole ? [] : [...plans.values()].flatMap(({ leftovers }) => leftovers)
  return {
    streams: isWhole ? [] : planned.map(({ erasure }) => erasure),
    mayConcern: new Map([...plans].map(([stream, { mayConcern }]) => [stream, mayConcern])),
    wholeStreams: isWhole ? chosen : [],
    vectors,
    erasure: { agents: reports, whole: isWhole ? chosen : [], vectors: vectors.length, leftovers }
  }
})

/** The report of a dry run, with the memories that would be active again. */
const planRevivals = ({ read }: Eraser, agents: ReadonlyArray<AgentErasure>, now: number) =>
  Effect.forEach(agents, (erasure) => {
    const { agent, memories, retired } = erasure
    if (retired.length === 0) return Effect.succeed(erasure)
    const gone = new Set(memories.map(({ id }) => id))
    return Effect.map(
      read(agent, (db) => findRevivableMemories(db, { retired, gone }, now).map(({ id }) => id)),
      (revived) => withRevived(erasure, revived)
    )
  })

/**
 * Makes retired memories active again. The erasure is already done, so a failure is logged as a warning and is not an
 * error.
 */
const reviveAll = ({ run }: Eraser, agents: ReadonlyArray<AgentErasure>, actor: string) =>
  Effect.forEach(agents, (erasure) => {
    const { agent, retired } = erasure
    if (retired.length === 0) return Effect.succeed(erasure)
    const runId = randomId()
    return run(agent, revive(retired, { actor, run: runId })).pipe(
      Effect.map((revived) => ({ ...withRevived(erasure, revived), ...(revived.length === 0 ? {} : { run: runId }) })),
      Effect.catchAll(({ message }) =>
        Effect.as(Effect.logWarning(`the erasure is done, but memories stay retired: ${message}`), erasure)
      )
    )
  })

const withRevived = (erasure: AgentErasure, revived: ReadonlyArray<string>): AgentErasure => ({
  ...erasure,
  retired: erasure.retired.filter((id) => !revived.includes(id)),
  revived
})

/** Refuses ids that select nothing, so that a wrong id does not look like a successful erasure. */
const requireAll = (ids: ReadonlySet<string>, { found }: AgentPlan, agent: string | undefined) => {
  const missing = [...ids].filter((id) => !found.has(id))
  return missing.length === 0 ? Effect.void : nothingToErase({ kind: "memory", ids: new Set(missing) }, agent)
}

/** The digests of erased texts that no remaining event of any agent names. */
const unusedVectors = Effect.fnUntraced(function* (
  { log }: Eraser,
  all: ReadonlyArray<string>,
  plans: ReadonlyMap<string, AgentPlan>,
  isWhole: boolean
): Effect.fn.Return<ReadonlyArray<string>, PlanError> {
  const lost = [...plans.values()].map(({ lostDigests, usedDigests }) => (isWhole ? usedDigests : lostDigests))
  const unused = new Set(lost.flatMap((digests) => [...digests]))
  const remove = (digests: Iterable<string>) => {
    for (const digest of digests) unused.delete(digest)
  }
  if (!isWhole) for (const { usedDigests } of plans.values()) remove(usedDigests)
  for (const stream of all.filter((stream) => !plans.has(stream))) {
    if (unused.size === 0) break
    yield* Stream.runForEach(readAll(log, stream), ({ payload, type }) =>
      Effect.sync(() => {
        if (type === "EMBED" || type === "RECALL") remove(payload?.match(/\b[0-9a-f]{64}\b/gu) ?? [])
      })
    )
  }
  return [...unused]
})
