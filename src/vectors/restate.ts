import * as Effect from "effect/Effect"
import { type EmbedderFact, findInForce } from "../../projections/embedders.js"
import type { Actor, CommandError } from "../Actor.js"
import { adoptEmbedder } from "../commands/embedder.js"
import { type InUse, sameFact } from "./inUse.js"

/**
 * Puts into the log what the settings of this process say of the embedder in force and the log does not: which stores
 * it is not to see. What is in no event would change the past whenever it changes.
 */
export const restate = (
  actor: Actor,
  inUse: InUse,
  fact: EmbedderFact | undefined
): Effect.Effect<void, CommandError> =>
  Effect.flatMap(inUse.restated(fact), (anew) =>
    anew === undefined
      ? Effect.void
      : actor.run(adoptEmbedder("embedder", anew, (db) => sameFact(findInForce(db), fact))).pipe(
          Effect.catchTag("NoSuchIndex", "ProjectionParked", () => Effect.void),
          Effect.asVoid
        )
  )
