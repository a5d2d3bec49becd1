import { levels, minOpennessOf, type TrustLevel } from "../events/Trust.js"
import { hasDisputes, isDisputeSettled } from "./disputePairs.js"
import { type Db, sql } from "./Projection.js"
import { findSurvivor, type MemoryKey, withReplacedMemories } from "./takeovers.js"

/** A memory in a dispute. */
export interface DisputeSide {
  readonly id: string
  readonly born: number
  readonly title: string
  /**
   * When the memory happened or was last said, in milliseconds since the epoch. A repeat of a memory updates only that
   * memory's time.
   */
  readonly at: number
  /** The trust level of the memory's writer. */
  readonly level: TrustLevel
}

/** A contradiction between two sides. */
export interface Contradiction {
  /** True if the side itself raised the contradiction; false if its opponent raised it. */
  readonly isRaised: boolean
  /** How likely the contradiction is, 0…1; absent if nobody estimated it. */
  readonly confidence?: number
}

/** The open disputes of a group of memories. */
export interface OpenDispute {
  /** Sorted by the writer's level, highest first, then by `at`, newest first. */
  readonly sides: ReadonlyArray<DisputeSide>
  /**
   * For the id of each side: its contradictions, by the id of the opponent. Includes the contradictions that the
   * opponent raised.
   */
  readonly opponents: ReadonlyMap<string, ReadonlyMap<string, Contradiction>>
  /** True if the group has more sides than were read. */
  readonly isCut: boolean
}

/**
 * Maximum number of sides to read in one group, the highest levels first. Larger groups are rare. Without this limit, a
 * low level could create a large group to slow down the reads of others.
 */
export const maxSides = 300

/**
 * Returns, for the id of each memory, the open dispute of its group; memories without a dispute are absent. A memory
 * that disputes one side of a group joins that group. A dispute is open while it is not settled and both sides are
 * active and unexpired at `now`. Only sides that `level` may read count, so that `level` cannot learn of a dispute with
 * a memory that it may not read. Reads at most `limit` sides of a group.
 */
export const findOpenDisputes = (
  db: Db,
  level: TrustLevel,
  ids: ReadonlyArray<string>,
  now: number,
  limit = maxSides
): ReadonlyMap<string, OpenDispute> => {
  const groups = new Map<string, Group>()
  if (!hasDisputes(db)) return new Map()
  const reader = readerOf(db, level, now)
  loadRows(reader, "id", ids)
  for (const id of new Set(ids)) {
    const first = groups.has(id) ? undefined : findSide(reader, id)
    if (first === undefined) continue
    const group: Group = { sides: new Map([[id, first]]), opponents: new Map(), isCut: false }
    const joined = walk(reader, group, groups, limit)
    if (joined === undefined && group.sides.size < 2) continue
    if (joined !== undefined) {
      joined.sides.set(id, first)
      joined.opponents.set(id, group.opponents.get(id)!)
    }
    for (const sideId of group.sides.keys()) groups.set(sideId, joined ?? group)
  }
  const ordered = new Map<Group, OpenDispute>()
  return new Map(
    [...groups].map(([id, group]) => {
      const dispute = ordered.get(group) ?? { ...group, sides: [...group.sides.values()].sort(bySide) }
      ordered.set(group, dispute)
      return [id, dispute]
    })
  )
}

interface Group {
  readonly sides: Map<string, DisputeSide>
  readonly opponents: Map<string, ReadonlyMap<string, Contradiction>>
  isCut: boolean
}

interface Reader {
  readonly db: Db
  readonly now: number
  readonly minOpenness: number
  /** The rows read so far. Each row is stored under its id and under its row number. */
  readonly rows: Map<string | number, SideRow>
}

const readerOf = (db: Db, level: TrustLevel, now: number): Reader => ({
  db,
  now,
  minOpenness: minOpennessOf(level),
  rows: new Map()
})

/**
 * Adds all sides that are connected to the first side of the group. If an opponent of the first side is in a group that
 * was read before, returns that group instead. This happens only if that group was cut at its limit.
 */
const walk = (reader: Reader, group: Group, known: ReadonlyMap<string, Group>, limit: number): Group | undefined => {
  for (const side of group.sides.values()) {
    const { isCut, opponents } = opponentsOf(reader, side, limit)
    group.opponents.set(side.id, new Map([...opponents].map(([id, { contradiction }]) => [id, contradiction])))
    group.isCut ||= isCut
    const joined = group.sides.size > 1 ? undefined : [...opponents.keys()].find((id) => known.has(id))
    if (joined !== undefined) return known.get(joined)
    for (const [id, { side: opponent }] of opponents) {
      if (group.sides.size < limit || group.sides.has(id)) group.sides.set(id, opponent)
      else group.isCut = true
    }
  }
  return undefined
}

interface Opponent {
  readonly side: DisputeSide
  readonly contradiction: Contradiction
}

/** The opponents of an active memory, by id: in its own disputes, and in those of the memories whose place it took. */
const opponentsOf = (reader: Reader, memory: MemoryKey, limit: number) => {
  const { db } = reader
  const { id } = memory
  const opponents = new Map<string, Opponent>()
  const own = withReplacedMemories(db, memory)
  let isCut = false
  for (const ownRow of own) {
    const pairs = pairsOf(reader, ownRow, limit)
    isCut ||= pairs.length >= limit
    for (const { contradiction, row } of pairs) {
      const side = presentSide(reader, row)
      if (side === undefined || side.id === id || opponents.has(side.id)) continue
      const hasCopies = own.length > 1 || side.id !== row.id
      if (hasCopies && isDisputeSettled(db, own, withReplacedMemories(db, side))) continue
      opponents.set(side.id, { side, contradiction })
    }
  }
  return { opponents, isCut }
}

