import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import { Daybook } from "../../src/Daybook.js"
import type { Memory } from "../../src/Memory.js"
import { makeJobs } from "../../src/maintenance/jobs.js"
import { limits } from "../../src/model/limits.js"
import type { StageName } from "../../src/model/stages.js"
import type { WholeMemory } from "../../src/model/wholeMemory.js"
import type { PolicyValues } from "../../src/ports/Policy.js"
import { type ActiveSet, activeSetOf } from "./bounds.js"
import type { SetClock } from "./clock.js"
import type { Year, YearInput } from "./format.js"
import { firstMentions, logReader } from "./mentions.js"
import { type MissingReason, makeCaptureTracker } from "./spoken.js"
import { attributeStatesIn, type NamedAttributeState } from "./truths.js"

/** The state at the end of a month, after that night's maintenance. Durations are milliseconds. */
export interface MonthReport {
  /** The month, such as "2026-01". */
  readonly name: string
  readonly told: { readonly memories: number; readonly turns: number; readonly searches: number }
  /** Number of the month's memories, by outcome. */
  readonly outcomes: Readonly<Record<string, number>>
  /** Counts of the month's maintenance, by action. */
  readonly done: Readonly<Record<string, number>>
  readonly active: ActiveSet
  readonly profile: {
    readonly text: string
    readonly entries: number
    readonly tokens: number
    readonly held: ReadonlyArray<NamedAttributeState>
    /** Why the profile misses truths; empty unless the year is replayed as turns. */
    readonly rest: ReadonlyArray<{ readonly name: string; readonly reason: MissingReason }>
  }
  /** Number of truths mentioned so far, and the names of those that no event in the log states. */
  readonly truths: { readonly told: number; readonly lost: ReadonlyArray<string> }
  readonly took: TimeSpent
}

/** Time spent by kind of work, in milliseconds. */
export interface TimeSpent {
  readonly memories: number
  readonly turns: number
  readonly searches: number
  readonly maintenance: number
  readonly checks: number
}

/** The final checks. */
export interface FinalChecks {
  readonly events: number
  readonly verified: boolean
  /** True if a rebuild from the log yields the same view. */
  readonly same: boolean
  readonly digest: string
  /** Duration of the checks in milliseconds. */
  readonly took: number
}

const agent = "year"
const day = 86_400_000

/** Replays a year through the public API. Reports each month when it ends. */
export const replayYear = (
  year: Year,
  policy: PolicyValues,
  clock: SetClock,
  report: (month: MonthReport) => void
): Effect.Effect<FinalChecks, unknown, Daybook> =>
  Effect.gen(function* () {
    const daybook = yield* Daybook
    const memory = yield* daybook.agent(agent, { trust: "full", actor: "year" })
    // The checks' own reads must not count as use, so they are not recorded.
    const checker = yield* daybook.agent(agent, { trust: "full", record: false })
    const firstSaid = firstMentions(year)
    const log = logReader(year)
    const hearing = makeCaptureTracker(year)
    const isSpoken = year.happenings.some(({ kind }) => kind === "said")
    let month = emptyMonth()
    const night = maintenance(memory, policy)
    const timed = <A, E, R>(what: keyof TimeSpent, effect: Effect.Effect<A, E, R>) =>
      Effect.suspend(() => {
        const start = performance.now()
        return Effect.tap(effect, () =>
          Effect.sync(() => {
            month.took[what] += performance.now() - start
          })
        )
      })

    /** The work at the start of a day: maintenance, then the report if a month has ended. */
    const nightOf = (midnight: number) =>
      Effect.gen(function* () {
        const nightTime = midnight + night.after
        yield* timed("maintenance", Effect.zipRight(daybook.flush(agent), night.run(midnight, month.done, clock)))
        yield* clock.set(nightTime)
        if (midnight !== year.to && new Date(midnight).getUTCDate() !== 1) return
        if (midnight === year.from) return
        const { active, memories, profile } = yield* timed("checks", state(checker, policy, nightTime))
        yield* timed("checks", log.read(daybook, agent))
        const due = [...firstSaid].filter(([, first]) => first <= nightTime).map(([name]) => name)
        const held = attributeStatesIn(year.attributes, profile.text.split("\n"), nightTime)
        const missing = held.filter(({ standing }) => isSpoken && standing !== "held")
        report({
          name: new Date(midnight - day).toISOString().slice(0, 7),
          told: month.told,
          outcomes: month.outcomes,
          done: month.done,
          active,
          profile: {
            text: profile.text,
            entries: profile.entries.length,
            tokens: profile.tokens,
            held,
            rest: missing.map((standing) => ({
              name: standing.name,
              reason: hearing.reasonOf(standing, nightTime, memories)
            }))
          },
          truths: { told: due.length, lost: due.filter((name) => !log.found.has(name)) },
          took: month.took
        })
        month = emptyMonth()
      })

    let midnight = year.from
    for (const batch of batchesOf(year.happenings)) {
      const [first] = batch
      for (; midnight + night.after <= first!.at; midnight += day) yield* nightOf(midnight)
      yield* clock.set(first!.at)
      const said = yield* apply(memory, batch, month, timed)
      for (const { about, at, captured } of said) hearing.note(at, about, captured)
    }
    for (; midnight <= year.to; midnight += day) yield* nightOf(midnight)

    const start = performance.now()
    yield* daybook.backfill(agent)
    const before = yield* daybook.digests(agent)
    yield* daybook.rebuild(agent)
    const after = yield* daybook.digests(agent)
    const { events, ok } = yield* daybook.verify(agent)
    return {
      events,
      verified: ok,
      same: before.digest === after.digest,
      digest: after.digest,
      took: performance.now() - start
    }
  })

