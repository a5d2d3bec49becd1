import * as Effect from "effect/Effect"
import type { Codec } from "../../../events/Codec.js"
import { afterImages, type DaybookEvent } from "../../../events/catalogue.js"
import type { Remains, StreamErasure } from "../../../events/EventLog.js"
import { applyRemoval } from "../../../events/erasure/remains.js"
import { embeddingText, type Memory } from "../../../events/Memory.js"
import { textDigest } from "../../../projections/vectors.js"
import { timerFold } from "../../schedules/timerFold.js"
import { type ConcernTest, type ContentConcernTest, makeCandidateTest } from "./candidates.js"
import { findSubjects, forEachAt, type PlanError, type PlanSource } from "./findSubjects.js"
import type { Leftover } from "./namedColumns.js"
import { type LifeStep, remakeImages } from "./remade.js"
import { digestsIn, type RemovalInput, removalOf } from "./removalOf.js"
import { type AgentErasure, makeReport } from "./report.js"
import type { Selection } from "./selection.js"
import type { Needles } from "./subjectSets.js"

export type { PlanError, PlanSource } from "./findSubjects.js"

/** The plan of an erasure for one agent. */
export interface AgentPlan {
  readonly erasure: StreamErasure
  /** Digests of the erased texts, and of the remaining texts. */
  readonly lostDigests: ReadonlySet<string>
  readonly usedDigests: ReadonlySet<string>
  /** The ids of the memories, turns, files and schedules to erase. */
  readonly found: ReadonlySet<string>
  readonly leftovers: ReadonlyArray<Leftover>
  readonly report: () => AgentErasure
  /** Whether a later event could change the plan. */
  readonly mayConcern: ConcernTest
}

/**
 * Plans what a selection erases of one agent, with everything derived from it. Reads all events again each time that it
 * finds new names of subjects. Decodes only the events that may concern the erasure (`filter`).
 */
export const planAgent = Effect.fnUntraced(function* (
  source: PlanSource,
  agent: string,
  selection: Selection,
  filter: (needles: Needles) => ContentConcernTest = makeCandidateTest
): Effect.fn.Return<AgentPlan, PlanError> {
  const { version: readAt } = yield* source.log.head(agent)
  const found = yield* findSubjects(source, { stream: agent, to: readAt }, selection, filter)
  const { candidates, isRequestErased, mayConcern, names, subjects, usedDigests } = found
  const forEachCandidate = (visit: (event: DaybookEvent) => void) => forEachAt(source, agent, candidates, visit)
  const lives = new Map<number, Array<LifeStep>>([...subjects.tainted.keys()].map((row) => [row, []]))
  if (lives.size > 0) {
    yield* forEachCandidate((event) => {
      for (const image of afterImages(event)) {
        const tainted = subjects.tainted.get(image.born)?.has(event.version) === true
        lives.get(image.born)?.push({ version: event.version, image, tainted, written: isWritten(event) })
      }
    })
  }
  const { lostDigests: memoryDigests, remade } = remadeLives(lives, source.countTokens)
  const removing: RemovalInput = { subjects, isRequestErased, remade, lostDigests: memoryDigests }
  const report = makeReport(agent, { selection, subjects }, source.hasItems === true)
  const [versions, remains]: [Array<number>, Array<Remains>] = [[], []]
  const lostDigests = new Set(memoryDigests)
  const timers = timerFold()
  const writtenIds = new Map<number, string>()
  yield* forEachCandidate((event) => {
    const written = names.removed.has(event.version) ? idOf(event) : undefined
    if (written !== undefined) writtenIds.set(event.version, written)
    const removal = removalOf(event, removing)
    const rest = removal === undefined ? event : applyRemoval(event, removal)
    const left = rest === null ? undefined : ({ ...event, ...rest } as DaybookEvent)
    if (left !== undefined) {
      timers.apply(left)
      if (left.type === "EMBED" || left.type === "RECALL") for (const digest of digestsIn(left)) usedDigests.add(digest)
    }
    if (removal === undefined) return
    const kept = rest === null ? undefined : { of: event.version, type: rest.type, ...encoded(source.codec, rest) }
    // Nothing changes if an earlier erasure has removed the same parts.
    if (kept !== undefined && kept.type === event.type && kept.payload === encoded(source.codec, event).payload) return
    for (const digest of digestsIn(event)) lostDigests.add(digest)
    versions.push(event.version)
    if (kept !== undefined) remains.push(kept)
    report.add(event, removal, kept !== undefined)
  })
  const erased = new Set(versions)
  for (const named of names.removed.values()) {
    report.addNames(named, { id: writtenIds.get(named.version), isCounted: erased.has(named.version) })
  }
  return {
    erasure: {
      ...{ stream: agent, readAt, versions, remains },
      names: [...names.removed.values()].map(({ columns, version }) => ({ version, columns })),
      ...(subjects.schedules.size === 0 ? {} : { due: timers.due() })
    },
    ...{ lostDigests, usedDigests },
    found: new Set([...subjects.ids, ...subjects.schedules]),
    leftovers: names.leftovers(),
    report: report.finish,
    mayConcern
  }
})

/** The id of the turn, file, schedule or memory that an event writes. */
const idOf = (event: DaybookEvent): string | undefined => {
  switch (event.type) {
    case "TURN":
      return event.payload.turn.id
    case "FILE":
      return event.payload.file.id
    case "SCHEDULE":
      return event.payload.schedule
    default:
      return afterImages(event).at(-1)?.id
  }
}

/** True for writes by a caller. Other events make new text from the old text. */
const isWritten = (event: DaybookEvent): boolean => event.type === "UPDATE" && writtenReasons.has(event.payload.reason)

const writtenReasons: ReadonlySet<string> = new Set(["edited", "unchanged", "reconciled", "settled"])

/** The remade after-images by version and row, and the digests of the texts that they replace. */
const remadeLives = (
  lives: ReadonlyMap<number, ReadonlyArray<LifeStep>>,
  countTokens: (text: string) => number
): Pick<RemovalInput, "remade" | "lostDigests"> => {
  const remade = new Map<number, Map<number, Memory>>()
  const lostDigests = new Set<string>()
  for (const [row, life] of lives) {
    const images = remakeImages(life, countTokens)
    const kept = new Set(life.map(({ image, version }) => textDigest(embeddingText(images.get(version) ?? image))))
    for (const { image, version } of life) {
      const next = images.get(version)
      if (next === undefined) continue
      remade.set(version, (remade.get(version) ?? new Map<number, Memory>()).set(row, next))
      const digest = textDigest(embeddingText(image))
      if (!kept.has(digest)) lostDigests.add(digest)
    }
  }
  return { remade, lostDigests }
}

const encoded = (codec: Codec, { payload, type }: Pick<DaybookEvent, "type" | "payload">) => {
  const { payload: text, schema } = codec.encode(type, payload as never)
  return { schema, payload: text }
}
