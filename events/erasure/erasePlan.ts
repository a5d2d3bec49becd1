import type { StoredEvent } from "../Chain.js"
import { codec } from "../Codec.js"
import type { EraseRequest, NewCommand, Remains, StreamErasure } from "../EventLog.js"

/** The events that an erasure removes from one stream, and what stays of them. */
export interface ErasePlan {
  /** The versions that lose their payload, in order. */
  readonly versions: ReadonlyArray<number>
  readonly remains: ReadonlyArray<Remains>
}

/**
 * Decides which events an erasure changes. `events` are the rows of the named versions, as stored. `remainsOf` finds the
 * REMAINS event that has the content of an erased event now; the erasure takes its place.
 */
export const planErasure = (
  { remains, versions }: Pick<StreamErasure, "versions" | "remains">,
  events: ReadonlyArray<Pick<StoredEvent, "version" | "type" | "payload">>,
  remainsOf: (version: number) => number | undefined
): ErasePlan => {
  const changed = new Set<number>()
  const erased = new Set<number>()
  const named = new Set(versions)
  for (const { payload, type, version } of events) {
    if (!named.has(version) || type === "ERASE") continue
    const current = payload === null ? remainsOf(version) : version
    if (current === undefined) continue
    changed.add(version)
    erased.add(current)
  }
  return {
    versions: [...erased].sort((a, b) => a - b),
    remains: remains.filter(({ of }) => changed.has(of)).sort((a, b) => a.of - b.of)
  }
}

/** The events that record an erasure: ERASE, then one REMAINS for each event that keeps something. */
export const eraseCommand = (
  { actor, reason, selector }: Pick<EraseRequest, "actor" | "reason" | "selector">,
  { remains, versions }: ErasePlan,
  ledger: string | undefined
): NewCommand => {
  const erase = codec.encode("ERASE", { versions, reason, selector, ...(ledger === undefined ? {} : { ledger }) })
  const kept = remains.map(({ payload, ...rest }) => codec.encode("REMAINS", { ...rest, payload: JSON.parse(payload) }))
  return {
    actor,
    events: [
      { type: "ERASE", schema: erase.schema, payload: erase.payload },
      ...kept.map(({ payload, schema }) => ({ type: "REMAINS", schema, payload }))
    ]
  }
}