const emptyMonth = () => ({
  told: { memories: 0, turns: 0, searches: 0 },
  outcomes: {} as Record<string, number>,
  done: {} as Record<string, number>,
  took: { memories: 0, turns: 0, searches: 0, maintenance: 0, checks: 0 }
})

/** Groups consecutive entries with the same instant and kind. */
const batchesOf = (happenings: ReadonlyArray<YearInput>): ReadonlyArray<ReadonlyArray<YearInput>> => {
  const batches: Array<Array<YearInput>> = []
  for (const happening of happenings) {
    const [last] = batches.at(-1) ?? []
    const full = (batches.at(-1)?.length ?? 0) >= (happening.kind === "search" ? 1 : limits.batch)
    if (last?.at === happening.at && last.kind === happening.kind && !full) batches.at(-1)!.push(happening)
    else batches.push([happening])
  }
  return batches
}

type Timed = <A, E, R>(what: keyof TimeSpent, effect: Effect.Effect<A, E, R>) => Effect.Effect<A, E, R>

const apply = (
  memory: Memory,
  batch: ReadonlyArray<YearInput>,
  { outcomes, told }: ReturnType<typeof emptyMonth>,
  timed: Timed
): Effect.Effect<ReadonlyArray<Said>, unknown> =>
  Effect.gen(function* () {
    const refused = (at: number, problem: { readonly message: string }) =>
      Effect.fail(new Error(`${batch[at]!.place}: ${problem.message}`))
    const memories = batch.flatMap((entry) => (entry.kind === "memory" ? [entry.observation] : []))
    const turns = batch.flatMap((entry) => (entry.kind === "turn" ? [entry.turn] : []))
    if (memories.length > 0) {
      const answers = yield* timed("memories", memory.rememberAll(memories))
      for (const [at, answer] of answers.entries()) {
        if (Either.isLeft(answer)) return yield* refused(at, answer.left)
        outcomes[answer.right.outcome] = (outcomes[answer.right.outcome] ?? 0) + 1
      }
      told.memories += memories.length
    }
    if (turns.length > 0) {
      const answers = yield* timed("turns", memory.sessions.appendAll(turns))
      for (const [at, answer] of answers.entries()) if (Either.isLeft(answer)) return yield* refused(at, answer.left)
      told.turns += turns.length
    }
    const said: Array<Said> = []
    for (const entry of batch) {
      if (entry.kind === "search") {
        yield* timed("searches", memory.search({ text: entry.text, limit: 5 }))
        told.searches++
      }
      if (entry.kind === "said") {
        const { captured } = yield* timed("turns", memory.sessions.append(entry.turn))
        for (const { action } of captured) outcomes[action] = (outcomes[action] ?? 0) + 1
        said.push({ at: entry.at, about: entry.about, captured: captured.map(({ title }) => title) })
        told.turns++
      }
    }
    return said
  })

/** A turn, and the titles of the memories captured from it. */
interface Said {
  readonly at: number
  readonly about: string
  readonly captured: ReadonlyArray<string>
}

/** The nightly maintenance: runs the engine's own jobs at their times, as `Maintenance.layer` does. */
const maintenance = (memory: Memory, { maintenance }: PolicyValues) => {
  const jobs = makeJobs(maintenance).map(({ handler, stages }) => {
    const time = maintenance[handler.replace("daybook/", "") as "daily" | "gc" | "weekly"]
    return { after: afterMidnight(time), stages, weekly: handler === "daybook/weekly" }
  })
  return {
    /** Time of the last job, in milliseconds after midnight. */
    after: Math.max(...jobs.map(({ after }) => after)),
    run: (midnight: number, counts: Record<string, number>, clock: SetClock) =>
      Effect.gen(function* () {
        for (const { after, stages, weekly } of [...jobs].sort((a, b) => a.after - b.after)) {
          if (weekly && weekdays[new Date(midnight).getUTCDay()] !== maintenance.weekday) continue
          yield* clock.set(midnight + after)
          let open: ReadonlyArray<StageName> = stages
          for (let round = 0; round < maxRounds && open.length > 0; round++) {
            const runs = yield* memory.maintenance.run({ stages: open })
            open = runs.flatMap(({ left, run, stage }) => (left && run !== undefined ? [stage] : []))
            for (const [what, number] of runs.flatMap(({ counts }) => Object.entries(counts))) {
              counts[what] = (counts[what] ?? 0) + number
            }
          }
        }
      })
  }
}

const maxRounds = 50
const weekdays = ["sunday", "monday", "tuesday", "wednesday", "thursday", "friday", "saturday"]
const afterMidnight = (time: string): number => {
  const [hours, minutes] = time.split(":").map(Number) as [number, number]
  return (hours * 60 + minutes) * 60_000
}

const state = (memory: Memory, policy: PolicyValues, now: number) =>
  Effect.gen(function* () {
    const ids: Array<string> = []
    for (let offset = 0; ; offset += limits.page) {
      const page = yield* memory.list({ limit: limits.page, offset })
      ids.push(...page.map(({ id }) => id))
      if (page.length < limits.page) break
    }
    const memories: Array<WholeMemory> = []
    for (let from = 0; from < ids.length; from += limits.ids) {
      memories.push(...(yield* memory.get(ids.slice(from, from + limits.ids))))
    }
    return { active: activeSetOf(memories, policy, now), memories, profile: yield* memory.profile() }
  })
