import * as Cause from "effect/Cause"
import { isAtLeast, levelOf, type TrustLevel } from "../../events/Trust.js"
import { withDisputes } from "../../projections/disputeReads.js"
import { findExpiringMemories, findMemoriesSince } from "../../projections/observationReads.js"
import { findRecentMemories, readMemories } from "../../projections/observationSearch.js"
import type { Db } from "../../projections/Projection.js"
import { findMemoriesByScore } from "../../projections/scoreReads.js"
import { findSummaries } from "../../projections/summaries.js"
import { findParkedProjections } from "../../projections/view/ViewFile.js"
import { quotedText } from "../../text/normalise/visibleText.js"
import { type Profile, profileOf } from "../maintenance/profile.js"
import { lowestWriter } from "../maintenance/quoted.js"
import { type SessionSummary, sessionOf } from "../maintenance/SessionSummaries.js"
import { failureNames } from "../model/failureNames.js"
import { doneTag } from "../model/input.js"
import { toWholeMemory, type WholeMemory } from "../model/wholeMemory.js"
import type { PolicyValues } from "../ports/Policy.js"
import { type IndexSettings, indexSettings } from "../ports/policy/prompt.js"
import type { Judge } from "../ports/Reconciler.js"
import type { SettlerService } from "../ports/Settler.js"
import { decayOf, lifeScoreOf } from "../search/score.js"
import type { CountTokens, Line } from "./fill.js"
import { type Candidate, dateText, rowOf } from "./rows.js"

/** The parts of the stable beginning, in their order: the part that changes most often comes last. */
export const stableParts = ["user", "profile", "sessions", "tasks", "mid", "recent"] as const
export type StablePart = (typeof stableParts)[number]

/** The entries of a part, the best first. */
export interface Draft {
  readonly lines: ReadonlyArray<Line<Candidate | undefined>>
  /** Whether the part shows its lines in reverse order. */
  readonly reversed?: boolean
  /** Text of writers below the level `prompt.writers`. */
  readonly quoted?: ReadonlyArray<Line<Candidate | undefined>>
}

/** A draft, or why the part cannot be read. */
export type DraftOrFailure = Draft | { readonly failure: string }

export interface StableQuery {
  readonly level: TrustLevel
  /** The time of the question, milliseconds. Only its UTC day matters. */
  readonly at: number
  readonly sessions: DraftOrFailure
  /** Maximum rows by score. */
  readonly k: number
  readonly profileTokens: number
  readonly policy: PolicyValues
  readonly countTokens: CountTokens
  readonly judge: Judge | undefined
  readonly settler: SettlerService | undefined
}

const dayMillis = 86_400_000

/** The first and the last millisecond of the UTC day of an instant. */
export const utcDayBounds = (at: number): { readonly dayStart: number; readonly dayEnd: number } => {
  const dayStart = Math.floor(at / dayMillis) * dayMillis
  return { dayStart, dayEnd: dayStart + dayMillis - 1 }
}

/** Maximum open tasks, and maximum recent sessions. */
const maxTasks = 20
const maxSessions = 5

/**
 * Reads the stable parts as of the end of the UTC day, so that they are the same all day. Memories that expire today
 * are shown in the part `expiring` instead.
 */
export const readStableParts = (
  db: Db,
  query: StableQuery
): Readonly<Record<StablePart | "expiring", DraftOrFailure>> => {
  const reading = readingOf(db, query)
  const parked = parkedProjectionsOf(db)
  const attempt = (read: (reading: Reading) => Draft) => attemptPart(parked, ["observations"], () => read(reading))
  return {
    user: attempt(readUser),
    profile: attempt(readProfile),
    sessions: query.sessions,
    tasks: attempt(readTasks),
    mid: attempt(readMid),
    recent: attempt(readRecent),
    expiring: attempt(readExpiring)
  }
}

/** The parked projections. Their tables are outdated. */
export const parkedProjectionsOf = (db: Db): ReadonlySet<string> =>
  new Set(findParkedProjections(db).map(({ projection }) => projection))

/** Reads a part from these projections, or says why it cannot be read. */
export const attemptPart = <A extends object>(
  parked: ReadonlySet<string>,
  projections: ReadonlyArray<string>,
  read: () => A
): A | { readonly failure: string } => {
  const missing = projections.find((projection) => parked.has(projection))
  if (missing !== undefined) return { failure: `projection ${missing} is parked` }
  try {
    return read()
  } catch (error) {
    return { failure: failureNames(Cause.die(error)) }
  }
}

interface Reading extends StableQuery {
  readonly db: Db
  readonly dayStart: number
  readonly dayEnd: number
  /** The lowest level whose text appears directly. */
  readonly writers: TrustLevel
  readonly index: IndexSettings
  /** Computed once, because two parts show it. */
  readonly profile: () => Profile
}

const readingOf = (db: Db, query: StableQuery): Reading => {
  const { level, policy } = query
  const { dayEnd, dayStart } = utcDayBounds(query.at)
  let profile: Profile | undefined
  return {
    ...query,
    db,
    dayStart,
    dayEnd,
    writers: lowestWriter(policy.prompt.writers, level),
    index: indexSettings(policy.prompt_index),
    profile: () => {
      profile ??= profileOf(db, level, policy, dayEnd, query.countTokens, {
        budget: query.profileTokens,
        countsAccesses: false,
        judge: query.judge,
        settler: query.settler
      })
      return profile
    }
  }
}

