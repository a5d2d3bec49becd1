import * as Context from "effect/Context"
import type { TrustLevel } from "../../events/Trust.js"

/** The sender of a request, and what the sender's token permits. Never contains the token's secret. */
export class Caller extends Context.Tag("daybook/Caller")<
  Caller,
  {
    /** The agents that the caller may use: a name or a pattern, in which `*` matches any characters. */
    readonly agents: string
    /** The agents that the server serves: a name or a pattern; absent if it serves every agent. */
    readonly served?: string | undefined
    /** The trust level of the caller's reads and writes. */
    readonly trust: TrustLevel
    /** The id of the caller's token. */
    readonly token: string
  }
>() {}

/** The agent of a request that names no agent: the caller's only agent, or `default` if the token has a pattern. */
export const defaultAgentOf = ({ agents }: Context.Tag.Service<Caller>): string =>
  agents.includes("*") ? "default" : agents

/**
 * True if the caller may use the agent. Compares names in Unicode's composed form (NFC), the form of agents' names.
 * False for a value that is not a string, such as a repeated request parameter.
 */
export const canUse = ({ agents, served = "*" }: Context.Tag.Service<Caller>, agent: string): boolean => {
  if (typeof agent !== "string") return false
  const name = agent.normalize("NFC")
  return [agents, served].every((pattern) => matchesPattern(pattern.normalize("NFC"), name))
}

/** Matches each literal part of the pattern at its first position, so the time is linear in both lengths. */
const matchesPattern = (pattern: string, name: string): boolean => {
  const [first = "", ...others] = pattern.split("*")
  const last = others.pop()
  if (last === undefined) return name === pattern
  if (!name.startsWith(first)) return false
  let from = first.length
  for (const part of others) {
    const found = name.indexOf(part, from)
    if (found === -1) return false
    from = found + part.length
  }
  return name.length - last.length >= from && name.endsWith(last)
}
