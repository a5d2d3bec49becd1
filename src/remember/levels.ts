import * as Either from "effect/Either"
import type { Lowered } from "../../events/catalogue.js"
import { isKeptAsWritten, type Link, type Memory, type Source, type Tier } from "../../events/Memory.js"
import {
  canRead,
  isAtLeast,
  levelOf,
  lowestLevel,
  readableStores,
  type Store,
  type TrustLevel
} from "../../events/Trust.js"
import type { OpenDispute } from "../../projections/disputeGroups.js"
import { findSourceLevel } from "../../projections/lineage.js"
import { contentDigest, findDuplicates } from "../../projections/observations.js"
import type { Db } from "../../projections/Projection.js"
import type { WeighedStatement } from "../actor/Advice.js"
import { LevelTooLow, StoreForbidden } from "../model/errors.js"
import { limits } from "../model/limits.js"

/** The lowest level that may decide how long a memory is kept and how important it is. */
const steeringLevel: TrustLevel = "inner"
/** The maximum importance that a lower level may set. */
const maxImportance = 0.5

/** Source kinds that only the engine may set, each with the kind that is stored instead if a program names it. */
const engineKinds: Partial<Record<Source["kind"], Source["kind"]>> = {
  auto_capture: "auto",
  tool: "agent",
  import: "agent"
}

/** The source to store. A program cannot claim to be the engine. */
export const allowedSource = (source: Source, isEngine: boolean): Source => {
  const kind = isEngine ? undefined : engineKinds[source.kind]
  return kind === undefined ? source : { ...source, kind }
}

/** The level of a statement: the lowest level among its writer and the sources of its text. */
export const levelOfStatement = (
  db: Db,
  {
    level,
    lineage = []
  }: { readonly level?: TrustLevel | undefined; readonly lineage?: ReadonlyArray<Link> | undefined }
): TrustLevel | undefined =>
  level === undefined
    ? undefined
    : lowestLevel(
        level,
        ...lineage.flatMap(({ kind, reason, to }) =>
          reason === "extracted" ? (findSourceLevel(db, kind, to) ?? []) : []
        )
      )

/** The tiers, from the shortest to the longest life. */
const tiers: ReadonlyArray<Tier> = ["daily", "mid", "long", "core"]

/** The tier of a memory if its writer gave no tier. */
export const defaultTier = ({ kind }: Source): Tier => (kind === "auto" || kind === "auto_capture" ? "mid" : "long")

type Steered = Pick<Memory, "importance" | "source" | "tags" | "tier">

/**
 * Lowers the fields of a draft that its level may not decide: a tier above the default, an importance above 0.5, and
 * the tag that protects from maintenance. `lowered` names these fields.
 */
export const lowerToLevel = <M extends Steered>(
  level: TrustLevel | undefined,
  draft: M,
  pin: string
): { readonly draft: M; readonly lowered: ReadonlyArray<Lowered> } => {
  if (level === undefined || isAtLeast(level, steeringLevel)) return { draft, lowered: [] }
  const { importance, source, tags, tier } = draft
  const lowered = {
    ...(tiers.indexOf(tier) > tiers.indexOf(defaultTier(source)) ? { tier: defaultTier(source) } : {}),
    ...(importance > maxImportance ? { importance: maxImportance } : {}),
    ...(tags.includes(pin) ? { tags: withoutTag(tags, pin) } : {})
  }
  return { draft: { ...draft, ...lowered }, lowered: Object.keys(lowered) as Array<Lowered> }
}

/**
 * Lowers a change of a memory as `lowerToLevel` lowers a draft. The protecting tag stays unchanged, and importance may not
 * rise above 0.5 or above its present value.
 */
export const lowerChange = (
  level: TrustLevel,
  before: Memory,
  next: Memory,
  pin: string
): { readonly memory: Memory; readonly lowered: ReadonlyArray<Lowered> } => {
  if (isAtLeast(level, steeringLevel)) return { memory: next, lowered: [] }
  const isPinned = before.tags.includes(pin)
  const lowered = {
    ...(next.importance > Math.max(maxImportance, before.importance)
      ? { importance: Math.max(maxImportance, before.importance) }
      : {}),
    ...(next.tags.includes(pin) === isPinned
      ? {}
      : { tags: isPinned ? [pin, ...withoutTag(next.tags, pin)].slice(0, limits.tags) : withoutTag(next.tags, pin) })
  }
  return { memory: { ...next, ...lowered }, lowered: Object.keys(lowered) as Array<Lowered> }
}

const withoutTag = (tags: ReadonlyArray<string>, pin: string): ReadonlyArray<string> =>
  tags.filter((tag) => tag !== pin)

/** The store to write to: the given store, or else the strictest store that the level can read. */
export const storeToWrite = (level: TrustLevel, store: Store | undefined): Either.Either<Store, StoreForbidden> => {
  const chosen = store ?? readableStores(level)[0]
  return chosen !== undefined && canRead(level, chosen)
    ? Either.right(chosen)
    : Either.left(new StoreForbidden({ level, store: chosen ?? "social" }))
}

/** Refuses a change if a higher level wrote the memory. */
export const requireLevel = (
  level: TrustLevel,
  written: { readonly level?: TrustLevel | undefined; readonly store: Memory["store"] },
  what: string
): Either.Either<void, LevelTooLow> =>
  isAtLeast(level, levelOf(written))
    ? Either.void
    : Either.left(new LevelTooLow({ level, writer: levelOf(written), what }))

/**
 * Returns true if a statement that certainly contradicts one side may settle the dispute. The statement's level must be
 * at or above the level of each side, and its text must not come from a memory. Below the highest level, a group stays
 * open if not all of its sides were read.
 */
export const maySettleGroup = (
  { level = "full", lineage = [] }: Pick<WeighedStatement, "level" | "lineage">,
  { isCut, sides }: Pick<OpenDispute, "isCut" | "sides">
): boolean =>
  (level === "full" || (!isCut && sides.every((side) => isAtLeast(level, side.level)))) &&
  !lineage.some(({ kind }) => kind === "derived")

/** A stored memory that has the same title and facts as a new statement. */
export interface Repeat {
  readonly memory: Memory
  /**
   * `mention`: the same level wrote it. `unchanged`: a higher level wrote it. `replace`: a lower level wrote it, and
   * nothing in the memory is missing from the statement.
   */
  readonly effect: "mention" | "unchanged" | "replace"
}

/** The memory that a statement repeats; undefined if the statement must become a memory of its own. */
export const findRepeat = (db: Db, statement: WeighedStatement, now: number): Repeat | undefined => {
  const { facts, level, store, title } = statement
  const duplicates = findDuplicates(db, store, contentDigest(title, facts), now).filter(
    ({ id }) => !isKeptAsWritten(id)
  )
  const [oldest] = duplicates
  if (oldest === undefined) return undefined
  if (level === undefined) return { memory: oldest, effect: "mention" }
  const own = duplicates.find((memory) => levelOf(memory) === level)
  if (own !== undefined) return { memory: own, effect: "mention" }
  const higher = duplicates.find((memory) => isAtLeast(levelOf(memory), level))
  if (higher !== undefined) return { memory: higher, effect: "unchanged" }
  const equal = duplicates.find((memory) => holdsNothingElse(memory, statement))
  return equal === undefined ? undefined : { memory: equal, effect: "replace" }
}

const holdsNothingElse = ({ narrative, people, tags }: Memory, statement: WeighedStatement): boolean =>
  (narrative === undefined || narrative === statement.narrative) &&
  people.every((person) => statement.people.includes(person)) &&
  tags.every((tag) => statement.tags.includes(tag))
