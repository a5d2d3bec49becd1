import type { Memory } from "../events/Memory.js"
import { levels, minOpennessOf, type TrustLevel } from "../events/Trust.js"
import { findMemoriesBySource } from "./lineage.js"
import { findById } from "./observations.js"
import { type Db, sql } from "./Projection.js"

/** A memory in a dispute. */
export interface DisputeSide {
  readonly id: string
  readonly born: number
  readonly title: string
  /** When it happened or was said last, milliseconds since the epoch. A repeat counts for its own side. */
  readonly at: number
  /** The level of its writer. */
  readonly level: TrustLevel
}

/** A contradiction between two sides. */
export interface Contradiction {
  /** Whether the side that is asked about raised it; otherwise its opponent did. */
  readonly isRaised: boolean
  /** How likely it is, 0…1; absent where nobody estimated it. */
  readonly confidence?: number
}

/** The open disputes of a group of memories. */
export interface OpenDispute {
  /** The sides in order: by the writer's level, highest first, then by when they were said last, newest first. */
  readonly sides: ReadonlyArray<DisputeSide>
  /** By id of a side, the sides that it disputes or that dispute it, by their id. */
  readonly opponents: ReadonlyMap<string, ReadonlyMap<string, Contradiction>>
  /** Whether the group has more sides than were read. */
  readonly isCut: boolean
}

/** Sides of one group that are read, the highest levels first. More are rare, and one low level could make them. */
export const maxSides = 1_000

/** Whether any memory ever disputed another one. Most agents have no dispute, so reads ask this first. */
export const hasDisputes = (db: Db): boolean => sql(db, "SELECT 1 FROM disputes LIMIT 1").get() !== undefined

/**
 * The open disputes of memories, by id: of the group of each. A memory that disputes one side joins the group of that
 * side. A dispute is open while both sides are active, unexpired at `now` and not settled. Only sides that `level` may
 * read count, so a dispute with a memory above that level does not exist for it. At most `limit` sides of a group are
 * read.
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
  const reader: Reader = { db, now, minOpenness: minOpennessOf(level) }
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
}

/**
 * Adds the sides that are connected to the first one. If that one is connected to a group that was cut, returns that
 * group: it has been read already.
 */
