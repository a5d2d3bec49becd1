import { levels, minOpennessOf, type TrustLevel } from "../events/Trust.js"
import { type Db, sql } from "./Projection.js"
import { findSurvivor, type RowKey, withCopies } from "./takeovers.js"

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

/**
 * Maximum sides of one group that are read, the highest levels first. More are rare, and a low level could make them to
 * slow down the reads of others.
 */
export const maxSides = 300

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
  /** The rows that were read, by id and by row number. */
  readonly rows: Map<string | number, SideRow>
}

const readerOf = (db: Db, level: TrustLevel, now: number): Reader => ({
  db,
  now,
  minOpenness: minOpennessOf(level),
  rows: new Map()
})

/**
 * Adds the sides that are connected to the first one. If that one is connected to a group that was cut, returns that
 * group: it has been read already.
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

/** The opponents of an active memory, of its own disputes and of those that it took over, by id. */
const opponentsOf = (reader: Reader, memory: RowKey, limit: number) => {
  const { db } = reader
  const { id } = memory
  const opponents = new Map<string, Opponent>()
  const own = withCopies(db, memory)
  let isCut = false
  for (const ownRow of own) {
    const pairs = pairsOf(reader, ownRow, limit)
    isCut ||= pairs.length >= limit
    for (const { contradiction, row } of pairs) {
      const side = presentSide(reader, row)
      if (side === undefined || side.id === id || opponents.has(side.id)) continue
      const hasCopies = own.length > 1 || side.id !== row.id
      if (hasCopies && isSettled(db, own, withCopies(db, side))) continue
      opponents.set(side.id, { side, contradiction })
    }
  }
  return { opponents, isCut }
}

interface SideRow extends RowKey {
  readonly title: string
  readonly level: number
  readonly at: number
  readonly active: number
  readonly openness: number
  readonly expiresAt: number | null
}

/**
 * The rows with these keys: ids or row numbers. Separate from the read of the pairs: joined, a pair takes ten times as
 * long.
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

/** The other sides of the open pairs with a memory, active or not. */
const pairsOf = (reader: Reader, { born, id }: RowKey, limit: number): ReadonlyArray<Pair> => {
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

/** The side of a row: its memory, or the active one that took its place; undefined if the reader may not read it. */
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

/** The sides with these ids, in this order, whether or not they are active. */
export const readSides = (db: Db, ids: ReadonlyArray<string>): ReadonlyArray<DisputeSide> => {
  const reader = everything(db)
  loadRows(reader, "id", ids)
  return ids.flatMap((id) => reader.rows.get(id) ?? []).map(sideOf)
}

/** The active memory with this id, or the one that took its place; undefined without one that `level` may read. */
export const findPresentSide = (db: Db, level: TrustLevel, id: string, now: number): DisputeSide | undefined => {
  const reader = readerOf(db, level, now)
  loadRows(reader, "id", [id])
  const row = reader.rows.get(id)
  return row === undefined ? undefined : presentSide(reader, row)
}

/** Whether a person decided that two memories both hold, or two that they took over. */
const isSettled = (db: Db, rows: ReadonlyArray<RowKey>, others: ReadonlyArray<RowKey>): boolean =>
  hasPair(db, rows, others, 1)

/** Whether a dispute is recorded between memories of two lists. */
const hasPair = (db: Db, rows: ReadonlyArray<RowKey>, others: ReadonlyArray<RowKey>, settled: 0 | 1): boolean => {
  const between = (newer: ReadonlyArray<RowKey>, older: ReadonlyArray<RowKey>) =>
    sql(
      db,
      `SELECT 1 FROM disputes WHERE settled = ? AND born IN (SELECT value FROM json_each(?))
        AND other IN (SELECT value FROM json_each(?)) LIMIT 1`
    ).get(settled, JSON.stringify(newer.map(({ born }) => born)), JSON.stringify(older.map(({ id }) => id))) !==
    undefined
  return between(rows, others) || between(others, rows)
}

/** The state of the dispute between two memories, or between memories that they took over; undefined if there is none. */
export const findDisputeBetween = (db: Db, memory: RowKey, other: RowKey): "settled" | "raised" | undefined => {
  if (!hasDisputes(db)) return undefined
  const [rows, others] = [withCopies(db, memory), withCopies(db, other)]
  return hasPair(db, rows, others, 1) ? "settled" : hasPair(db, rows, others, 0) ? "raised" : undefined
}

/** The ids of all sides of open disputes, whether or not they have expired. */
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

/** Reads all active memories, whether or not they have expired. */
const everything = (db: Db): Reader => readerOf(db, "full", Number.MIN_SAFE_INTEGER)

/** Whether an active memory is a side of an open dispute. An expired opponent counts, since its expiry may move. */
export const isSideOfDispute = (db: Db, memory: RowKey): boolean =>
  hasDisputes(db) && opponentsOf(everything(db), memory, maxSides).opponents.size > 0

/** The writer's level first, then the date, newest first. */
const bySide = (a: DisputeSide, b: DisputeSide): number =>
  minOpennessOf(a.level) - minOpennessOf(b.level) || b.at - a.at || b.born - a.born
