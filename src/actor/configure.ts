import { latestPolicyDigest, latestPolicySettings } from "../../projections/configuration.js"
import type { Db } from "../../projections/Projection.js"
import { type DecidedEvent, requireUnparked } from "./Command.js"
import { changedSettings, type PolicyRecords } from "./policyRecord.js"

/** The CONFIGURE event for a policy that differs from the last recorded one; undefined if it does not. */
export const configureEvent = (db: Db, { implied, policy }: PolicyRecords): DecidedEvent | undefined => {
  const last = latestPolicyDigest(db)
  if ((last ?? implied.digest) === policy.digest) return undefined
  // A parked projection does not know the last policy. Every write would repeat the event, so write none.
  if (requireUnparked(db, "configuration")._tag === "Left") return undefined
  const changed = changedSettings(latestPolicySettings(db) ?? implied.values, policy.values)
  return { type: "CONFIGURE", payload: { policy: policy.digest, values: policy.values, changed } }
}
