import * as Either from "effect/Either"
import type { Payload } from "../../events/catalogue.js"
import { chunkVectorIndex } from "../../projections/chunkVectors.js"
import { findInForce, findPreparing, type ModelName } from "../../projections/embedders.js"
import type { Db } from "../../projections/Projection.js"
import { memoryVectors } from "../../projections/vectors.js"
import { figuresOf, sameModel, saysSame, statedOf } from "../actor/activeEmbedders.js"
import { type Command, type Situation, whileSound } from "../actor/Command.js"
import { NoSuchIndex, type ProjectionParked } from "../model/errors.js"
import type { EmbedderService } from "../ports/Embedder.js"

/** An embedder with the figures that rank by its vectors, and what stands in for it. */
type Figures = Pick<EmbedderService, "model" | "dimensions" | "weight" | "floor" | "apart">

type Changed = Payload<"EMBEDDER">
type Refused = ProjectionParked | NoSuchIndex

/** Makes the command by which an embedder's vectors are made beside those in force. Says nothing that was said before. */
export const prepareEmbedder = (actor: string, embedder: Figures, adopt: boolean): Command<boolean, Refused> =>
  changing(actor, embedder, ({ db }) => {
    const before = findPreparing(db)
    const known =
      before !== undefined && sameModel(before, embedder) && before.adopt === adopt && saysSame(before, embedder)
    return Either.right(known ? null : { ...named(embedder), state: "preparing", adopt })
  })

/** Makes the command by which it is in force, if `whole` finds no fault with its index. Answers whether it is from now on. */
export const adoptEmbedder = (
  actor: string,
  embedder: Figures,
  whole: (db: Db) => boolean
): Command<boolean, Refused> =>
  changing(actor, embedder, ({ db }) => {
    const now = findInForce(db)
    const known = now?.state === "inForce" && sameModel(now, embedder) && saysSame(now, embedder)
    return Either.right(known || !whole(db) ? null : { ...named(embedder), state: "inForce" })
  })

/** Makes the command by which an index is no more. The one in force stays. */
export const dropEmbedder = (actor: string, model: ModelName): Command<boolean, Refused> =>
  changing(actor, model, ({ db }) => {
    const now = findInForce(db)
    const { dimensions, model: name } = model
    if (now !== undefined && sameModel(now, model)) {
      return Either.left(new NoSuchIndex({ problem: `${name}: is in force; switch to another one, or go back, first` }))
    }
    const preparing = findPreparing(db)
    const there =
      memoryVectors.setNumber(db, name, dimensions) + chunkVectorIndex.setNumber(db, name, dimensions) > 0 ||
      (preparing !== undefined && sameModel(preparing, model))
    if (!there) return Either.left(new NoSuchIndex({ problem: `no index of ${name} with ${dimensions} dimensions` }))
    return Either.right({ model: name, dimensions, weight: 0, floor: 0, state: "dropped" })
  })

const changing = (
  actor: string,
  model: ModelName,
  decide: (situation: Situation) => Either.Either<Changed | null, Refused>
): Command<boolean, Refused> => ({
  actor,
  request: () => JSON.stringify([model.model, model.dimensions]),
  decide: (situation) =>
    Either.flatMap(whileSound(situation.db, "embedders"), () =>
      Either.map(decide(situation), (payload) =>
        payload === null ? { answer: false } : { events: [{ type: "EMBEDDER", payload }] as const }
      )
    ),
  answer: () => true
})

const named = ({ apart, ...embedder }: Figures) => ({
  ...figuresOf(embedder),
  ...(apart === undefined ? {} : { apart: statedOf(apart) })
})
