import { afterImages } from "../events/catalogue.js"
import type { Link, Memory } from "../events/Memory.js"
import { levelOf, lowestLevel, minOpennessOf, type Store, stores, type TrustLevel } from "../events/Trust.js"
import { type Turn, turnLevelOf } from "../events/Turn.js"
import { findStoredFilesByPath } from "./files.js"
import { findTurn } from "./lineageReads.js"
import { findById } from "./observations.js"
import { type Db, type Projection, sql } from "./Projection.js"

/** An index from sources to the memories made from them. The links themselves are stored in the memories. */
export const lineage: Projection = {
  name: "lineage",
  version: 1,
  handles: ["ADD", "UPDATE", "DELETE", "COMPRESS", "ARCHIVE"],
  tables: `CREATE TABLE links (
    born INTEGER NOT NULL,
    kind TEXT NOT NULL,
    source TEXT NOT NULL,
    PRIMARY KEY (born, kind, source)
  ) WITHOUT ROWID;`,
  indexes: "CREATE INDEX links_source ON links (kind, source);",
  drop: () => "DROP TABLE links",
  apply: (db, event) => {
    for (const memory of afterImages(event)) {
      if (memory.born !== event.version) sql(db, "DELETE FROM links WHERE born = ?").run(memory.born)
      for (const { kind, to } of memory.lineage ?? []) {
        sql(db, "INSERT OR IGNORE INTO links (born, kind, source) VALUES (?, ?, ?)").run(memory.born, kind, to)
      }
    }
  },
  digest: (db, digest) => digest.query(db, "SELECT * FROM links ORDER BY born, kind, source"),
  // The state digest of the memories includes their lineage.
  stateDigest: () => {}
}

/** The memories that have a link of this kind to a source, active or not, oldest first. */
export const findMemoriesBySource = (db: Db, kind: Link["kind"], source: string): ReadonlyArray<Memory> =>
  sql(
    db,
    "SELECT o.memory FROM links l JOIN observations o USING (born) WHERE l.kind = ? AND l.source = ? ORDER BY born"
  )
    .pluck()
    .all(kind, source)
    .map((memory) => JSON.parse(memory as string) as Memory)

/** The turns and files that the events with these versions added, as targets of links. */
export const findSourcesByVersion = (
  db: Db,
  { files, turns }: { readonly files: ReadonlyArray<number>; readonly turns: ReadonlyArray<number> }
): ReadonlyArray<Pick<Link, "kind" | "to">> => {
  const targets = (text: string, born: ReadonlyArray<number>): ReadonlyArray<string> =>
    sql(db, `${text} WHERE born IN (SELECT value FROM json_each(?)) ORDER BY born`).pluck().all(JSON.stringify(born))
  return [
    ...targets("SELECT id FROM turns", turns).map((to) => ({ kind: "turn" as const, to })),
    ...targets("SELECT path FROM files", files).map((to) => ({ kind: "file" as const, to }))
  ]
}

/**
 * The store of a source that a level may read; undefined if there is no such source. If a path names files in several
 * stores, returns the most open store.
 */
export const findSourceStore = (db: Db, level: TrustLevel, kind: Link["kind"], source: string): Store | undefined => {
  const text = {
    derived: "SELECT openness FROM observations WHERE id = ? AND openness >= ? AND active = 1",
    supersedes: "SELECT openness FROM observations WHERE id = ? AND openness >= ?",
    turn: "SELECT openness FROM turns WHERE id = ? AND openness >= ?",
    file: "SELECT max(openness) AS openness FROM files WHERE path = ? AND openness >= ?"
  }[kind]
  return stores[sql(db, text).get(source, minOpennessOf(level))?.openness ?? -1]
}

/**
 * The lowest trust level that wrote text in a source; undefined for an unknown source. For a path with several files,
 * this is the lowest level of the files. For a turn with the result of a tool call, it is the level of a tool.
 */
export const findSourceLevel = (db: Db, kind: Link["kind"], source: string): TrustLevel | undefined => {
  if (kind === "turn") {
    const turn = findTurn(db, "full", source)
    return turn === undefined ? undefined : sourceLevelOf(turn)
  }
  if (kind === "file") {
    const [first, ...others] = findStoredFilesByPath(db, "full", source).map(({ level }) => level)
    return first === undefined ? undefined : lowestLevel(first, ...others)
  }
  const memory = findById(db, source)
  return memory === undefined ? undefined : levelOf(memory)
}

/**
 * The level of text that is derived from a turn. The level of a tool counts if the turn has results of tool calls,
 * because the text may come from them.
 */
export const sourceLevelOf = (turn: Turn): TrustLevel => {
  const hasToolOutput = turn.toolCalls?.some(({ result }) => result !== undefined) === true
  return hasToolOutput ? turnLevelOf({ ...turn, role: "tool" }) : turnLevelOf(turn)
}
