import { afterImages } from "../events/catalogue.js"
import type { Memory } from "../events/Memory.js"
import { levelOf, minOpennessOf } from "../events/Trust.js"
import { type Projection, sql } from "./Projection.js"

/**
 * Pairs of memories that contradict each other: the row number of the newer memory (`born`), and the id of the older
 * memory (`other`). `level` is the level of the newer memory's writer. `present` is 1 if the newer memory is active, or
 * if another memory may have taken its place.
 */
export const disputes: Projection = {
  name: "disputes",
  version: 2,
  handles: ["ADD", "UPDATE", "DELETE", "COMPRESS", "ARCHIVE"],
  tables: `CREATE TABLE disputes (
    born INTEGER NOT NULL,
    other TEXT NOT NULL,
    settled INTEGER NOT NULL,
    level INTEGER NOT NULL,
    present INTEGER NOT NULL,
    confidence REAL,
    PRIMARY KEY (born, other)
  ) WITHOUT ROWID;`,
  // The index has the order in which sides are read. So a read of a few sides takes no longer if a low level wrote many
  // rows.
  indexes: `CREATE INDEX disputes_other ON disputes (other, level, born DESC) WHERE settled = 0 AND present = 1;
    CREATE INDEX disputes_newest ON disputes (level, born DESC);`,
  drop: () => "DROP TABLE disputes",
  apply: (db, event) => {
    for (const memory of afterImages(event)) {
      if (memory.born !== event.version) sql(db, "DELETE FROM disputes WHERE born = ?").run(memory.born)
      for (const { confidence, id, settled } of memory.disputes ?? []) {
        sql(
          db,
          "INSERT OR REPLACE INTO disputes (born, other, settled, level, present, confidence) VALUES (?, ?, ?, ?, ?, ?)"
        ).run(
          memory.born,
          id,
          settled === undefined ? 0 : 1,
          minOpennessOf(levelOf(memory)),
          presentStatuses.has(memory.status) ? 1 : 0,
          confidence ?? null
        )
      }
    }
  },
  digest: (db, digest) => digest.query(db, "SELECT * FROM disputes ORDER BY born, other"),
  // The state digest of the memories includes their disputes.
  stateDigest: () => {}
}

/**
 * Statuses that set `present` to 1. A superseded or compressed memory may have a survivor, which is then the side
 * instead.
 */
const presentStatuses: ReadonlySet<Memory["status"]> = new Set<Memory["status"]>(["active", "superseded", "compressed"])
