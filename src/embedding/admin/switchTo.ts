import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import { findActiveEmbedder, findPreparingEmbedder } from "../../../projections/embedders.js"
import type { Agent } from "../../actor/Agent.js"
import { modelLabel, sameModel, sameSubstitute } from "../../actor/activeEmbedders.js"
import { NoSuchIndex } from "../../model/errors.js"
import type { EmbedderService } from "../../ports/Embedder.js"
import { retryDelayMillis } from "../background.js"
import { activateEmbedder, prepareEmbedder } from "../commands.js"
import type { Embedding } from "../Embedding.js"
import { countMissingVectors, readNewestNumbers } from "../indexFill.js"
import type { OperationServices } from "./compare.js"
import type { EmbedderOperations, Switched, SwitchOptions } from "./EmbedderOperations.js"
import { modelNameOf, ownVectorSet, rateOf } from "./status.js"

/**
 * How often the switch fills the index before it gives up. If new texts without a vector remain each time, writes are
 * faster than embedding.
 */
const maxCatchUpRounds = 10
/** Maximum failures in a row without progress before the switch gives up, after about half an hour of retries. */
const maxFailures = 12

/**
 * Makes `next` the active embedder of an agent. With `adopt: false` it only fills the index. With `wait: false` it
 * returns before the index is filled.
 */
export const switchToEmbedder = (
  { use, views }: OperationServices,
  agent: string,
  next: EmbedderService,
  options: SwitchOptions
) => use(agent, (agent) => switchAgent(views, agent, next, options))

const switchAgent = (
  views: OperationServices["views"],
  agent: Agent<Embedding>,
  next: EmbedderService,
  options: SwitchOptions
): ReturnType<EmbedderOperations["switchTo"]> =>
  Effect.gen(function* () {
    const { actor, embedding } = agent
    const { adopt = true, now = false, wait = true } = options
    const name = modelNameOf(next)
    const actorName = options.actor ?? "program"
    const active = yield* embedding.activeEmbedder(actor.view)
    const sameWeight = options.weight === undefined || options.weight === active.weight
    if (sameModel(active, next) && sameSubstitute(active, next) && sameWeight) {
      // A process that was killed during adoption may have left vectors missing.
      if (wait) yield* embedding.backfill
      return { ...name, state: "inForce", unchanged: true } satisfies Switched
    }
    if (!actor.view.hasVectors)
      return yield* new NoSuchIndex({
        problem: "vectors are not available: sqlite-vec cannot be loaded on this platform"
      })
    if (now || sameModel(active, next)) {
      yield* actor.run(activateEmbedder(actorName, next, () => true))
      if (wait) yield* embedding.backfill
      return { ...name, state: "inForce", unchanged: false } satisfies Switched
    }
    const hasStarted = yield* actor.run(prepareEmbedder(actorName, next, adopt))
    if (!hasStarted && sameModel(yield* embedding.activeEmbedder(actor.view), next)) {
      // Another process has made it active since the last check.
      return yield* switchAgent(views, agent, next, options)
    }
    if (!wait) return { ...name, state: "preparing", unchanged: false } satisfies Switched
    return yield* fillUntilDone(views, agent, next, options)
  })

/**
 * Fills the candidate index until it is active. If it must not become active, fills it until it is complete. Fails if
 * that is not possible.
 */
const fillUntilDone = Effect.fnUntraced(function* (
  views: OperationServices["views"],
  { actor, embedding }: Agent<Embedding>,
  next: EmbedderService,
  { onFailure, onProgress }: SwitchOptions
) {
  const name = modelNameOf(next)
  let [round, failures, lacking, newest] = [0, 0, Number.POSITIVE_INFINITY, ""]
  while (true) {
    const error = yield* embedding.fillCandidate((progress) => onProgress?.(rateOf(progress)))
    const facts = yield* views.read(actor.view, (db) => ({
      active: findActiveEmbedder(db),
      candidate: findPreparingEmbedder(db),
      lacking: countMissingVectors(db, ownVectorSet(next)),
      newest: JSON.stringify(readNewestNumbers(db))
    }))
    if (facts.active !== undefined && sameModel(facts.active, next)) {
      return { ...name, state: "inForce", unchanged: false } satisfies Switched
    }
    if (error === undefined && (facts.candidate === undefined || !sameModel(facts.candidate, next))) {
      const problem = `${modelLabel(next)} is no longer being prepared: it was dropped, or another switch replaced it`
      return yield* new NoSuchIndex({ problem })
    }
    if (error !== undefined) {
      failures = facts.lacking < lacking ? 0 : failures + 1
      lacking = facts.lacking
      const retryAfterMillis = failures < maxFailures ? retryDelayMillis(error, failures) : undefined
      if (onFailure === undefined || retryAfterMillis === undefined) return yield* error
      onFailure(error, retryAfterMillis)
      yield* Effect.sleep(Duration.millis(retryAfterMillis))
      continue
    }
    if (!facts.candidate!.adopt) return { ...name, state: "prepared", unchanged: false } satisfies Switched
    const problem =
      // Nothing was written since the last complete fill, so the embedder cannot embed these texts.
      facts.newest === newest
        ? `cannot embed ${facts.lacking} texts; pass \`now\` to activate the embedder anyway`
        : round >= maxCatchUpRounds
          ? `writes outrun embedding: ${facts.lacking} texts have no vector; retry when fewer memories are written, or pass \`now\` to activate the embedder anyway`
          : undefined
    if (problem !== undefined) return yield* new NoSuchIndex({ problem: `${modelLabel(next)}: ${problem}` })
    newest = facts.newest
    round++
  }
})