const walk = (reader: Reader, group: Group, known: ReadonlyMap<string, Group>, limit: number): Group | undefined => {
  for (const side of group.sides.values()) {
    const { isCut, opponents } = opponentsOf(reader, side.id, limit)
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

/** The opponents of an active memory, of its own disputes and of those that it took over, by id. */
const opponentsOf = (reader: Reader, id: string, limit: number) => {
  const { db } = reader
  const opponents = new Map<string, Opponent>()
  const ownIds = withCopies(db, id)
  let isCut = false
  for (const ownId of ownIds) {
    const rows = pairsOf(reader, ownId, limit)
    isCut ||= rows.length >= limit
    for (const { active, confidence, isRaised, ...row } of rows) {
      const side = active === 1 ? sideOf(row) : survivorOf(reader, row.id)
      if (side === undefined || side.id === id || opponents.has(side.id)) continue
      const hasCopies = ownIds.length > 1 || side.id !== row.id
      if (hasCopies && isSettled(db, ownIds, withCopies(db, side.id))) continue
      const contradiction = { isRaised: isRaised === 1, ...(confidence === null ? {} : { confidence }) }
      opponents.set(side.id, { side, contradiction })
    }
  }
  return { opponents, isCut }
}

const sideColumns = (table: string): string => {
  const said = `coalesce(${table}.occurred_at, ${table}.created_at)`
  const at = `CASE WHEN ${table}.mentions > 1 THEN max(${table}.mentioned_at, ${said}) ELSE ${said} END AS at`
  return `${table}.id, ${table}.born, ${table}.title, ${table}.level, ${at}`
}

const readable = (table: string): string =>
  `${table}.openness >= :minOpenness AND (${table}.expires_at IS NULL OR ${table}.expires_at > :now)`

/** The other sides of the open pairs with an id. A side that is not active may have a survivor. */
const pairsOf = ({ db, minOpenness, now }: Reader, id: string, limit: number): ReadonlyArray<PairRow> => {
  const params = { id, minOpenness, now, limit }
  const raised = sql(
    db,
    `SELECT 1 AS isRaised, d.confidence, o.active, ${sideColumns("o")} FROM observations n JOIN disputes d USING (born)
      JOIN observations o ON o.id = d.other WHERE n.id = :id AND d.settled = 0 AND (o.active = 0 OR ${readable("o")})
      ORDER BY o.level, o.born DESC LIMIT :limit`
  ).all(params)
  const against = sql(
    db,
    `SELECT 0 AS isRaised, d.confidence, n.active, ${sideColumns("n")} FROM disputes d JOIN observations n USING (born)
      WHERE d.other = :id AND d.settled = 0 AND d.present = 1 AND (n.active = 0 OR ${readable("n")})
      ORDER BY d.level, d.born DESC LIMIT :limit`
  ).all(params)
  return [...raised, ...against] as ReadonlyArray<PairRow>
}

interface SideRow {
  readonly id: string
  readonly born: number
  readonly title: string
  readonly level: number
  readonly at: number
}

interface PairRow extends SideRow {
  readonly isRaised: number
  readonly confidence: number | null
  readonly active: number
}

const sideOf = ({ level, ...side }: SideRow): DisputeSide => ({ ...side, level: levels[level]! })

const findSide = ({ db, ...reader }: Reader, id: string): DisputeSide | undefined => {
  const row = sql(
    db,
    `SELECT ${sideColumns("o")} FROM observations o WHERE o.id = :id AND o.active = 1 AND ${readable("o")}`
  ).get({ id, ...reader })
  return row === undefined ? undefined : sideOf(row)
}

/** The sides with these ids, in this order, whether or not they are active. */
export const readSides = (db: Db, ids: ReadonlyArray<string>): ReadonlyArray<DisputeSide> =>
  ids.flatMap((id) => {
    const row = sql(db, `SELECT ${sideColumns("o")} FROM observations o WHERE o.id = ?`).get(id)
    return row === undefined ? [] : sideOf(row)
  })

/** The active memory with this id, or the one that took its place; undefined without one that `level` may read. */
export const findPresentSide = (db: Db, level: TrustLevel, id: string, now: number): DisputeSide | undefined => {
  const reader = { db, now, minOpenness: minOpennessOf(level) }
  return findSide(reader, id) ?? survivorOf(reader, id)
}

/** Takeovers that are followed from one memory. A memory takes over few, and a memory is taken over few times. */
const maxCopies = 100

/** An id, and those of the memories whose place it took, directly or through others. */
const withCopies = (db: Db, id: string): ReadonlyArray<string> => {
  const ids = new Set([id])
  for (const next of ids) {
    const isLinked = sql(
      db,
      "SELECT 1 FROM links l JOIN observations o USING (born) WHERE o.id = ? AND l.kind IN ('supersedes', 'derived') LIMIT 1"
    ).get(next)
    if (isLinked === undefined) continue
    for (const copy of copiesOf(findById(db, next)!)) if (ids.size < maxCopies) ids.add(copy)
  }
  return [...ids]
}

/** The memories with its text whose place a memory took: copies of a lower level, and sources of a merge. */
const copiesOf = ({ lineage = [] }: Memory): ReadonlyArray<string> =>
  lineage.flatMap(({ reason, to }) => (reason === "replaced" || reason === "compressed" ? [to] : []))

/** The active memory that took the place of another one, directly or through others. */
const survivorOf = (reader: Reader, id: string): DisputeSide | undefined => {
  const visited = new Set([id])
  for (const gone of visited) {
    const takers = (["supersedes", "derived"] as const)
      .flatMap((kind) => findMemoriesBySource(reader.db, kind, gone))
      .filter((memory) => copiesOf(memory).includes(gone))
    for (const taker of takers) {
      if (taker.status === "active") return findSide(reader, taker.id)
      if (visited.size < maxCopies) visited.add(taker.id)
    }
  }
  return undefined
}

/** Whether a person decided that two memories both hold, or two that they took over. */
const isSettled = (db: Db, ids: ReadonlyArray<string>, otherIds: ReadonlyArray<string>): boolean => {
  const between = (newer: ReadonlyArray<string>, older: ReadonlyArray<string>) =>
    sql(
      db,
      `SELECT 1 FROM disputes d JOIN observations n USING (born) WHERE d.settled = 1
        AND d.other IN (SELECT value FROM json_each(?)) AND n.id IN (SELECT value FROM json_each(?)) LIMIT 1`
    ).get(JSON.stringify(older), JSON.stringify(newer)) !== undefined
  return between(ids, otherIds) || between(otherIds, ids)
}

/** What was recorded between two memories, or between memories that they took over; undefined if nothing was. */
export const findDisputeBetween = (db: Db, id: string, otherId: string): "settled" | "raised" | undefined => {
  if (!hasDisputes(db)) return undefined
  const [ids, otherIds] = [withCopies(db, id), withCopies(db, otherId)]
  if (isSettled(db, ids, otherIds)) return "settled"
  const raised = (newer: ReadonlyArray<string>, older: ReadonlyArray<string>) =>
    sql(
      db,
      `SELECT 1 FROM observations n JOIN disputes d USING (born) WHERE n.id IN (SELECT value FROM json_each(?))
        AND d.other IN (SELECT value FROM json_each(?)) LIMIT 1`
    ).get(JSON.stringify(newer), JSON.stringify(older)) !== undefined
  return raised(ids, otherIds) || raised(otherIds, ids) ? "raised" : undefined
}

/** The ids of all sides of open disputes, whether or not they have expired. */
export const findSideIds = (db: Db): ReadonlySet<string> => {
  const ids = new Set<string>()
  const pairs = sql(
    db,
    `SELECT n.id AS newer, n.active AS newerActive, o.id AS older, o.active AS olderActive FROM disputes d
      JOIN observations n USING (born) JOIN observations o ON o.id = d.other WHERE d.settled = 0 AND d.present = 1`
  ).all()
  const presentId = (id: string, active: number) => (active === 1 ? id : survivorOf(reader, id)?.id)
  const reader = everything(db)
  for (const { newer, newerActive, older, olderActive } of pairs) {
    const [newerId, olderId] = [presentId(newer, newerActive), presentId(older, olderActive)]
    if (newerId !== undefined && olderId !== undefined) ids.add(newerId).add(olderId)
  }
  return ids
}

/** Reads all active memories, whether or not they have expired. */
const everything = (db: Db): Reader => ({ db, now: Number.MIN_SAFE_INTEGER, minOpenness: minOpennessOf("full") })

/** Whether an active memory is a side of an open dispute. An expired opponent counts, since its expiry may move. */
export const isSideOfDispute = (db: Db, id: string): boolean =>
  hasDisputes(db) && opponentsOf(everything(db), id, maxSides).opponents.size > 0

/** The writer's level first, then the date, newest first. */
const bySide = (a: DisputeSide, b: DisputeSide): number =>
  minOpennessOf(a.level) - minOpennessOf(b.level) || b.at - a.at || b.born - a.born
