import { isAtLeast, type TrustLevel } from "../../events/Trust.js"
import { type Turn, turnLevelOf } from "../../events/Turn.js"
import { lastChange } from "../../projections/history.js"
import type { Db } from "../../projections/Projection.js"
import { findRollingSummaries } from "../../projections/rollingSummaries.js"
import { findTurns } from "../../projections/sessionReads.js"
import { visibleLine } from "../../text/normalise/visibleText.js"
import { lowestWriter } from "../maintenance/quoted.js"
import type { PolicyValues } from "../ports/Policy.js"
import type { Judge } from "../ports/Reconciler.js"
import type { SettlerService } from "../ports/Settler.js"
import type { ContextRequest } from "./contextQuery.js"
import type { CountTokens, Line } from "./fill.js"
import { type LeftOutPart, ShownMemories } from "./parts.js"
import { makePrefix, type Prefix } from "./prefix.js"
import type { Candidate } from "./rows.js"
import {
  attemptPart,
  type DraftOrFailure,
  parkedProjectionsOf,
  readSessions,
  readStableParts,
  stableParts,
  utcDayBounds
} from "./stableParts.js"
import { summaryLines } from "./turns.js"

/** The content of a context that is read from one snapshot of the view. */
export interface StoredContext {
  readonly at: number
  readonly prefix: Prefix
  /** Text of writers below the level `prompt.writers`. */
  readonly quoted: ReadonlyArray<Line<Candidate | undefined>>
  /** Memories that expire later today. */
  readonly expiring: ReadonlyArray<Candidate>
  /** The last turns of the session without the new message, oldest first. */
  readonly turns: ReadonlyArray<Turn>
  /** The text of the last turn, if the user said it. */
  readonly lastMessage: string | undefined
  /** The rolling summaries of the earlier turns. `turns` does not contain these turns. */
  readonly summary: ReadonlyArray<Line<undefined>>
  readonly leftOut: ReadonlyArray<LeftOutPart>
}

/** The content of a context if the view cannot be read. */
export const emptyStoredContext = (at: number, reason: string): StoredContext => ({
  at,
  prefix: { text: "", tokens: 0, parts: [], leftOut: [], shown: new ShownMemories(), rowTokens: 0 },
  quoted: [],
  expiring: [],
  turns: [],
  lastMessage: undefined,
  summary: [],
  leftOut: [...stableParts, "turns" as const].map((part) => ({ part, reason }))
})

export interface StoredQuery extends ContextRequest {
  readonly agent: string
  readonly level: TrustLevel
  /** The time of the question, milliseconds. */
  readonly at: number
  /** The token budget of the whole context. */
  readonly limit: number
  readonly policy: PolicyValues
  readonly prefixes: PrefixCache
  readonly countTokens: CountTokens
  readonly judge: Judge | undefined
  readonly settler: SettlerService | undefined
}

/** Reads the last turns, and the stable beginning from the cache if no memory changed. */
export const readStoredContext = (db: Db, query: StoredQuery): StoredContext => {
  const { at, level, policy, session } = query
  const parked = parkedProjectionsOf(db)
  const found =
    session === undefined
      ? { turns: [] }
      : attemptPart(parked, ["conversation"], () => ({ turns: findTurns(db, level, session, policy.prompt.turns) }))
  const rolled = session === undefined || parked.has("rollingSummaries") ? [] : findRollingSummaries(db, level, session)
  const upperOf = new Map(rolled.map(({ state, store }) => [store, state.upperSequence]))
  const all = ("failure" in found ? [] : found.turns).filter(
    ({ sequence, store }) => sequence > (upperOf.get(store) ?? 0)
  )
  const last = all.at(-1)
  const lastMessage = last?.role === "user" ? last.text : undefined
  const turns = query.message !== undefined && lastMessage === query.message ? all.slice(0, -1) : all
  const sessions = attemptPart(parked, ["summaries", "conversation", "observations"], () =>
    readSessions(db, { at, level, policy, session })
  )
  const { expiring, prefix, quoted } = cachedPrefix(db, { ...query, sessions, speakers: speakersOf(all, query) })
  return {
    at,
    prefix,
    quoted,
    expiring: expiring.filter(({ memory }) => memory.expiresAt === undefined || memory.expiresAt > at),
    turns,
    lastMessage,
    summary: summaryLines(rolled, lowestWriter(policy.prompt.writers, level)),
    leftOut: "failure" in found ? [{ part: "turns", reason: found.failure }] : []
  }
}

/** The names of the users in the last turns, in alphabetical order. */
const speakersOf = (turns: ReadonlyArray<Turn>, { level, policy }: StoredQuery): ReadonlyArray<string> => {
  const writers = lowestWriter(policy.prompt.writers, level)
  const names = turns.flatMap((turn) =>
    turn.role === "user" && turn.speaker !== undefined && isAtLeast(turnLevelOf(turn), writers)
      ? visibleLine(turn.speaker).slice(0, maxSpeakerLength)
      : []
  )
  return [...new Set(names)]
    .filter((name) => name !== "")
    .sort()
    .slice(0, maxSpeakers)
}

const maxSpeakers = 3
const maxSpeakerLength = 60

/** The stable beginning, and the content that is read together with it. */
interface StableContent {
  readonly prefix: Prefix
  readonly quoted: StoredContext["quoted"]
  readonly expiring: ReadonlyArray<Candidate>
}

/**
 * A cache of stable beginnings. The key consists of everything that they depend on. The least recently used one is
 * evicted.
 */
export class PrefixCache {
  private readonly entries = new Map<string, StableContent>()

  get(key: string, make: () => { readonly content: StableContent; readonly isComplete: boolean }): StableContent {
    const cached = this.entries.get(key)
    const { content, isComplete } = cached === undefined ? make() : { content: cached, isComplete: true }
    if (!isComplete) return content
    this.entries.delete(key)
    this.entries.set(key, content)
    if (this.entries.size > maxPrefixes) this.entries.delete(this.entries.keys().next().value!)
    return content
  }
}

const maxPrefixes = 64

const cachedPrefix = (
  db: Db,
  query: StoredQuery & { readonly sessions: DraftOrFailure; readonly speakers: ReadonlyArray<string> }
): StableContent => {
  const { agent, at, format, k, level, limit, policy, prefixes, sessions, speakers } = query
  const sessionTexts = "failure" in sessions ? sessions : [sessions.lines, sessions.quoted]
  const key = [
    db.name,
    agent,
    level,
    utcDayBounds(at).dayStart,
    format,
    k,
    limit,
    speakers,
    sessionTexts,
    lastChange(db)
  ]
  return prefixes.get(JSON.stringify(key), () => {
    const profileTokens = Math.floor(limit * (policy.prompt.shares.profile + policy.prompt.shares.user)) + 1
    const drafts = readStableParts(db, { ...query, profileTokens })
    const { expiring } = drafts
    return {
      content: {
        prefix: makePrefix({ ...query, drafts }),
        quoted: stableParts.flatMap((part) => ("quoted" in drafts[part] ? (drafts[part].quoted ?? []) : [])),
        expiring: "failure" in expiring ? [] : expiring.lines.flatMap(({ value }) => value ?? [])
      },
      isComplete: Object.values(drafts).every((draft) => !("failure" in draft))
    }
  })
}
