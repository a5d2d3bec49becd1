import type { Payload } from "../events/catalogue.js"
import { type Db, type Projection, sql } from "./Projection.js"

/** The policy of each version range. Not part of the state digest: the policy does not change what a memory is. */
export const configuration: Projection = {
  name: "configuration",
  version: 1,
  handles: ["CONFIGURE"],
  tables: "CREATE TABLE configuration (version INTEGER PRIMARY KEY, digest TEXT NOT NULL, settings TEXT NOT NULL);",
  indexes: "",
  drop: (db) => db.exec("DROP TABLE configuration"),
  apply: (db, event) => {
    if (event.type !== "CONFIGURE") return
    const { policy, values } = event.payload
    sql(db, "INSERT INTO configuration (version, digest, settings) VALUES (?, ?, ?)").run(
      event.version,
      policy,
      JSON.stringify(values)
    )
  },
  digest: (db, digest) => digest.query(db, "SELECT * FROM configuration ORDER BY version"),
  stateDigest: () => {}
}

/** The digest of the latest policy; undefined before the first CONFIGURE event. */
export const latestPolicyDigest = (db: Db): string | undefined =>
  sql(db, "SELECT digest FROM configuration ORDER BY version DESC LIMIT 1").get()?.digest

/** The settings of the latest policy. */
export const latestPolicySettings = (db: Db): Payload<"CONFIGURE">["values"] | undefined => {
  const row = sql(db, "SELECT settings FROM configuration ORDER BY version DESC LIMIT 1").get()
  return row === undefined ? undefined : JSON.parse(row.settings)
}
