import { lastConfigured, lastSettings } from "../../projections/configuration.js"
import type { Db } from "../../projections/Projection.js"
import { type AnyCommand, type DecidedEvent, whileSound } from "./Command.js"
import { type Configuring, changedSettings } from "./policyInForce.js"

/** The CONFIGURE event for a policy that differs from the last recorded one; undefined if it does not. */
export const configureCommand = (
  db: Db,
  { implied, policy }: Configuring,
  actor: string
): (AnyCommand & { readonly event: DecidedEvent }) | undefined => {
  const last = lastConfigured(db)
  if ((last ?? implied.digest) === policy.digest) return undefined
  // A parked projection does not know the last policy. Writing nothing beats repeating the event with every write.
  if (whileSound(db, "configuration")._tag === "Left") return undefined
  const changed = changedSettings(lastSettings(db) ?? implied.values, policy.values)
  const event: DecidedEvent = {
    type: "CONFIGURE",
    payload: { policy: policy.digest, values: policy.values, changed }
  }
  return {
    actor,
    event,
    request: () => "",
    decide: () => {
      throw new Error("a CONFIGURE event is placed without a decision")
    },
    answer: () => undefined
  }
}
