import { imagesOf } from "../events/catalogue.js"
import type { Memory } from "../events/Memory.js"
import { levelOf, minOpennessOf, type TrustLevel } from "../events/Trust.js"
import { findMemoriesBySource } from "./lineage.js"
import { getMemories } from "./observationReads.js"
import type { Disputed, Side } from "./observationSearch.js"
import { findById } from "./observations.js"
import { type Db, floorSql, type Projection, sql } from "./Projection.js"

/** Pairs of memories that contradict each other: the row of the newer one, and the id of the older one. */
export const disputes: Projection = {
  name: "disputes",
  version: 1,
  handles: ["ADD", "UPDATE", "DELETE", "COMPRESS", "ARCHIVE"],
  tables: `CREATE TABLE disputes (
    born INTEGER NOT NULL,
    other TEXT NOT NULL,
    settled INTEGER NOT NULL,
    PRIMARY KEY (born, other)
  ) WITHOUT ROWID;`,
  indexes: "CREATE INDEX disputes_other ON disputes (other);",
  drop: (db) => db.exec("DROP TABLE disputes"),
  apply: (db, event) => {
    for (const memory of imagesOf(event)) {
      if (memory.born !== event.version) sql(db, "DELETE FROM disputes WHERE born = ?").run(memory.born)
      for (const { id, settled } of memory.disputes ?? []) {
        sql(db, "INSERT OR REPLACE INTO disputes (born, other, settled) VALUES (?, ?, ?)").run(
          memory.born,
          id,
          settled === undefined ? 0 : 1
        )
      }
    }
  },
  digest: (db, digest) => digest.query(db, "SELECT * FROM disputes ORDER BY born, other"),
  // The state digest of the memories includes their disputes.
  stateDigest: () => {}
}

/** Whether any memory ever disputed another one. Most agents have no dispute, so reads ask this first. */
export const hasDisputes = (db: Db): boolean => sql(db, "SELECT 1 FROM disputes LIMIT 1").get() !== undefined

/** The ids of all sides of open disputes, whether or not they have expired. */
export const findSideIds = (db: Db): ReadonlySet<string> =>
  new Set(
    sql(
      db,
      `SELECT n.id AS newer, o.id AS older FROM disputes d JOIN observations n USING (born) JOIN observations o ON o.id = d.other
        WHERE d.settled = 0 AND n.active = 1 AND o.active = 1`
    )
      .all()
      .flatMap(({ newer, older }) => [newer as string, older as string])
  )

/** Sides of one group that are read. */
const maxSides = 50
/** Copies that are followed from a side that another memory took over. */
const maxCopies = 5

/** The open disputes of a group of memories. */
export interface OpenDispute {
  /** All sides in order: by the writer's level, highest first, then by when they were said last, newest first. */
  readonly sides: ReadonlyArray<Memory>
  /** By id of a side, the ids of the sides that it disputes or that dispute it. */
  readonly opponents: ReadonlyMap<string, ReadonlySet<string>>
}

/**
 * The open disputes of memories, by id: of the group of each. A memory that disputes one side joins the group of that side. A dispute is open
 * while both sides are active, unexpired at `now` and not settled. Only sides that `level` may read count, so a dispute
 * with a memory above that level does not exist for it.
 */
export const findOpenDisputes = (
  db: Db,
  level: TrustLevel,
  ids: ReadonlyArray<string>,
  now: number
): ReadonlyMap<string, OpenDispute> => {
  const groups = new Map<string, OpenDispute>()
  if (!hasDisputes(db)) return groups
  for (const id of ids) {
    if (groups.has(id)) continue
    const dispute = disputeOf(db, level, id, now)
    if (dispute.sides.length < 2) continue
    for (const side of dispute.sides) groups.set(side.id, dispute)
  }
  return groups
}

const disputeOf = (db: Db, level: TrustLevel, id: string, now: number): OpenDispute => {
  const find = (sideId: string): Memory | undefined =>
    getMemories(db, level, [sideId], now)[0] ?? survivorOf(db, level, sideId, now)
  const first = getMemories(db, level, [id], now)
  const sides = new Map(first.map((memory) => [memory.id, memory]))
  const opponents = new Map<string, Set<string>>()
  for (const side of sides.values()) {
    const found = opponentsOf(db, side).flatMap((other) => sides.get(other) ?? find(other) ?? [])
    opponents.set(side.id, new Set(found.map((opponent) => opponent.id)))
    for (const opponent of found) if (sides.size < maxSides) sides.set(opponent.id, opponent)
  }
  return { sides: [...sides.values()].sort(bySide), opponents }
}

