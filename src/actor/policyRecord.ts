import { hash } from "node:crypto"
import * as Context from "effect/Context"
import type { Payload } from "../../events/catalogue.js"
import { defaults, type PolicyValues } from "../ports/Policy.js"

/** A policy as CONFIGURE events store it. */
export interface PolicyRecord {
  /** The first 16 hexadecimal digits of the SHA-256 hash of the settings, sorted by name. */
  readonly digest: string
  readonly values: Payload<"CONFIGURE">["values"]
}

/** The current policy, and the policy that is assumed for a history without CONFIGURE events. */
export interface PolicyRecords {
  readonly policy: PolicyRecord
  readonly implied: PolicyRecord
}

/**
 * Settings that CONFIGURE does not record: speed, resource use, background work and file paths. It does not record
 * models either, because other events name them.
 */
const operational: ReadonlySet<string> = new Set([
  "actors",
  "asOf",
  "capture.timeout",
  "embedding",
  "import",
  "log",
  "model",
  "rerank",
  "retention.enabled",
  "schedules.concurrency",
  "schedules.drain",
  "schedules.poll",
  "sessions.after_turn",
  "summarize.concurrency",
  "summarize.timeout",
  "trace"
])

const isOperational = (section: string, name: string): boolean =>
  operational.has(section) || operational.has(`${section}.${name}`)

export const policyRecordOf = (policy: PolicyValues): PolicyRecord => {
  const sections = Object.entries(policy).flatMap(([section, settings]) => {
    const recorded = Object.entries(settings).filter(([name]) => !isOperational(section, name))
    return recorded.length === 0 ? [] : [[section, Object.fromEntries(recorded)] as const]
  })
  const values = sorted(Object.fromEntries(sections)) as PolicyRecord["values"]
  return { digest: hash("sha256", JSON.stringify(values), "hex").slice(0, 16), values }
}

/** The settings that differ, as `section.name`. */
export const changedSettings = (before: PolicyRecord["values"], after: PolicyRecord["values"]): ReadonlyArray<string> =>
  [...new Set([...Object.keys(before), ...Object.keys(after)])].sort().flatMap((section) => {
    const [then, now] = [before[section] ?? {}, after[section] ?? {}]
    return (
      [...new Set([...Object.keys(then), ...Object.keys(now)])]
        .sort()
        // An older log may contain settings that became operational later.
        .filter((name) => !isOperational(section, name) && JSON.stringify(then[name]) !== JSON.stringify(now[name]))
        .map((name) => `${section}.${name}`)
    )
  })

/** The policy of an agent whose history has no CONFIGURE event: the defaults. */
export class ImpliedPolicy extends Context.Reference<ImpliedPolicy>()("daybook/ImpliedPolicy", {
  defaultValue: () => defaults
}) {}

/** Sorts the keys of every object in a value. */
const sorted = (value: unknown): unknown => {
  if (Array.isArray(value)) return value.map(sorted)
  if (typeof value !== "object" || value === null) return value
  return Object.fromEntries(
    Object.entries(value)
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([name, inner]) => [name, sorted(inner)])
  )
}
