import { afterImages, type EventType } from "../events/catalogue.js"
import { minOpennessOf, type TrustLevel } from "../events/Trust.js"
import { type Db, type Projection, sql } from "./Projection.js"

/**
 * An event that changed a memory. The content of the event is stored only in the log, so it is enough to erase it
 * there.
 */
export interface Change {
  readonly version: number
  readonly revision: number
  readonly type: EventType
}

/** For each memory, the versions of the events that changed it. The events are then read from the log. */
export const history: Projection = {
  name: "history",
  version: 2,
  handles: ["ADD", "UPDATE", "DELETE", "COMPRESS", "ARCHIVE"],
  tables: `CREATE TABLE changes (
    born INTEGER NOT NULL,
    version INTEGER NOT NULL,
    id TEXT NOT NULL,
    revision INTEGER NOT NULL,
    type TEXT NOT NULL,
    openness INTEGER NOT NULL,
    PRIMARY KEY (born, version)
  ) WITHOUT ROWID;`,
  indexes: "CREATE INDEX changes_version ON changes (version);",
  drop: () => "DROP TABLE changes",
  apply: (db, event, lookup) => {
    for (const memory of afterImages(event)) {
      sql(db, "INSERT INTO changes (born, version, id, revision, type, openness) VALUES (?, ?, ?, ?, ?, ?)").run(
        memory.born,
        event.version,
        memory.id,
        memory.revision,
        event.type,
        lookup.opennessOf(memory)
      )
    }
  },
  digest: (db, digest) => digest.query(db, "SELECT * FROM changes ORDER BY born, version"),
  stateDigest: () => {}
}

/** The changes of one memory that `level` may read, oldest first. */
export const findChanges = (db: Db, level: TrustLevel, born: number): ReadonlyArray<Change> =>
  sql(db, "SELECT version, revision, type FROM changes WHERE born = ? AND openness >= ? ORDER BY version").all(
    born,
    minOpennessOf(level)
  )

/** The version of the newest event that changed a memory; 0 if there is none. */
export const lastChange = (db: Db): number =>
  sql(db, "SELECT coalesce(max(version), 0) AS version FROM changes").get().version
