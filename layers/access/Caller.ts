import * as Context from "effect/Context"
import type { TrustLevel } from "../../events/Trust.js"

/** Who sent a request: what its token permits. It never holds the token's secret. */
export class Caller extends Context.Tag("daybook/Caller")<
  Caller,
  {
    /** The agents that it may use: a name in which `*` stands for any characters. */
    readonly agents: string
    /** The agents that the server serves at all; absent for every agent. */
    readonly served?: string | undefined
    /** The trust level at which it reads and writes. */
    readonly trust: TrustLevel
    /** The id of its token. */
    readonly token: string
  }
>() {}

/** The agent of a request that names none: the only one that the caller may use, or `default`. */
export const unnamedAgentOf = ({ agents }: Context.Tag.Service<Caller>): string =>
  agents.includes("*") ? "default" : agents

/**
 * Whether the caller may use an agent. It compares names in Unicode's composed form (NFC), as agents are named. A value
 * that is not a text, such as a repeated parameter of a request, names no agent.
 */
export const canUse = ({ agents, served = "*" }: Context.Tag.Service<Caller>, agent: string): boolean => {
  if (typeof agent !== "string") return false
  const name = agent.normalize("NFC")
  return [agents, served].every((pattern) => matchesPattern(pattern.normalize("NFC"), name))
}

/** Matches each literal part of the pattern at its first place, so the time is linear in both lengths. */
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
