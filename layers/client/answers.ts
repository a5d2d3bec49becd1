import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import { errorOf } from "../http/api/problems.js"
import type { BatchEntry, ExtractedMemory, Page, WithContent } from "../http/api/types.js"

/** The items of a page, without its cursor: the methods of the library page by `offset`. */
export const itemsOf = <A, E, R>(page: Effect.Effect<Page<A>, E, R>): Effect.Effect<ReadonlyArray<A>, E, R> =>
  Effect.map(page, ({ items }) => items)

export const withoutContent = <A extends WithContent>({ content: _, ...memory }: A): Omit<A, "content"> => memory

/** The outcome of one entry of a batch. */
export const entryOutcome = <A>({ answer, problem }: BatchEntry<A>) =>
  problem === undefined ? Either.right(answer as A) : Either.left(errorOf(problem))

export const toCapturedMemory = ({ content, ...memory }: ExtractedMemory) => ({ ...memory, title: content })
