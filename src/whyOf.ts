import { isDeepStrictEqual } from "node:util"
import * as Effect from "effect/Effect"
import { afterImages, type DaybookEvent } from "../events/catalogue.js"
import type { Memory } from "../events/Memory.js"
import { canRead, type TrustLevel } from "../events/Trust.js"
import type { Turn } from "../events/Turn.js"
import { findOpenDisputes } from "../projections/disputeGroups.js"
import { disputedFieldsOf } from "../projections/disputeReads.js"
import { findChanges } from "../projections/history.js"
import { findMemoriesBySource } from "../projections/lineage.js"
import { findReadableMemories, findRevision, findTurn } from "../projections/lineageReads.js"
import { findRowNumber } from "../projections/observationReads.js"
import type { Db } from "../projections/Projection.js"
import { findAccesses } from "../projections/recalls.js"
import { visibleVersion } from "./actor/Command.js"
import type { ReaderServices, ReaderSource } from "./actor/ReaderSource.js"
import { verdictOf } from "./maintenance/rules.js"
import { type InvalidInput, MemoryNotFound } from "./model/errors.js"
import { checkInteger, type ReadError, refuseUnknownOptions } from "./model/filters.js"
import { decodeKey } from "./model/input.js"
import { limits } from "./model/limits.js"
import { toWholeMemory } from "./model/wholeMemory.js"
import { hideUnreadableMemories } from "./visibleDecision.js"
import type { MemoryText, PastCandidate, Related, TurnText, Why, WhyOptions, WhySource, WhyVersion } from "./why.js"

/** Maximum predecessors in a report. */
const maxPredecessors = 10

/**
 * Reads how a memory was created and changed. Leaves out candidates, predecessors and contents of sources that the
 * level may not read.
 */
export const makeWhy = (source: ReaderSource, services: ReaderServices) =>
  Effect.fnUntraced(function* (
    id: string,
    options: WhyOptions = {}
  ): Effect.fn.Return<Why, ReadError | MemoryNotFound | InvalidInput> {
    const { level, read } = source
    yield* decodeKey("id", id)
    yield* refuseUnknownOptions(options, ["limit"])
    const limit = yield* checkInteger("limit", options.limit ?? 20, 1, limits.ids)
    const current = yield* read(({ db, now }) => {
      const born = findRowNumber(db, level, id, now)
      const memory = findReadableMemories(db, level, [id], now).get(id)
      if (born === undefined || memory === undefined) return undefined
      const accesses = level === "full" ? findAccesses(db, [id]).get(id) : undefined
      const relations = relationsOf({ db, level, now }, memory)
      const others = (memory.disputes ?? []).map((dispute) => dispute.id)
      const readable = findReadableMemories(db, level, others, now)
      const disputed = disputedFieldsOf(id, findOpenDisputes(db, level, [id], now).get(id))
      return { memory, accesses, now, changes: findChanges(db, level, born), relations, disputed, readable }
    })
    if (current === undefined || current.changes.length === 0) return yield* new MemoryNotFound({ id })
    const { accesses, changes, disputed, memory, now, readable, relations } = current
    const isReadable = (other: string) => level === "full" || readable.has(other)
    // Reads one extra version, because the first reported version shows its changes from the version before it.
    const shownChanges = changes.slice(-limit - 1)
    const events = (yield* eventsAt(
      source,
      services,
      shownChanges.map(({ version }) => version)
    )) as ReadonlyArray<DaybookEvent>
    const candidateAt = yield* candidateTexts(source, services, events)
    const versions = events.map((event, index): WhyVersion => {
      const previous = events.slice(0, index).findLast((earlier) => imageIn(earlier, id) !== undefined)
      const previousImage = previous && imageIn(previous, id)
      const image = imageIn(event, id)
      return {
        revision: shownChanges[index]!.revision,
        ...visibleVersion(level, event.version),
        type: event.type,
        recordedAt: event.recordedAt,
        actor: event.actor,
        decision: decisionIn(event, image, { candidateAt, isReadable }),
        changes: image === undefined || previousImage === undefined ? [] : changesOf(previousImage, image)
      }
    })
    const reported = versions.slice(-limit)
    const becauseOf = new Map(
      versions.flatMap(({ decision }) =>
        (decision?.extracted?.sources ?? []).flatMap(({ reason, turn }) =>
          reason === "" ? [] : [[turn, reason] as const]
        )
      )
    )
    return {
      memory: { ...toWholeMemory(memory), ...disputed, ...accesses, status: memory.status },
      life: memory.status === "active" ? verdictOf({ memory, accesses }, services.maintenance, now) : null,
      versions: reported,
      earlier: changes.length - reported.length,
      ...relations,
      sources: relations.sources.map((source) => {
        const because = source.kind === "turn" ? becauseOf.get(source.id) : undefined
        return because === undefined ? source : { ...source, because }
      })
    }
  })

const eventsAt = ({ agent }: ReaderSource, { codec, log }: ReaderServices, versions: ReadonlyArray<number>) =>
  Effect.flatMap(log.at(agent, versions), (rows) => Effect.forEach(rows, (row) => codec.decode(row)))

interface SnapshotView {
  readonly db: Db
  readonly level: TrustLevel
  readonly now: number
}