const candidatesOf = ({ db, dayEnd, level, policy }: Reading, memories: ReadonlyArray<WholeMemory>) =>
  withDisputes(db, level, memories, dayEnd).map((memory) => ({ memory, score: lifeScore(memory, policy, dayEnd) }))

/** The life score, without counting how often the memory was shown. Otherwise each prompt would change the next one. */
const lifeScore = (memory: WholeMemory, { tiers }: PolicyValues, now: number): number => {
  const { createdAt, importance, lastMentionedAt, mentions, type } = memory
  const seenAt = Math.max(createdAt, lastMentionedAt)
  return lifeScoreOf({ type, importance, mentions, accesses: 0, seenAt }, tiers, now).score
}

const candidatesAt = (reading: Reading, born: ReadonlyArray<number>): ReadonlyArray<Candidate> => {
  const rows = readMemories(reading.db, born)
  const memories = born.flatMap((number) => rows.get(number) ?? [])
  return candidatesOf(reading, memories.map(toWholeMemory))
}

const linesOf = ({ index, writers }: Reading, candidates: ReadonlyArray<Candidate>) =>
  candidates.map((candidate) => ({ text: rowOf(candidate, { preset: index.preset, writers }), value: candidate }))

const isTrusted = ({ writers }: Reading, { memory }: Candidate): boolean => isAtLeast(levelOf(memory), writers)

const readUser = (reading: Reading): Draft => ({
  lines: linesOf(
    reading,
    candidatesOf(
      reading,
      reading.profile().entries.filter(({ type }) => type === "identity")
    )
  )
})

const readProfile = (reading: Reading): Draft => ({
  lines: linesOf(reading, candidatesOf(reading, reading.profile().entries))
})

const readTasks = (reading: Reading): Draft => {
  const { db, dayEnd, level, writers } = reading
  const filters = { types: ["task"], not: { tags: [doneTag] }, writers }
  const born = findRecentMemories(db, level, filters, dayEnd, { limit: maxTasks, offset: 0 })
  return { lines: linesOf(reading, candidatesAt(reading, born)) }
}

const readMid = (reading: Reading): Draft => {
  const { db, dayEnd, k, level, policy, writers } = reading
  const formula = { ...policy.tiers, decayOf: (type: string) => decayOf(type, policy.tiers) }
  const ranked = findMemoriesByScore(db, level, formula, {
    now: dayEnd,
    limit: k,
    tier: "mid",
    writers,
    countsAccesses: false
  })
  const born = ranked.map((row) => row.born)
  return { lines: linesOf(reading, candidatesAt(reading, born)) }
}

/**
 * The memories of the last days, the newest first. They are shown oldest first, so that a new memory changes only the
 * end.
 */
const readRecent = (reading: Reading): Draft => {
  const { dayEnd, dayStart, db, index, level, writers } = reading
  const window = { since: dayStart - index.recentDays * dayMillis, limit: index.limit, now: dayEnd }
  const trusted = candidatesAt(reading, findMemoriesSince(db, level, { ...window, writers }))
  const all =
    writers === level && level !== "full" ? trusted : candidatesAt(reading, findMemoriesSince(db, level, window))
  const below = all.filter((candidate) => !isTrusted(reading, candidate))
  return {
    lines: linesOf(reading, trusted),
    reversed: true,
    quoted: linesOf(reading, below)
  }
}

const readExpiring = (reading: Reading): Draft => {
  const { dayEnd, dayStart, db, index, level } = reading
  const born = findExpiringMemories(db, level, { from: dayStart, to: dayEnd, limit: index.limit })
  const trusted = candidatesAt(reading, born).filter((candidate) => isTrusted(reading, candidate))
  return { lines: linesOf(reading, trusted) }
}

/** Summaries of recent sessions except the present one, at full trust only. */
export const readSessions = (
  db: Db,
  {
    at,
    level,
    policy,
    session
  }: Pick<StableQuery, "at" | "level" | "policy"> & { readonly session: string | undefined }
): Draft => {
  if (level !== "full") return { lines: [] }
  const { dayEnd } = utcDayBounds(at)
  const writers = lowestWriter(policy.prompt.writers, level)
  const summaries = findSummaries(db, level, dayEnd, { limit: maxSessions + 3, offset: 0 })
    .filter((row) => row.session !== session)
    .slice(0, maxSessions)
    .map((row) => sessionOf(db, { level, writers, now: dayEnd }, row))
  return {
    lines: summaries.flatMap((summary) => {
      const text = sessionLine(summary)
      return text === undefined ? [] : [{ text, value: undefined }]
    }),
    quoted: summaries.flatMap(({ quoted }) => quoted.map((text) => ({ text, value: undefined })))
  }
}

const sessionLine = ({ decisions, lastAt, open, outcome, request, session }: SessionSummary): string | undefined => {
  const details = [
    ...(request === null ? [] : [`request ${quotedText(request)}`]),
    ...(outcome === null ? [] : [`outcome ${quotedText(outcome)}`]),
    ...decisions.map((text) => `decided ${quotedText(text)}`),
    ...open.map((text) => `open ${quotedText(text)}`)
  ]
  return details.length === 0 ? undefined : `- ${dateText(lastAt)} ${quotedText(session)}: ${details.join("; ")}`
}
