import * as Effect from "effect/Effect"
import { type EmbedderFact, findInForce } from "../../projections/embedders.js"
import type { Db } from "../../projections/Projection.js"
import type { Actor, CommandError } from "../actor/Actor.js"
import { type InUse, nameOf, sameFact } from "../actor/activeEmbedders.js"
import { adoptEmbedder } from "./embedder.js"

/**
 * Puts into the log what the settings of this process say of the embedder in force and the log does not: which stores
 * it is not to see. What is in no event would change the past whenever it changes.
 *
 * A process says so once of each embedder that it finds in force: what it said, or found said, and another process put
 * otherwise since, stays. Of two whose settings differ each would else answer the other for ever. Each goes by its own
 * settings all the while; the log has what was said last.
 */
export const restate = (
  actor: Actor,
  inUse: InUse,
  fact: EmbedderFact | undefined
): Effect.Effect<void, CommandError> =>
  Effect.gen(function* () {
    const { agent } = actor.view
    const known = said.get(inUse) ?? new Map<string, string>()
    said.set(inUse, known)
    if (fact?.state !== "inForce" || known.get(agent) === nameOf(fact)) return
    const anew = yield* inUse.restated(fact)
    const same = (db: Db) => sameFact(findInForce(db), fact)
    if (anew === undefined || (yield* actor.run(adoptEmbedder("embedder", anew, same)))) known.set(agent, nameOf(fact))
  }).pipe(
    Effect.catchTag("NoSuchIndex", "ProjectionParked", "UnknownEmbedder", "EmbedderUnavailable", () => Effect.void)
  )

/** By agent, the embedder of which its log was once seen to say what this process does. */
const said = new WeakMap<InUse, Map<string, string>>()
