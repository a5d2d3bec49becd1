import type { Payload } from "../events/catalogue.js"
import { type Db, type Projection, sql } from "./Projection.js"

/**
 * The policies, each with the version from which it applies, and the clock jumps that are not confirmed yet. Not part
 * of the state digest, because neither changes a memory.
 */
export const configuration: Projection = {
  name: "configuration",
  version: 2,
  handles: ["CONFIGURE", "CLOCK"],
  tables: `CREATE TABLE configuration (version INTEGER PRIMARY KEY, digest TEXT NOT NULL, settings TEXT NOT NULL);
    CREATE TABLE clock_jumps (version INTEGER PRIMARY KEY);`,
  indexes: "",
  drop: () => "DROP TABLE configuration; DROP TABLE IF EXISTS clock_jumps;",
  apply: (db, event) => {
    if (event.type === "CLOCK") return applyClock(db, event.payload, event.version)
    if (event.type !== "CONFIGURE") return
    const { policy, values } = event.payload
    sql(db, "INSERT INTO configuration (version, digest, settings) VALUES (?, ?, ?)").run(
      event.version,
      policy,
      JSON.stringify(values)
    )
  },
  digest: (db, digest) => {
    digest.query(db, "SELECT * FROM configuration ORDER BY version")
    digest.query(db, "SELECT * FROM clock_jumps ORDER BY version")
  },
  stateDigest: () => {}
}

const applyClock = (db: Db, payload: Payload<"CLOCK">, version: number): void => {
  if (payload.change === "ahead") sql(db, "INSERT INTO clock_jumps (version) VALUES (?)").run(version)
  else if (payload.change === "returned") sql(db, "DELETE FROM clock_jumps WHERE version >= ?").run(payload.since)
  else sql(db, "DELETE FROM clock_jumps").run()
}

/** True if all clock jumps are confirmed. */
export const isClockConfirmed = (db: Db): boolean => sql(db, "SELECT 1 FROM clock_jumps LIMIT 1").get() === undefined

/** The digest of the latest policy; undefined before the first CONFIGURE event. */
export const latestPolicyDigest = (db: Db): string | undefined =>
  sql(db, "SELECT digest FROM configuration ORDER BY version DESC LIMIT 1").get()?.digest

/** The settings of the latest policy; undefined before the first CONFIGURE event. */
export const latestPolicySettings = (db: Db): Payload<"CONFIGURE">["values"] | undefined => {
  const row = sql(db, "SELECT settings FROM configuration ORDER BY version DESC LIMIT 1").get()
  return row === undefined ? undefined : JSON.parse(row.settings)
}