interface SideRow extends MemoryKey {
  readonly title: string
  readonly level: number
  readonly at: number
  readonly active: number
  readonly openness: number
  readonly expiresAt: number | null
}

/**
 * Reads the rows with these keys: ids or row numbers. Separate from the query for pairs, because a join would take ten
 * times as long per pair.
 */
const loadRows = ({ db, rows }: Reader, column: "id" | "born", keys: ReadonlyArray<string | number>): void => {
  const unread = keys.filter((key) => !rows.has(key))
  if (unread.length === 0) return
  const found = sql(
    db,
    `SELECT id, born, title, level, active, openness, expires_at AS expiresAt,
      CASE WHEN mentions > 1 THEN max(mentioned_at, coalesce(occurred_at, created_at))
        ELSE coalesce(occurred_at, created_at) END AS at
      FROM observations WHERE ${column} IN (SELECT value FROM json_each(?))`
  ).all(JSON.stringify(unread)) as ReadonlyArray<SideRow>
  for (const row of found) rows.set(row.id, row).set(row.born, row)
}

interface Pair {
  readonly row: SideRow
  readonly contradiction: Contradiction
}

/** The opponents in the unsettled pairs of a memory, active or not. */
const pairsOf = (reader: Reader, { born, id }: MemoryKey, limit: number): ReadonlyArray<Pair> => {
  const { db, rows } = reader
  const raised = sql(db, "SELECT other, confidence FROM disputes WHERE born = ? AND settled = 0 LIMIT ?").all(
    born,
    limit
  )
  const against = sql(
    db,
    `SELECT born, confidence FROM disputes WHERE other = ? AND settled = 0 AND present = 1
      ORDER BY level, born DESC LIMIT ?`
  ).all(id, limit)
  loadRows(
    reader,
    "id",
    raised.map(({ other }) => other)
  )
  loadRows(
    reader,
    "born",
    against.map((pair) => pair.born)
  )
  const pairOf = (key: string | number, isRaised: boolean, confidence: number | null): ReadonlyArray<Pair> => {
    const row = rows.get(key)
    return row === undefined
      ? []
      : [{ row, contradiction: { isRaised, ...(confidence === null ? {} : { confidence }) } }]
  }
  return [
    ...raised.flatMap(({ confidence, other }) => pairOf(other, true, confidence)),
    ...against.flatMap((pair) => pairOf(pair.born, false, pair.confidence))
  ]
}

const sideOf = ({ at, born, id, level, title }: SideRow): DisputeSide => ({
  id,
  born,
  title,
  at,
  level: levels[level]!
})

/**
 * The side for a row: its memory if that is active, otherwise the active memory that took its place. Undefined if there
 * is no such memory that the reader may read.
 */
const presentSide = (reader: Reader, row: SideRow): DisputeSide | undefined => {
  if (row.active === 1) return isReadable(reader, row) ? sideOf(row) : undefined
  const survivor = findSurvivor(reader.db, row.id)
  return survivor === undefined ? undefined : findSide(reader, survivor)
}

const isReadable = ({ minOpenness, now }: Reader, { expiresAt, openness }: SideRow): boolean =>
  openness >= minOpenness && (expiresAt === null || expiresAt > now)

const findSide = (reader: Reader, id: string): DisputeSide | undefined => {
  loadRows(reader, "id", [id])
  const row = reader.rows.get(id)
  return row?.active === 1 && isReadable(reader, row) ? sideOf(row) : undefined
}

/** The sides with these ids, in the given order, active or not. */
export const readSides = (db: Db, ids: ReadonlyArray<string>): ReadonlyArray<DisputeSide> => {
  const reader = everything(db)
  loadRows(reader, "id", ids)
  return ids.flatMap((id) => reader.rows.get(id) ?? []).map(sideOf)
}

/**
 * The memory with this id if it is active, otherwise the active memory that took its place. Undefined if there is no
 * such memory that `level` may read.
 */
export const findPresentSide = (db: Db, level: TrustLevel, id: string, now: number): DisputeSide | undefined => {
  const reader = readerOf(db, level, now)
  loadRows(reader, "id", [id])
  const row = reader.rows.get(id)
  return row === undefined ? undefined : presentSide(reader, row)
}

/** The ids of all sides of open disputes, including expired sides. */
export const findSideIds = (db: Db): ReadonlySet<string> => {
  const ids = new Set<string>()
  const pairs = sql(
    db,
    `SELECT n.id AS newer, n.active AS newerActive, o.id AS older, o.active AS olderActive FROM disputes d
      JOIN observations n USING (born) JOIN observations o ON o.id = d.other WHERE d.settled = 0 AND d.present = 1`
  ).all()
  const presentId = (id: string, active: number) => (active === 1 ? id : findSurvivor(db, id))
  for (const { newer, newerActive, older, olderActive } of pairs) {
    const [newerId, olderId] = [presentId(newer, newerActive), presentId(older, olderActive)]
    if (newerId !== undefined && olderId !== undefined) ids.add(newerId).add(olderId)
  }
  return ids
}

/** A reader for all active memories, including expired ones. */
const everything = (db: Db): Reader => readerOf(db, "full", Number.MIN_SAFE_INTEGER)

/**
 * True if an active memory is a side of an open dispute. An expired opponent counts too, because its expiry may be
 * moved.
 */
export const isSideOfDispute = (db: Db, memory: MemoryKey): boolean =>
  hasDisputes(db) && opponentsOf(everything(db), memory, maxSides).opponents.size > 0

/** Sorts by the writer's level, highest first, then by date, newest first. */
const bySide = (a: DisputeSide, b: DisputeSide): number =>
  minOpennessOf(a.level) - minOpennessOf(b.level) || b.at - a.at || b.born - a.born
