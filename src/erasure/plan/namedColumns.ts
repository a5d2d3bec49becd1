import type { ReplayedEvent } from "../../../events/Chain.js"
import type { NameErasure } from "../../../events/EventLog.js"
import { type NameColumn, nameColumns } from "../../../events/names.js"
import { levels } from "../../../events/Trust.js"
import { engineActor } from "../../../projections/schedules.js"
import { runCause, runFromCause } from "../../actor/Command.js"
import { sourceNameOf } from "../../capture/statements.js"
import { makeAnyMentionTest } from "../mentions.js"
import type { Selection } from "./selection.js"

/** Events with a name in a column that this erasure does not empty. */
export interface Leftover {
  readonly agent: string
  /**
   * `agent`: the agent's own name, in all its events. The other columns are counted for events from before chain
   * version 2, and if they contain the key of a session together with other text.
   */
  readonly column: "agent" | "actor" | "cause" | "command id"
  readonly events: number
}

/** Names that an erasure removes from one event. */
export interface NamedEvent extends NameErasure {
  /** The values of `columns`, in the same order. */
  readonly texts: ReadonlyArray<string>
}

/** Maximum distinct values whose test result is cached. Most columns repeat a few values. */
const maxKnown = 10_000

/** Finds events whose actor, cause or command id names the selected person or session. Other selections match none. */
export const makeNamedColumns = (agent: string, selection: Selection) => {
  const { isErased, isNamed } = testsOf(selection)
  const counts: Record<Leftover["column"], number> = { agent: 0, actor: 0, cause: 0, "command id": 0 }
  const removed = new Map<number, NamedEvent>()
  const known = new Map<string, Found>()
  const look = (column: NameColumn, value: string | null): Found => {
    if (value === null || value === "") return "unnamed"
    const key = `${column} ${value}`
    const before = known.get(key)
    if (before !== undefined) return before
    if (known.size > maxKnown) known.clear()
    const found = isErased(column, value) ? "erased" : isNamed(column, value) ? "named" : "unnamed"
    known.set(key, found)
    return found
  }
  const erasedIn = (row: ReplayedEvent) =>
    row.chain === 1 ? [] : nameColumns.filter((column) => look(column, row[column]) === "erased")
  return {
    add: (row: ReplayedEvent): void => {
      if (look("actor", agent) !== "unnamed") counts.agent++
      const erased = erasedIn(row)
      if (erased.length > 0) {
        const { version } = row
        removed.set(version, { version, columns: erased, texts: erased.map((column) => row[column] ?? "") })
      }
      for (const column of nameColumns) {
        if (erased.includes(column) || look(column, row[column]) === "unnamed") continue
        counts[column === "commandId" ? "command id" : column]++
      }
    },
    /** Whether an event has a name that this erasure removes. */
    isConcerned: (row: ReplayedEvent): boolean => erasedIn(row).length > 0,
    /** The names that this erasure removes, by the version of their event. */
    removed: removed as ReadonlyMap<number, NamedEvent>,
    leftovers: (): ReadonlyArray<Leftover> =>
      (Object.keys(counts) as ReadonlyArray<Leftover["column"]>).flatMap((column) =>
        counts[column] === 0 ? [] : [{ agent, column, events: counts[column] }]
      )
  }
}

type Found = "erased" | "named" | "unnamed"
type Test = (column: NameColumn, value: string) => boolean

const never: Test = () => false

const testsOf = (selection: Selection): { readonly isErased: Test; readonly isNamed: Test } => {
  switch (selection.kind) {
    case "person": {
      const mentions = makeAnyMentionTest(selection.persons)
      return { isErased: (column, value) => mentions(textOf(column, value)), isNamed: never }
    }
    case "session": {
      const { session } = selection
      const cause = runCause(sourceNameOf(session))
      const mentions = /[\p{L}\p{N}]/u.test(session) ? makeAnyMentionTest([session]) : () => false
      return {
        // A writer or a run may have the same name as the session by chance.
        isErased: (column, value) => column === "cause" && value === cause,
        isNamed: (column, value) => mentions(textOf(column, value))
      }
    }
    default:
      return { isErased: never, isNamed: never }
  }
}

const prefixes = new RegExp(`^(?:${levels.join("|")})/`)

/** The part of a column's value that a caller chose; null if the engine made the whole value. */
const textOf = (column: NameColumn, value: string): string | null => {
  switch (column) {
    case "actor":
      return value === engineActor ? null : value
    case "cause":
      return value.startsWith("event:") ? null : (runFromCause(value) ?? value)
    case "commandId":
      return value.replace(prefixes, "")
  }
}
