import { isDeepStrictEqual } from "node:util"
import * as Effect from "effect/Effect"
import { type DaybookEvent, imagesOf } from "../events/catalogue.js"
import type { Memory } from "../events/Memory.js"
import { canRead } from "../events/Trust.js"
import type { Turn } from "../events/Turn.js"
import { findChanges } from "../projections/history.js"
import { findMadeOf } from "../projections/lineage.js"
import type { Db } from "../projections/Projection.js"
import { findBorn } from "../projections/reads.js"
import { findAccesses } from "../projections/recalls.js"
import { findRevision, findStanding, findTurn } from "../projections/whyReads.js"
import { versionAt } from "./actor/Command.js"
import type { ReaderServices, ReaderSource } from "./actor/ReaderSource.js"
import type { ReadError } from "./Memory.js"
import { verdictOf } from "./maintenance/rules.js"
import { type InvalidInput, MemoryNotFound } from "./model/errors.js"
import { integerOf } from "./model/filters.js"
import { decodeKey } from "./model/input.js"
import { limits } from "./model/limits.js"
import { wholeOf } from "./model/wholeMemory.js"
import type { Related, Said, TurnSaid, WeighedThen, Why, WhyOptions, WhySource, WhyVersion } from "./why.js"

/** Of what it took the place of, and what that did, so many are told. */
const deepest = 10

/**
 * Reads how a memory came to be what it is, as far as the level may read it:
 * candidates, predecessors and sources that it may not read are left out.
 */