const relationsOf = (
  reading: SnapshotView,
  memory: Memory
): Pick<Why, "supersedes" | "supersededBy" | "sources" | "madeOf"> => {
  const { db, level, now } = reading
  const related = (id: string) => {
    const readable = findReadableMemories(db, level, [id], now).get(id)
    return readable === undefined ? undefined : relatedOf(readable)
  }
  const allRelated = (memories: ReadonlyArray<Memory>) => memories.flatMap(({ id }) => related(id) ?? [])
  return {
    supersedes: predecessorsOf(reading, memory),
    supersededBy: allRelated(findMemoriesBySource(db, "supersedes", memory.id))[0] ?? null,
    sources: (memory.lineage ?? []).flatMap(({ kind, reason, to }): ReadonlyArray<WhySource> => {
      if (kind === "supersedes") return []
      if (kind === "file") return [{ kind, path: to, reason }]
      if (kind === "derived") {
        const source = related(to)
        return [{ kind: "memory", id: to, reason, ...(source === undefined ? {} : { memory: source }) }]
      }
      const turn = findTurn(db, level, to)
      return [{ kind, id: to, reason, ...(turn === undefined ? {} : { turn: turnTextOf(turn) }) }]
    }),
    madeOf: allRelated(findMemoriesBySource(db, "derived", memory.id))
  }
}

/** Finds the memories that a memory replaced directly or indirectly, newest first. */
const predecessorsOf = ({ db, level, now }: SnapshotView, memory: Memory): ReadonlyArray<Related> => {
  const predecessors: Array<Related> = []
  const visited = new Set([memory.id])
  for (let open = [memory]; open.length > 0 && visited.size <= maxPredecessors; ) {
    const olderMemories = open
      .flatMap(({ lineage = [] }) => lineage)
      .flatMap(({ kind, to }) => {
        if (kind !== "supersedes" || visited.has(to) || visited.size > maxPredecessors) return []
        const before = findReadableMemories(db, level, [to], now).get(to)
        if (before !== undefined) visited.add(to)
        return before ?? []
      })
    predecessors.push(...olderMemories.map(relatedOf))
    open = olderMemories
  }
  return predecessors
}

type CandidateAt = (id: string, revision: number) => MemoryText | undefined

/**
 * Reads the texts of a decision's candidates at the revisions that were compared. Leaves out texts that the level may
 * not read.
 */
const candidateTexts = Effect.fnUntraced(function* (
  source: ReaderSource,
  services: ReaderServices,
  events: ReadonlyArray<DaybookEvent>
) {
  const { level, read } = source
  const versions = yield* read(({ db, now }) => candidateVersions({ db, level, now }, events))
  const decoded = yield* eventsAt(source, services, [...new Set(versions.values())])
  const byVersion = new Map(decoded.map((event) => [event.version, event as DaybookEvent]))
  const candidateAt: CandidateAt = (id, revision) => {
    const event = byVersion.get(versions.get(`${id}/${revision}`) ?? -1)
    const image = event && imageIn(event, id)
    return image === undefined || !canRead(level, image.store) ? undefined : memoryTextOf(image)
  }
  return candidateAt
})

/** Maps each candidate's `id/revision` to the stream version that created this revision. */
const candidateVersions = (
  { db, level, now }: SnapshotView,
  events: ReadonlyArray<DaybookEvent>
): ReadonlyMap<string, number> => {
  const versions = new Map<string, number>()
  const candidates = events.flatMap(({ payload }) =>
    payload !== null && "decision" in payload ? payload.decision.candidates : []
  )
  const ids = candidates.map(({ id }) => id)
  const readable = findReadableMemories(db, level, ids, now)
  for (const { id, revision } of candidates) {
    const born = readable.get(id)?.born
    const version = born === undefined ? undefined : findRevision(db, level, born, revision)
    if (version !== undefined) versions.set(`${id}/${revision}`, version)
  }
  return versions
}

const decisionIn = (
  { payload }: DaybookEvent,
  image: Memory | undefined,
  { candidateAt, isReadable }: { readonly candidateAt: CandidateAt; readonly isReadable: (id: string) => boolean }
): WhyVersion["decision"] => {
  if (payload === null || !("decision" in payload)) return null
  const decision = hideUnreadableMemories(payload.decision, image ?? { id: "", revision: 1 }, isReadable)
  return {
    ...decision,
    candidates: decision.candidates.flatMap(({ revision, ...candidate }) => {
      const texts = candidateAt(candidate.id, revision)
      return texts === undefined ? [] : [{ ...(candidate as Omit<PastCandidate, "said">), said: texts }]
    })
  }
}

/** The after-image of a memory in an event; undefined if the event's content was erased. */
const imageIn = (event: DaybookEvent, id: string): Memory | undefined =>
  event.payload === null ? undefined : afterImages(event).find((image) => image.id === id)

const memoryTextOf = ({ facts, narrative, title }: MemoryText): MemoryText => ({
  title,
  ...(narrative === undefined ? {} : { narrative }),
  facts
})

const turnTextOf = ({ role, sequence, session, speaker, text }: Turn): TurnText => ({
  session,
  sequence,
  role,
  ...(speaker === undefined ? {} : { speaker }),
  text
})

const relatedOf = (memory: Memory): Related => ({ id: memory.id, status: memory.status, ...memoryTextOf(memory) })

/** Fields that change with every event, or that are reported elsewhere. */
const unreportedFields: ReadonlySet<string> = new Set<keyof Memory>([
  "revision",
  "updatedAt",
  "lastMentionedAt",
  "tokens",
  "born",
  "disputes"
])

const changesOf = (before: Memory, after: Memory): WhyVersion["changes"] => {
  const [then, now] = [before as Readonly<Record<string, unknown>>, after as Readonly<Record<string, unknown>>]
  return [...new Set([...Object.keys(then), ...Object.keys(now)])]
    .filter((field) => !unreportedFields.has(field) && !isDeepStrictEqual(then[field], now[field]))
    .map((field) => ({ field, before: then[field] ?? null, after: now[field] ?? null }))
}
