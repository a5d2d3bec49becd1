import * as Schema from "effect/Schema"

/**
 * Each memory is in one store. Each trust level can read some stores: `full` reads every store, `inner` reads shared
 * and social, `familiar` reads social, `public` reads none.
 */
export const Store = Schema.Literal("private", "shared", "social")
export type Store = typeof Store.Type

export const TrustLevel = Schema.Literal("full", "inner", "familiar", "public")
export type TrustLevel = typeof TrustLevel.Type

export const stores: ReadonlyArray<Store> = Store.literals
export const levels: ReadonlyArray<TrustLevel> = TrustLevel.literals

/** The openness of a store: 0 private, 1 shared, 2 social. */
export const opennessOf = (store: Store): number => stores.indexOf(store)

/** The minimum openness of a store that a level can read: full 0, inner 1, familiar 2, public 3 (no store). */
export const minOpennessOf = (level: TrustLevel): number => levels.indexOf(level)

/** True if `level` may read `store`. A level may write to the stores that it can read. */
export const canRead = (level: TrustLevel, store: Store): boolean => opennessOf(store) >= minOpennessOf(level)

/** The stores that `level` can read, strictest first. */
export const readableStores = (level: TrustLevel): ReadonlyArray<Store> =>
  stores.filter((store) => canRead(level, store))

/** True if `level` is at least as high as `other`: full is above inner, inner is above familiar. */
export const isAtLeast = (level: TrustLevel, other: TrustLevel): boolean => minOpennessOf(level) <= minOpennessOf(other)

export const lowestLevel = (...all: readonly [TrustLevel, ...ReadonlyArray<TrustLevel>]): TrustLevel =>
  all.reduce((lowest, level) => (isAtLeast(lowest, level) ? level : lowest))

/**
 * The trust level of a writer. Events of earlier releases do not record the level. Then the result is the lowest level
 * that can write to the store.
 */
export const levelOf = ({
  level,
  store
}: {
  readonly level?: TrustLevel | undefined
  readonly store: Store
}): TrustLevel => level ?? levels[opennessOf(store)]!

/** Levels that can read at least one store. Each has its own full-text index. */
export type ReadingLevel = Exclude<TrustLevel, "public">
export const readingLevels: ReadonlyArray<ReadingLevel> = ["full", "inner", "familiar"]