export const whyOf =
  ({ agent, level, read }: ReaderSource, { codec, life, log }: ReaderServices) =>
  (id: string, options: WhyOptions = {}): Effect.Effect<Why, ReadError | MemoryNotFound | InvalidInput> =>
    Effect.gen(function* () {
      yield* decodeKey("id", id)
      const limit = yield* integerOf("limit", options.limit ?? 20, 1, limits.ids)
      const eventsAt = (versions: ReadonlyArray<number>) =>
        Effect.flatMap(log.at(agent, versions), (rows) => Effect.forEach(rows, (row) => codec.decode(row)))

      const storyOf = (
        db: Db,
        memory: Memory,
        now: number
      ): Pick<Why, "supersedes" | "supersededBy" | "sources" | "madeOf"> => {
        const related = (one: string) => {
          const standing = findStanding(db, level, [one], now).get(one)
          return standing === undefined ? undefined : relatedOf(standing)
        }
        const readable = (ones: ReadonlyArray<Memory>) => ones.flatMap((one) => related(one.id) ?? [])
        const supersedes: Array<Related> = []
        const followed = new Set([id])
        for (let open = [memory]; open.length > 0 && followed.size <= deepest; ) {
          const next = open
            .flatMap(({ lineage = [] }) => lineage)
            .flatMap(({ kind, to }) => {
              if (kind !== "supersedes" || followed.has(to) || followed.size > deepest) return []
              const before = findStanding(db, level, [to], now).get(to)
              if (before !== undefined) followed.add(to)
              return before ?? []
            })
          supersedes.push(...next.map(relatedOf))
          open = next
        }
        return {
          supersedes,
          supersededBy: readable(findMadeOf(db, "supersedes", id))[0] ?? null,
          sources: (memory.lineage ?? []).flatMap(({ kind, reason, to }): ReadonlyArray<WhySource> => {
            if (kind === "supersedes") return []
            if (kind === "file") return [{ kind, path: to, reason }]
            if (kind === "derived") {
              const memory = related(to)
              return [{ kind: "memory", id: to, reason, ...(memory === undefined ? {} : { memory }) }]
            }
            const turn = findTurn(db, level, to)
            return [{ kind, id: to, reason, ...(turn === undefined ? {} : { turn: turnSaid(turn) }) }]
          }),
          madeOf: readable(findMadeOf(db, "derived", id))
        }
      }
      /** By id and revision of each candidate that may be read as it was: the version in which it became that. */
      const versionsThen = (db: Db, events: ReadonlyArray<DaybookEvent>, now: number): ReadonlyMap<string, number> => {
        const versions = new Map<string, number>()
        const candidates = events.flatMap(({ payload }) =>
          payload !== null && "decision" in payload ? payload.decision.candidates : []
        )
        const standing = findStanding(
          db,
          level,
          candidates.map((one) => one.id),
          now
        )
        for (const { id, revision } of candidates) {
          const born = standing.get(id)?.born
          const version = born === undefined ? undefined : findRevision(db, level, born, revision)
          if (version !== undefined) versions.set(`${id}/${revision}`, version)
        }
        return versions
      }

      const found = yield* read(({ db, now }) => {
        const born = findBorn(db, level, id, now)
        const memory = findStanding(db, level, [id], now).get(id)
        if (born === undefined || memory === undefined) return undefined
        const accesses = level === "full" ? findAccesses(db, [id]).get(id) : undefined
        return { memory, accesses, now, changes: findChanges(db, level, born), ...storyOf(db, memory, now) }
      })
      if (found === undefined || found.changes.length === 0) return yield* new MemoryNotFound({ id })
      const { accesses, changes, memory, now, ...story } = found
      const shown = changes.slice(-limit - 1)
      const events = (yield* eventsAt(shown.map(({ version }) => version))) as ReadonlyArray<DaybookEvent>
      const weighed = yield* read(({ db, now }) => versionsThen(db, events, now))
      const then = new Map(
        (yield* eventsAt([...new Set(weighed.values())])).map((event) => [event.version, event as DaybookEvent])
      )
      const saidThen = (candidate: string, revision: number): Said | undefined => {
        const event = then.get(weighed.get(`${candidate}/${revision}`) ?? -1)
        const image = event?.payload === null || event === undefined ? undefined : imageIn(event, candidate)
        return image === undefined || !canRead(level, image.store) ? undefined : saidOf(image)
      }

      const versions: Array<WhyVersion> = []
      let before: Memory | undefined
      for (const [at, event] of events.entries()) {
        const image = event.payload === null ? undefined : imageIn(event, id)
        // One more than is shown was read, so that the first one's changes are known.
        if (at > 0 || shown.length <= limit) {
          const decision = event.payload !== null && "decision" in event.payload ? event.payload.decision : null
          versions.push({
            revision: shown[at]!.revision,
            ...versionAt(level, event.version),
            type: event.type,
            recordedAt: event.recordedAt,
            actor: event.actor,
            decision:
              decision === null
                ? null
                : {
                    ...decision,
                    candidates: decision.candidates.flatMap(({ revision, ...candidate }) => {
                      const said = saidThen(candidate.id, revision)
                      return said === undefined ? [] : [{ ...(candidate as Omit<WeighedThen, "said">), said }]
                    })
                  },
            changes: image === undefined || before === undefined ? [] : changesOf(before, image)
          })
        }
        before = image ?? before
      }
      return {
        memory: { ...wholeOf(memory), ...accesses, status: memory.status },
        life: memory.status === "active" ? verdictOf({ memory, accesses }, life, now) : null,
        versions,
        earlier: changes.length - versions.length,
        ...story
      }
    })

const imageIn = (event: DaybookEvent, id: string): Memory | undefined => imagesOf(event).find((one) => one.id === id)

const saidOf = ({ facts, narrative, title }: Said): Said => ({
  title,
  ...(narrative === undefined ? {} : { narrative }),
  facts
})

const turnSaid = ({ role, sequence, session, speaker, text }: Turn): TurnSaid => ({
  session,
  sequence,
  role,
  ...(speaker === undefined ? {} : { speaker }),
  text
})

const relatedOf = (memory: Memory): Related => ({ id: memory.id, status: memory.status, ...saidOf(memory) })

/** Kept with every change, or said elsewhere. */
const silent: ReadonlySet<string> = new Set<keyof Memory>([
  "revision",
  "updatedAt",
  "lastMentionedAt",
  "tokens",
  "born"
])

const changesOf = (before: Memory, after: Memory): WhyVersion["changes"] => {
  const [then, now] = [before as Readonly<Record<string, unknown>>, after as Readonly<Record<string, unknown>>]
  return [...new Set([...Object.keys(then), ...Object.keys(now)])]
    .filter((field) => !silent.has(field) && !isDeepStrictEqual(then[field], now[field]))
    .map((field) => ({ field, before: then[field] ?? null, after: now[field] ?? null }))
}
