import { afterImages, type DaybookEvent, type Payload } from "../../../events/catalogue.js"
import { isNoteId, type Memory } from "../../../events/Memory.js"
import { fileKinds, isSourceSelected, type Selection } from "./selection.js"
import { type Needles, type Subjects, selectedSubjects, sessionKeyOf, sourceKeyOf } from "./subjectSets.js"

/**
 * Finds the subjects of a selection in an agent's events. Call `apply` with every event in order, and repeat this until
 * a pass adds nothing. An event may show that an earlier event is affected.
 */
export const makeSubjects = (selection: Selection) => {
  const subjects = selectedSubjects(selection)
  const state: State = {
    ...{ subjects, selection },
    lastTurns: new Map(),
    olderFiles: new Map(),
    sessionsOfMemories: new Map(),
    sameText: new Set(),
    linkedSince: new Map(),
    taintedSince: new Map(),
    untainted: 0
  }
  return {
    subjects,
    /** Starts a pass over the events. */
    start: () => state.lastTurns.clear(),
    apply: (event: DaybookEvent) => apply(state, event),
    /** Grows with each subject that is found. */
    size: () =>
      [...Object.values(subjects), ...subjects.tainted.values(), state.sameText].reduce(
        (sum, part) => sum + (part instanceof Set || part instanceof Map ? part.size : 0),
        state.untainted
      ),
    isRequestErased: (event: DaybookEvent) => isRequestErased(state, event),
    /** How events name the subjects that were found so far. */
    needles: () => needlesOf(state)
  }
}

const needlesOf = ({ sameText, selection, subjects, taintedSince }: State): Needles => {
  const { files, followers, ids, scratchpads, schedules, sessions, shortened, sources, turns } = subjects
  const afterBlank = (key: string) => key.slice(key.indexOf(" ") + 1)
  return {
    texts: new Set([
      ...(selection.kind === "memory" ? selection.ids : []),
      ...(selection.kind === "source" ? [selection.key ?? selection.source] : []),
      ...[...ids, ...sessions, ...schedules, ...sameText, ...taintedSince.keys()],
      ...[...shortened, ...sources].map(afterBlank)
    ]),
    mentionsIn: selection.kind === "person" ? subjects.mentions : undefined,
    hasPlaces: [turns, files, scratchpads, followers].some(({ size }) => size > 0)
  }
}

interface State {
  readonly subjects: Subjects
  readonly selection: Selection
  /** The newest turn of each session in a store. */
  readonly lastTurns: Map<string, number>
  /** The version that each version of a file replaces. */
  readonly olderFiles: Map<number, number>
  /**
   * The sessions of erased memories, with the row number of the oldest one. Later summaries may quote the titles of
   * these memories.
   */
  readonly sessionsOfMemories: Map<string, number>
  /** Older copies of a selected memory; they have the same text. */
  readonly sameText: Set<string>
  /** For each link of a memory, the version of the event that made it. */
  readonly linkedSince: Map<string, number>
  /** The first version of each tainted memory that has text of an erased source, by id. */
  readonly taintedSince: Map<string, number>
  /** Makes up for entries that moved from `tainted` to `rows`, so that `size` never shrinks. */
  untainted: number
}

const apply = (state: State, event: DaybookEvent): void => {
  const { selection, subjects } = state
  switch (event.type) {
    case "ADD":
    case "UPDATE":
    case "DELETE":
    case "COMPRESS":
    case "ARCHIVE":
      for (const image of afterImages(event)) applyImage(state, event, image)
      return
    case "TURN":
      applyTurn(state, event.version, event.payload.turn)
      return
    case "FILE":
      applyFile(state, event.version, event.payload)
      return
    case "SCRATCHPAD": {
      const { scratchpad, session, was } = event.payload
      const isConcerned = subjects.sessions.has(session) || subjects.mentions([scratchpad?.items, was?.items])
      if (subjects.mentions(session)) subjects.sessions.add(session)
      if (isConcerned) subjects.scratchpads.add(event.version)
      return
    }
    case "SUMMARIZE": {
      const { restores, session, summary } = event.payload
      if (
        subjects.sessions.has(session) ||
        subjects.mentions([session, summary]) ||
        event.version > (state.sessionsOfMemories.get(session) ?? Number.POSITIVE_INFINITY) ||
        subjects.summaries.has(restores ?? 0) ||
        summary?.sources.some((version) => subjects.turns.has(version)) === true
      )
        subjects.summaries.add(event.version)
      return
    }
    case "ROLL": {
      const { replaces, restores, session, state: rolling } = event.payload
      // A rolling summary continues the one before it.
      if (
        subjects.sessions.has(session) ||
        subjects.mentions([session, rolling?.text]) ||
        (rolling !== null &&
          (subjects.summaries.has(replaces ?? 0) ||
            subjects.summaries.has(restores ?? 0) ||
            rolling.sources.some((version) => subjects.turns.has(version))))
      )
        subjects.summaries.add(event.version)
      return
    }
    case "SCHEDULE": {
      const { definition, schedule } = event.payload
      const isSelected = selection.kind === "memory" && selection.ids.has(schedule)
      if (isSelected || subjects.mentions(definition)) subjects.schedules.add(schedule)
      return
    }
    default:
      return
  }
}

