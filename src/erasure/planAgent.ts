import type * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import type { Codec } from "../../events/Codec.js"
import { type DaybookEvent, imagesOf } from "../../events/catalogue.js"
import type { EventLog, Remains, StreamErasure } from "../../events/EventLog.js"
import type { InvalidEvent, StorageError, UnknownEvent } from "../../events/errors.js"
import { embeddingText, type Memory } from "../../events/Memory.js"
import { remainsOf } from "../../events/remains.js"
import { takeTurnIfDue } from "../../events/turns.js"
import { textDigest } from "../../projections/vectors.js"
import { timerFold } from "../schedules/timerFold.js"
import { type LifeStep, remadeImages } from "./remade.js"
import { digestsIn, type Removing, removalOf } from "./removalOf.js"
import { type AgentErasure, makeReport } from "./report.js"
import { makeSubjects } from "./Subjects.js"
import type { Selection } from "./selection.js"

export interface PlanSource {
  readonly log: Context.Tag.Service<EventLog>
  readonly codec: Codec
  readonly countTokens: (text: string) => number
}

export type PlanError = StorageError | UnknownEvent | InvalidEvent

/** What to erase of one agent. */
export interface AgentPlan {
  readonly erasure: StreamErasure
  /** Digests of the texts that go, and of texts that remain. */
  readonly lostDigests: ReadonlySet<string>
  readonly usedDigests: ReadonlySet<string>
  /** The ids of the memories, turns, files and schedules that go. */
  readonly found: ReadonlySet<string>
  readonly report: () => AgentErasure
}

/** Maximum passes over the events. Lineage leads from older to newer events, so a few are enough. */
const maxPasses = 50

/** Finds what a selection erases of one agent, with everything derived from it. Reads all events, several times. */
export const planAgent = (
  source: PlanSource,
  agent: string,
  selection: Selection
): Effect.Effect<AgentPlan, PlanError> =>
  Effect.gen(function* () {
    const { version: readAt } = yield* source.log.head(agent)
    const { apply, isRequestErased, size, start, subjects } = makeSubjects(selection)
    for (let pass = 0, before = -1; pass < maxPasses && size() !== before; pass++) {
      before = size()
      start()
      yield* forEachEvent(source, agent, readAt, apply)
    }
    const lives = new Map<number, Array<LifeStep>>([...subjects.tainted.keys()].map((row) => [row, []]))
    if (lives.size > 0) {
      yield* forEachEvent(source, agent, readAt, (event) => {
        for (const image of imagesOf(event)) {
          const tainted = subjects.tainted.get(image.born)?.has(event.version) === true
          lives.get(image.born)?.push({ version: event.version, image, tainted, written: isWritten(event) })
        }
      })
    }
    const { lostDigests: memoryDigests, remade } = remadeLives(lives, source.countTokens)
    const removing: Removing = { subjects, isRequestErased, remade, lostDigests: memoryDigests }
    const report = makeReport(agent, subjects)
    const [versions, remains]: [Array<number>, Array<Remains>] = [[], []]
    const [lostDigests, usedDigests] = [new Set(memoryDigests), new Set<string>()]
    const timers = timerFold()
    yield* forEachEvent(source, agent, readAt, (event) => {
      const removal = removalOf(event, removing)
      const rest = removal === undefined ? event : remainsOf(event, removal)
      const left = rest === null ? undefined : ({ ...event, ...rest } as DaybookEvent)
      if (left !== undefined) {
        timers.apply(left)
        if (left.type === "EMBED" || left.type === "RECALL")
          for (const digest of digestsIn(left)) usedDigests.add(digest)
      }
      if (removal === undefined) return
      const kept = rest === null ? undefined : { of: event.version, type: rest.type, ...encoded(source.codec, rest) }
      // Nothing changes where an earlier erasure has removed the same.
      if (kept !== undefined && kept.type === event.type && kept.payload === encoded(source.codec, event).payload)
        return
      for (const digest of digestsIn(event)) lostDigests.add(digest)
      versions.push(event.version)
      if (kept !== undefined) remains.push(kept)
      report.add(event, removal, kept !== undefined)
    })
    return {
      erasure: {
        ...{ stream: agent, readAt, versions, remains },
        ...(subjects.schedules.size === 0 ? {} : { due: timers.due() })
      },
      ...{ lostDigests, usedDigests },
      found: new Set([...subjects.ids, ...subjects.schedules]),
      report: report.finish
    }
  })

/** Writes by a caller. Other events make new text of the old one. */
const isWritten = (event: DaybookEvent): boolean => event.type === "UPDATE" && writtenReasons.has(event.payload.reason)

const writtenReasons: ReadonlySet<string> = new Set(["edited", "unchanged", "reconciled", "settled"])

/** The remade after-images by version and row, and the digests of the texts in whose place they come. */
const remadeLives = (
  lives: ReadonlyMap<number, ReadonlyArray<LifeStep>>,
  countTokens: (text: string) => number
): Pick<Removing, "remade" | "lostDigests"> => {
  const remade = new Map<number, Map<number, Memory>>()
  const lostDigests = new Set<string>()
  for (const [row, life] of lives) {
    const images = remadeImages(life, countTokens)
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

const eventsPerPage = 500

/** Visits the events of an agent up to a version that have a payload, oldest first, without the records of erasures. */
const forEachEvent = (
  { codec, log }: PlanSource,
  stream: string,
  to: number,
  visit: (event: DaybookEvent) => void
): Effect.Effect<void, PlanError> => {
  const page = (after: number): Effect.Effect<void, PlanError> =>
    Effect.gen(function* () {
      const rows = yield* log.replay(stream, { after, to, limit: eventsPerPage })
      for (const row of rows) {
        if (row.payload === null || recordTypes.has(row.type)) continue
        visit((yield* codec.decode(row)) as DaybookEvent)
      }
      yield* takeTurnIfDue
      if (rows.length === eventsPerPage) yield* page(rows.at(-1)!.version)
    })
  return page(0)
}

const recordTypes: ReadonlySet<string> = new Set(["ERASE", "REMAINS"])
