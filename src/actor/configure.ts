import { lastConfigured, lastSettings } from "../../projections/configuration.js"
import type { Db } from "../../projections/Projection.js"
import { type AnyCommand, type DecidedEvent, whileSound } from "./Command.js"
import { type Configuring, changedSettings } from "./policyInForce.js"

/** Puts on record that the policy is another one than that of the last event; undefined where it is not. */
export const configureCommand = (
  db: Db,
  { implied, policy }: Configuring,
  actor: string
): (AnyCommand & { readonly event: DecidedEvent }) | undefined => {
  const last = lastConfigured(db)
  if ((last ?? implied.digest) === policy.digest) return undefined
  // Whoever cannot know which one was the last says nothing, rather than the same with every write.
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
      throw new Error("what is configured is not decided")
    },
    answer: () => undefined
  }
}
