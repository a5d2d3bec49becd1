import * as Effect from "effect/Effect"
import type { Call } from "./commands/Command.js"

/**
 * Prints a note on stderr if `--agent` names an agent without events, because the name may be mistyped. Silent below
 * full trust.
 */
export const noteMissingAgent = ({ agent, agentWasPassed, daybook, out, trust }: Call) =>
  Effect.gen(function* () {
    if (!agentWasPassed || trust !== "full") return
    const known = yield* Effect.flatMap(daybook, (opened) => opened.agents)
    if (!known.some(({ name }) => name === agent)) {
      out.note(`agent ${agent} has no events; 'daybook agents' lists the agents`)
    }
  })
