import type * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import type { EventLog } from "../../events/EventLog.js"
import { embeddingText } from "../../events/Memory.js"
import type { ModelName } from "../../projections/embedders.js"
import type { QueryVector } from "../../projections/hybridSearch.js"
import { modelLabel, sameModel } from "../actor/activeEmbedders.js"
import type { AnyCommand } from "../actor/Command.js"
import { splitArray } from "../model/chunksOf.js"
import type { EmbedderService } from "../ports/Embedder.js"
import { embedAll } from "../ports/embedAll.js"
import type { PolicyValues } from "../ports/Policy.js"
import type { PageVectors } from "./replay.js"
import type { Step } from "./steps.js"

interface Services {
  readonly log: Context.Tag.Service<EventLog>
  readonly policy: Pick<PolicyValues, "embedding">
}

/**
 * Gets the vectors for steps, embedded in the same way as for the original writes. Needs no vectors if the branch
 * compares no statements.
 */
export const pageVectors = ({ log, policy }: Services, searchesSimilar: boolean) => {
  let failed = 0

  const embedWith =
    (embedder: EmbedderService) =>
    (texts: ReadonlyArray<string>): Effect.Effect<ReadonlyArray<Float32Array | undefined>> =>
      Effect.map(
        Effect.forEach(splitArray(texts, embedder.batch), (batch) =>
          // Uses the longer time-out of background embedding. No caller waits for a write here, and a time-out would
          // change results.
          embedAll(embedder, batch, "document", policy.embedding.timeout).pipe(
            Effect.catchAll(() =>
              Effect.sync(() => {
                failed += batch.length
                return batch.map(() => undefined)
              })
            )
          )
        ),
        (batches) => batches.flat()
      )

  return {
    /** How many texts could not be embedded. */
    failed: () => failed,

    of: Effect.fnUntraced(function* (steps: ReadonlyArray<Step>, embedder: EmbedderService) {
      // Writes do not wait for a remote embedder, but compare by words alone. The branch does the same.
      const searchesVectors = searchesSimilar && embedder.local === true
      const embed = embedWith(embedder)
      const statementSteps = steps.flatMap((step) =>
        searchesVectors && step.kind === "decide" && step.command.statement !== undefined ? [step.command] : []
      )
      const vectors = yield* embed(statementSteps.map((command) => embeddingText(command.statement!)))
      const byCommand = new Map<AnyCommand, QueryVector | null>()
      for (const [index, command] of statementSteps.entries()) {
        const values = vectors[index]
        byCommand.set(command, values === undefined ? null : { model: embedder.model, values, floor: embedder.floor })
      }
      return {
        byCommand,
        cached: yield* loggedVectors(log, steps),
        isSearched: (index) => searchesVectors && sameModel(index, embedder),
        embed: (texts) =>
          Effect.map(embed([...texts.values()]), (madeVectors) => {
            const byDigest = new Map<string, Float32Array>()
            for (const [index, digest] of [...texts.keys()].entries()) {
              if (madeVectors[index]) byDigest.set(digest, madeVectors[index])
            }
            return byDigest
          })
      } satisfies PageVectors
    })
  }
}

/** Looks up the vectors of EMBED steps in the log's cache, for each index. */
const loggedVectors = Effect.fnUntraced(function* (log: Context.Tag.Service<EventLog>, steps: ReadonlyArray<Step>) {
  const missing = new Map<string, ModelName & { readonly digests: Array<string> }>()
  for (const step of steps) {
    if (step.kind !== "embed") continue
    const { dimensions, entries, model } = step.event.payload
    const key = modelLabel({ model, dimensions })
    const { digests } = missing.get(key) ?? { digests: [] }
    missing.set(key, { model, dimensions, digests: [...digests, ...entries.map(({ digest }) => digest)] })
  }
  const byIndex = new Map<string, ReadonlyMap<string, Float32Array>>()
  for (const [key, { digests, dimensions, model }] of missing) {
    byIndex.set(key, yield* log.vectors(model, dimensions, digests))
  }
  return (model: string, dimensions: number, digest: string) =>
    byIndex.get(modelLabel({ model, dimensions }))?.get(digest)
})
