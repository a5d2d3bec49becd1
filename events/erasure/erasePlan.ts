import type { StoredEvent } from "../Chain.js"
import { codec } from "../Codec.js"
import type { EraseRequest, NameErasure, NewCommand, Remains, StreamErasure } from "../EventLog.js"
import { hasName, nameColumns } from "../names.js"

/** The events that an erasure removes from one stream, and the content that remains of them. */
export interface ErasePlan {
  /** The versions that lose their payload, in order. */
  readonly versions: ReadonlyArray<number>
  readonly remains: ReadonlyArray<Remains>
  /** The names to remove, in the order of the versions. */
  readonly names: ReadonlyArray<NameErasure>
}

export const isEmptyPlan = ({ names, versions }: ErasePlan): boolean => versions.length + names.length === 0

type PlannedEvent = Pick<StoredEvent, "version" | "type" | "payload" | "actor" | "cause" | "commandId" | "names">

/**
 * Decides which events an erasure changes. `events` are the rows of the named versions, as stored. `remainsOf` finds
 * the REMAINS event that now has the content of an erased event. The plan then erases that REMAINS event.
 */
export const planErasure = (
  { names = [], remains, versions }: Pick<StreamErasure, "versions" | "remains" | "names">,
  events: ReadonlyArray<PlannedEvent>,
  remainsOf: (version: number) => number | undefined
): ErasePlan => {
  const changed = new Set<number>()
  const erased = new Set<number>()
  const selected = new Set(versions)
  const keeping = new Set(remains.map(({ of }) => of))
  const columnsOf = new Map(names.map(({ columns, version }) => [version, columns]))
  const lost: Array<NameErasure> = []
  for (const event of events) {
    const { payload, type, version } = event
    const isSelected = selected.has(version) && type !== "ERASE"
    const current = payload === null ? remainsOf(version) : version
    if (isSelected && current !== undefined) {
      changed.add(version)
      erased.add(current)
    }
    if (event.names === null) continue
    const isWhole = isSelected && !keeping.has(version)
    const columns = (isWhole ? nameColumns : (columnsOf.get(version) ?? [])).filter((column) => hasName(event, column))
    if (columns.length > 0) lost.push({ version, columns })
  }
  return {
    versions: [...erased].sort((a, b) => a - b),
    remains: remains.filter(({ of }) => changed.has(of)).sort((a, b) => a.of - b.of),
    names: lost.sort((a, b) => a.version - b.version)
  }
}

/** The events that record an erasure: ERASE, then one REMAINS for each event that keeps some content. */
export const eraseCommand = (
  { actor, reason, selector }: Pick<EraseRequest, "actor" | "reason" | "selector">,
  { names, remains, versions }: ErasePlan,
  ledger: string | undefined
): NewCommand => {
  const erase = codec.encode("ERASE", {
    versions,
    ...(names.length === 0 ? {} : { names: names.map(({ version }) => version) }),
    ...{ reason, selector },
    ...(ledger === undefined ? {} : { ledger })
  })
  const kept = remains.map(({ payload, ...rest }) => codec.encode("REMAINS", { ...rest, payload: JSON.parse(payload) }))
  return {
    actor,
    events: [
      { type: "ERASE", schema: erase.schema, payload: erase.payload },
      ...kept.map(({ payload, schema }) => ({ type: "REMAINS", schema, payload }))
    ]
  }
}