const applyTurn = ({ lastTurns, selection, subjects }: State, version: number, turn: Payload<"TURN">["turn"]): void => {
  const key = sessionKeyOf(turn)
  const isSelected =
    subjects.sessions.has(turn.session) ||
    (selection.kind === "memory" && selection.ids.has(turn.id)) ||
    (selection.kind === "source" && selection.source === "turn" && selection.key === turn.id) ||
    subjects.mentions([turn.session, turn.speaker, turn.channel, turn.text, turn.toolCalls])
  if (isSelected) {
    if (subjects.mentions(turn.session)) subjects.sessions.add(turn.session)
    subjects.turns.add(version)
    subjects.ids.add(turn.id)
    subjects.shortened.add(key)
    subjects.sources.add(sourceKeyOf({ kind: "turn", to: turn.id }))
  }
  if (subjects.turns.has(lastTurns.get(key) ?? 0)) subjects.followers.add(version)
  lastTurns.set(key, version)
}

const applyFile = (state: State, version: number, { file, replaces = 0 }: Payload<"FILE">): void => {
  const { olderFiles, selection, subjects } = state
  subjects.heldFiles.add(file.path)
  if (replaces > 0) olderFiles.set(version, replaces)
  const isSelected =
    subjects.files.has(version) ||
    // Without the newer version of a file, a replay would show the older one again.
    subjects.files.has(replaces) ||
    (file.session !== undefined && subjects.sessions.has(file.session)) ||
    (selection.kind === "memory" && selection.ids.has(file.id)) ||
    (selection.kind === "source" && fileKinds.has(selection.source) && selection.key === file.path) ||
    subjects.mentions([file.path, file.session, file.text])
  if (!isSelected) return
  subjects.files.add(version)
  for (let older = replaces; older > 0; older = olderFiles.get(older) ?? 0) subjects.files.add(older)
  subjects.ids.add(file.id)
  subjects.sources.add(sourceKeyOf({ kind: "file", to: file.path }))
}

type MemoryEvent = Extract<DaybookEvent, { readonly type: "ADD" | "UPDATE" | "DELETE" | "COMPRESS" | "ARCHIVE" }>

const applyImage = (state: State, event: MemoryEvent, image: Memory): void => {
  const { sameText, selection, subjects, taintedSince } = state
  const { born, id, lineage = [] } = image
  const isNamed = (selection.kind === "memory" && selection.ids.has(id)) || sameText.has(id)
  if (isNamed) {
    // The memories that it replaced or merged contain its text too.
    for (const { reason, to } of lineage) if (reason === "replaced" || reason === "compressed") sameText.add(to)
  }
  const taints = taintsOf(state, event, image)
  if (isNamed || isSelected(state, image) || subjects.mentions(image) || taints.includes(born)) {
    subjects.rows.add(born)
    subjects.ids.add(id)
    subjects.sources.add(sourceKeyOf({ kind: "derived", to: id }))
    state.untainted += 1 + (subjects.tainted.get(born)?.size ?? -1)
    subjects.tainted.delete(born)
    noteSession(state, image)
    return
  }
  if (subjects.rows.has(born) || taints.length === 0) return
  subjects.tainted.set(born, new Set([...(subjects.tainted.get(born) ?? []), ...taints]))
  taintedSince.set(id, Math.min(taintedSince.get(id) ?? Number.POSITIVE_INFINITY, ...taints))
}

/** The versions of the events, up to this one, that wrote text of an erased source into a memory. */
const taintsOf = (state: State, event: MemoryEvent, { born, id, lineage = [] }: Memory): ReadonlyArray<number> => {
  const { linkedSince, subjects, taintedSince } = state
  const versions: Array<number> = []
  for (const link of lineage) {
    const place = `${born} ${sourceKeyOf(link)}`
    const since = linkedSince.get(place) ?? event.version
    linkedSince.set(place, since)
    const isErased =
      link.kind === "supersedes"
        ? // A replaced copy has the same text.
          link.reason === "replaced" && subjects.sources.has(sourceKeyOf({ kind: "derived", to: link.to }))
        : subjects.sources.has(sourceKeyOf(link)) || (taintedSince.get(link.to) ?? since) < since
    if (isErased) versions.push(since)
  }
  const isMerge = event.type === "UPDATE" && event.payload.reason === "reconciled" && event.payload.memory.id === id
  if (isMerge && event.payload.decision.action === "UPDATE" && isRequestErased(state, event))
    versions.push(event.version)
  return versions
}

const isSelected = ({ selection, subjects }: State, { id, session, source }: Memory): boolean =>
  (selection.kind === "source" && isSourceSelected(selection, source)) ||
  // The session of a note is a namespace, not a conversation.
  (session !== undefined && !isNoteId(id) && subjects.sessions.has(session))

const noteSession = ({ sessionsOfMemories }: State, { born, id, session }: Memory): void => {
  if (session === undefined || isNoteId(id)) return
  sessionsOfMemories.set(session, Math.min(sessionsOfMemories.get(session) ?? Number.POSITIVE_INFINITY, born))
}

/**
 * Whether the request of an event came from an erased session, source, turn, file or memory, or names an erased person.
 * An event records the parts of its request that differ from the memory.
 */
const isRequestErased = (
  { selection, subjects }: Pick<State, "selection" | "subjects">,
  event: DaybookEvent
): boolean => {
  if (event.payload === null || !("input" in event.payload) || event.payload.input === undefined) return false
  const { from, session, source } = event.payload.input
  const links = Array.isArray(from) ? (from as ReadonlyArray<{ readonly kind: string; readonly id: string }>) : []
  return (
    (typeof session === "string" && subjects.sessions.has(session)) ||
    (selection.kind === "source" &&
      source != null &&
      isSourceSelected(selection, source as { readonly kind: string; readonly name?: string })) ||
    links.some(({ id, kind }) => subjects.sources.has(`${kind === "memory" ? "derived" : kind} ${id}`)) ||
    subjects.mentions(event.payload.input)
  )
}
