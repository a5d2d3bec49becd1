import { latestPolicyDigest, latestPolicySettings } from "../../projections/configuration.js"
import type { Db } from "../../projections/Projection.js"
import { type DecidedEvent, requireUnparked } from "./Command.js"
import { changedSettings, type PolicyRecords } from "./policyRecord.js"

/** Makes the CONFIGURE event if the policy differs from the last recorded one; otherwise returns undefined. */
export const configureEvent = (db: Db, { implied, policy }: PolicyRecords): DecidedEvent | undefined => {
  const last = latestPolicyDigest(db)
  if ((last ?? implied.digest) === policy.digest) return undefined
  // While the projection is parked, the last recorded policy is unknown, and every write would repeat the event. So
  // write none.
  if (requireUnparked(db, "configuration")._tag === "Left") return undefined
  const changed = changedSettings(latestPolicySettings(db) ?? implied.values, policy.values)
  return { type: "CONFIGURE", payload: { policy: policy.digest, values: policy.values, changed } }
}
