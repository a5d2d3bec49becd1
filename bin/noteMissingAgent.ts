import * as Effect from "effect/Effect"
import { nearestName } from "../text/normalise/spelling.js"
import type { Call } from "./commands/Command.js"

/**
 * Notes on stderr that the agent has no events: its name may be mistyped, or `--agent` forgotten. Prints nothing below
 * full trust, or if `--agent` was not passed and no agent exists.
 */
export const noteMissingAgent = ({
  agent,
  agentWasPassed,
  daybook,
  out,
  trust
}: Pick<Call, "agent" | "agentWasPassed" | "daybook" | "out" | "trust">) =>
  Effect.gen(function* () {
    if (trust !== "full") return
    const known = yield* Effect.flatMap(daybook, (opened) => opened.agents)
    if (known.some(({ name }) => name === agent) || (!agentWasPassed && known.length === 0)) return
    const nearest = agentWasPassed
      ? nearestName(
          agent,
          known.map(({ name }) => name)
        )
      : undefined
    out.note(
      nearest === undefined
        ? `agent ${agent} has no events: pass --agent NAME; 'daybook agents' lists the names`
        : `no agent ${agent}; did you mean ${nearest}?`
    )
  })