/** The ids on the other side of a memory's disputes, of its own and of those that it took over. */
const opponentsOf = (db: Db, memory: Memory): ReadonlyArray<string> =>
  [memory.id, ...copiesOf(memory)].flatMap((id) =>
    sql(
      db,
      `SELECT n.id FROM disputes d JOIN observations n USING (born) WHERE d.other = :id AND d.settled = 0
        UNION SELECT d.other FROM disputes d JOIN observations n USING (born) WHERE n.id = :id AND d.settled = 0`
    )
      .pluck()
      .all({ id })
  ) as ReadonlyArray<string>

/** The memories with its text whose place a memory took: copies of a lower level, and sources of a merge. */
const copiesOf = ({ lineage = [] }: Memory): ReadonlyArray<string> =>
  lineage.flatMap(({ reason, to }) => (isTakeover(reason) ? [to] : []))

const isTakeover = (reason: NonNullable<Memory["lineage"]>[number]["reason"]): boolean =>
  reason === "replaced" || reason === "compressed"

/** The active memory that took the place of one with the same text, directly or through others. */
const survivorOf = (db: Db, level: TrustLevel, id: string, now: number): Memory | undefined => {
  let current = findById(db, id)
  for (let step = 0; step < maxCopies && current !== undefined && current.status !== "active"; step++) {
    const gone: string = current.id
    current = (["supersedes", "derived"] as const)
      .flatMap((kind) => findMemoriesBySource(db, kind, gone))
      .find((memory) => copiesOf(memory).includes(gone))
  }
  return current === undefined || current.id === id ? undefined : getMemories(db, level, [current.id], now)[0]
}

/** The writer's level first, then the date, newest first. */
const bySide = (a: Memory, b: Memory): number =>
  minOpennessOf(levelOf(a)) - minOpennessOf(levelOf(b)) || saidAt(b) - saidAt(a) || b.born - a.born

/** When a side happened or was said last, milliseconds since the epoch. A repeat counts for its own side. */
const saidAt = ({ createdAt, lastMentionedAt, mentions, occurredAt }: Memory): number =>
  mentions > 1 ? Math.max(lastMentionedAt, occurredAt ?? createdAt) : (occurredAt ?? createdAt)

/** Sides that an answer shows. */
const maxShown = 3

/** The dispute of a memory as answers show it: the other sides of its group. */
export const disputedFieldsOf = (id: string, dispute: OpenDispute | undefined): Disputed => {
  if (dispute === undefined) return {}
  const others = dispute.sides.filter((side) => side.id !== id)
  return {
    disputedBy: others.slice(0, maxShown).map(sideOf),
    ...(others.length > maxShown ? { moreSides: others.length - maxShown } : {})
  }
}

const sideOf = (memory: Memory): Side => ({
  id: memory.id,
  title: memory.title,
  at: saidAt(memory),
  level: levelOf(memory)
})

/** Adds their open disputes to rows, as far as `level` may read all sides. */
export const withDisputes = <Row extends { readonly id: string }>(
  db: Db,
  level: TrustLevel,
  rows: ReadonlyArray<Row>,
  now: number
): ReadonlyArray<Row & Disputed> => {
  const groups = findOpenDisputes(
    db,
    level,
    rows.map(({ id }) => id),
    now
  )
  return groups.size === 0 ? rows : rows.map((row) => ({ ...row, ...disputedFieldsOf(row.id, groups.get(row.id)) }))
}

/** A memory that disputes others, while it is open which of them holds. */
export interface OpenDecision extends Side, Disputed {
  /** The highest confidence of its contradictions, 0…1; absent where nobody estimated one. */
  readonly confidence?: number
}

/** The memories that raised open disputes, the newest first. */
export const findOpenDecisions = (
  db: Db,
  level: TrustLevel,
  now: number,
  { limit, offset }: { readonly limit: number; readonly offset: number }
): ReadonlyArray<OpenDecision> => {
  const ids = sql(
    db,
    `SELECT DISTINCT n.id FROM disputes d JOIN observations n USING (born)
      WHERE d.settled = 0 AND n.active = 1 AND ${floorSql(level, "n.openness")} ORDER BY n.born DESC`
  )
    .pluck()
    .all() as ReadonlyArray<string>
  const groups = findOpenDisputes(db, level, ids, now)
  const open = ids.flatMap((id): ReadonlyArray<OpenDecision> => {
    const dispute = groups.get(id)
    const memory = dispute?.sides.find((side) => side.id === id)
    if (memory === undefined) return []
    const confidences = (memory.disputes ?? []).flatMap(({ confidence, settled }) =>
      settled === undefined && confidence !== undefined ? [confidence] : []
    )
    return [
      {
        ...sideOf(memory),
        ...disputedFieldsOf(id, dispute),
        ...(confidences.length === 0 ? {} : { confidence: Math.max(...confidences) })
      }
    ]
  })
  return open.slice(offset, offset + limit)
}
