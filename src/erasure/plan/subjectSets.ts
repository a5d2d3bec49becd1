import type { Link } from "../../../events/Memory.js"
import { type MentionTest, makeAnyMentionTest, mentionsNothing } from "../mentions.js"
import { isFileSelected, type Selection } from "./selection.js"

/** Everything of one agent that an erasure affects: the selected content, and the content derived from it. */
export interface Subjects {
  /** The row numbers of memories to erase, in all versions. */
  readonly rows: Set<number>
  /** The ids of memories, turns and files to erase. */
  readonly ids: Set<string>
  /** Turns, files and scratchpads to erase, by the versions of the events that wrote them. */
  readonly turns: Set<number>
  readonly files: Set<number>
  readonly scratchpads: Set<number>
  /** Sessions to erase completely. */
  readonly sessions: Set<string>
  /** Sessions, by key and store, that lose a turn. */
  readonly shortened: Set<string>
  /** Versions of summaries and rolling summaries that may quote erased content. */
  readonly summaries: Set<number>
  readonly schedules: Set<string>
  /** The paths of all files in the log, erased or not. */
  readonly heldFiles: Set<string>
  /** Turns whose embedded text contains the previous turn, if that turn is erased. */
  readonly followers: Set<number>
  /**
   * Memories that stay, by row number, with the versions of the events that wrote text of an erased source into them.
   */
  readonly tainted: Map<number, Set<number>>
  /** Sources as lineage names them: `turn t-1`, `file notes.md`, `derived ABC`. */
  readonly sources: Set<string>
  /** Whether a value contains the name of an erased person. */
  readonly mentions: MentionTest
}

/** The texts by which an event can name a subject. The set of texts only grows while subjects are found. */
export interface Needles {
  /** Ids, paths, sessions and kinds of sources. */
  readonly texts: ReadonlySet<string>
  /** Tests text for the name of an erased person; undefined if no person is erased. */
  readonly mentionsIn: ((payload: string) => boolean) | undefined
  /** Whether turns, files or scratchpads are erased. Events refer to their chunks by version. */
  readonly hasPlaces: boolean
}

/** The key of a session in a store. */
export const sessionKeyOf = ({ session, store }: { readonly session: string; readonly store: string }): string =>
  `${store} ${session}`

/** The key of a source in `Subjects.sources`. */
export const sourceKeyOf = ({ kind, to }: Pick<Link, "kind" | "to">): string => `${kind} ${to}`

/** The subjects that a selection names directly. */
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
  mentions: selection.kind === "person" ? makeAnyMentionTest(selection.persons) : mentionsNothing
})
