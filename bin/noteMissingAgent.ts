import * as Effect from "effect/Effect"
import { editCost } from "../text/normalise/spelling.js"
import type { Call } from "./commands/Command.js"

/**
 * Prints a note on stderr if the agent has no events, because its name may be mistyped, or `--agent` forgotten. Silent
 * below full trust, and without `--agent` as long as there is no agent at all.
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
    const nearest = (agentWasPassed ? known : [])
      .map(({ name }) => ({ name, cost: editCost(agent.toLowerCase(), name.toLowerCase(), maxEdits) }))
      .filter(({ cost }) => cost <= maxEdits)
      .sort((a, b) => a.cost - b.cost)[0]
    out.note(
      nearest === undefined
        ? `agent ${agent} has no events; 'daybook agents' lists the agents`
        : `no agent ${agent}; there is ${nearest.name}`
    )
  })

const maxEdits = 2
