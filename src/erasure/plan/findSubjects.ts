import type * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import type { ReplayedEvent } from "../../../events/Chain.js"
import type { Codec } from "../../../events/Codec.js"
import type { DaybookEvent } from "../../../events/catalogue.js"
import type { EventLog } from "../../../events/EventLog.js"
import type { InvalidEvent, StorageError, UnknownEvent } from "../../../events/errors.js"
import { itemsPerCheck, yieldIfDue } from "../../../events/turns.js"
import type { ConcernTest, ContentConcernTest } from "./candidates.js"
import { makeNamedColumns } from "./namedColumns.js"
import { makeSubjects } from "./Subjects.js"
import type { Selection } from "./selection.js"
import type { Needles } from "./subjectSets.js"

export interface PlanSource {
  readonly log: Context.Tag.Service<EventLog>
  readonly codec: Codec
  readonly countTokens: (text: string) => number
  /** Whether reports contain the erased texts. Default: false. */
  readonly hasItems?: boolean
}

export type PlanError = StorageError | UnknownEvent | InvalidEvent

/** The events of an agent up to a version. */
interface Range {
  readonly stream: string
  readonly to: number
}

/**
 * Finds the subjects of a selection, and the versions of the events that may concern them. Skipped events may name a
 * new subject. So the search starts again with the new names until it finds no more. `usedDigests` are the digests in
 * skipped EMBED and RECALL events. `mayConcern` tests whether a later event could change the result.
 */
export const findSubjects = Effect.fnUntraced(function* (
  source: PlanSource,
  range: Range,
  selection: Selection,
  filter: (needles: Needles) => ContentConcernTest
) {
  let needles = makeSubjects(selection).needles()
  for (;;) {
    const { apply, isRequestErased, needles: current, size, start, subjects } = makeSubjects(selection)
    const names = makeNamedColumns(range.stream, selection)
    const mayConcernContent = filter(needles)
    const mayConcern: ConcernTest = (row) => mayConcernContent(row) || names.isConcerned(row)
    const visitor = { row: names.add, event: apply, mayConcern }
    const { candidates, usedDigests } = yield* scan(source, range, visitor)
    // Repeat until a pass finds nothing new. Lineage leads from older to newer events, so a few passes are enough.
    for (let before = 0; size() !== before; ) {
      before = size()
      start()
      yield* forEachAt(source, range.stream, candidates, apply)
    }
    const found = current()
    const { hasPlaces, texts } = needles
    const isComplete = (hasPlaces || !found.hasPlaces) && [...found.texts].every((text) => texts.has(text))
    if (isComplete) return { candidates, isRequestErased, mayConcern, names, subjects, usedDigests }
    needles = { ...found, hasPlaces: hasPlaces || found.hasPlaces, texts: new Set([...texts, ...found.texts]) }
  }
})

interface Visitor {
  /** Receives every row. */
  readonly row: (row: ReplayedEvent) => void
  /** Receives the events that may concern the erasure. */
  readonly event: (event: DaybookEvent) => void
  readonly mayConcern: ConcernTest
}

/** Visits the events, oldest first. Returns the versions of those that may concern an erasure. */
const scan = Effect.fnUntraced(function* (
  { codec, log }: PlanSource,
  { stream, to }: Range,
  { event: visit, mayConcern, row: visitRow }: Visitor
): Effect.fn.Return<{ readonly candidates: Array<number>; readonly usedDigests: Set<string> }, PlanError> {
  const candidates: Array<number> = []
  const usedDigests = new Set<string>()
  for (let after = 0; ; ) {
    const rows = yield* log.replay(stream, { after, to, limit: itemsPerCheck })
    for (const row of rows) {
      visitRow(row)
      if (!isContent(row)) continue
      if (mayConcern(row)) {
        candidates.push(row.version)
        visit((yield* codec.decode(row)) as DaybookEvent)
      } else if (row.type === "EMBED" || row.type === "RECALL") {
        for (const digest of row.payload.match(digests) ?? []) usedDigests.add(digest)
      }
    }
    yield* yieldIfDue
    if (rows.length < itemsPerCheck) return { candidates, usedDigests }
    after = rows.at(-1)!.version
  }
})

const digests = /\b[0-9a-f]{64}\b/gu

/** Visits the events with these versions, in ascending order. */
export const forEachAt = Effect.fnUntraced(function* (
  { codec, log }: PlanSource,
  stream: string,
  versions: ReadonlyArray<number>,
  visit: (event: DaybookEvent) => void
): Effect.fn.Return<void, PlanError> {
  for (let index = 0; index < versions.length; ) {
    let end = index + 1
    while (end < versions.length && end - index < itemsPerCheck && versions[end] === versions[end - 1]! + 1) end++
    const [first, last] = [versions[index]!, versions[end - 1]!]
    for (const row of yield* log.replay(stream, { after: first - 1, to: last, limit: end - index })) {
      // Another process may have erased the event in the meantime. This erasure is then refused and planned again.
      if (isContent(row)) visit((yield* codec.decode(row)) as DaybookEvent)
    }
    yield* yieldIfDue
    index = end
  }
})

/**
 * Follows a stream after a version, up to its head. Returns the version of the head; undefined if an event in between
 * may concern the erasure, or uses one of the digests that the erasure removes.
 */
export const unconcernedHead = Effect.fnUntraced(function* (
  { log }: Pick<PlanSource, "log">,
  { after, stream }: { readonly stream: string; readonly after: number },
  mayConcern: ConcernTest,
  removed: ReadonlySet<string>
): Effect.fn.Return<number | undefined, StorageError> {
  for (let version = after; ; ) {
    const rows = yield* log.replay(stream, { after: version, limit: itemsPerCheck })
    const isConcerned = (row: ReplayedEvent) =>
      !isContent(row) || mayConcern(row) || (row.payload.match(digests) ?? []).some((digest) => removed.has(digest))
    if (rows.some(isConcerned)) return undefined
    if (rows.length < itemsPerCheck) return rows.at(-1)?.version ?? version
    version = rows.at(-1)!.version
    yield* yieldIfDue
  }
})

const recordTypes: ReadonlySet<string> = new Set(["ERASE", "REMAINS"])

/** Whether an event has a payload and is not the record of an erasure. */
const isContent = (row: ReplayedEvent): row is ReplayedEvent & { readonly payload: string } =>
  row.payload !== null && !recordTypes.has(row.type)
