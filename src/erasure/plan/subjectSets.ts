import type { Link } from "../../../events/Memory.js"
import { type Mentions, mentionsNothing, mentionsOfAny } from "../mentions.js"
import { isFileSelected, type Selection } from "./selection.js"

/** Everything of one agent that an erasure concerns: what was selected, and what was derived from it. */
export interface Subjects {
  /** The row numbers of memories that go, with all their versions. */
  readonly rows: Set<number>
  /** The ids of memories, turns and files that go. */
  readonly ids: Set<string>
  /** Turns, files and scratchpads that go, by the versions that wrote them. */
  readonly turns: Set<number>
  readonly files: Set<number>
  readonly scratchpads: Set<number>
  /** Sessions that go as a whole. */
  readonly sessions: Set<string>
  /** Sessions, by key and store, that lose a turn. */
  readonly shortened: Set<string>
  /** Versions of summaries and rolling summaries that may quote what goes. */
  readonly summaries: Set<number>
  readonly schedules: Set<string>
  /** The paths of files that the log has, whether they go or not. */
  readonly heldFiles: Set<string>
  /** Turns whose embedded text contains the turn before them, which goes. */
  readonly followers: Set<number>
  /** Memories that stay, with the versions that wrote text of an erased source into them. */
  readonly tainted: Map<number, Set<number>>
  /** Sources as lineage names them: `turn t-1`, `file notes.md`, `derived ABC`. */
  readonly sources: Set<string>
  /** Whether a value contains the name of an erased person. */
  readonly mentions: Mentions
}

/** The texts by which an event can name a subject. They only grow while subjects are found. */
export interface Needles {
  /** Ids, paths, sessions and kinds of sources. */
  readonly texts: ReadonlySet<string>
  /** Tests text for the name of an erased person; undefined if no person is erased. */
  readonly mentionsIn: ((payload: string) => boolean) | undefined
  /** Whether turns, files or scratchpads go, whose chunks are named by version. */
  readonly hasPlaces: boolean
}

/** The key of a session in a store. */
export const sessionKeyOf = ({ session, store }: { readonly session: string; readonly store: string }): string =>
  `${store} ${session}`

/** The key of a source in `Subjects.sources`. */
export const sourceKeyOf = ({ kind, to }: Pick<Link, "kind" | "to">): string => `${kind} ${to}`

/** The subjects that a selection names itself. */
export const selectedSubjects = (selection: Selection): Subjects => ({
  rows: new Set(),
  ids: new Set(),
  turns: new Set(),
  files: new Set(),
  scratchpads: new Set(),
  sessions: new Set(selection.kind === "session" ? [selection.session] : []),
  shortened: new Set(),
  summaries: new Set(),
  schedules: new Set(),
  heldFiles: new Set(),
  followers: new Set(),
  tainted: new Map(),
  sources: new Set(isFileSelected(selection) ? [sourceKeyOf({ kind: "file", to: selection.key })] : []),
  mentions: selection.kind === "person" ? mentionsOfAny(selection.persons) : mentionsNothing
})
