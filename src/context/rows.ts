import type { Memory, Source } from "../../events/Memory.js"
import { isAtLeast, levelOf, type Store, type TrustLevel } from "../../events/Trust.js"
import { quotedText } from "../../text/normalise/visibleText.js"
import { daysBetween, toIso } from "../../text/when/dates.js"
import type { WholeMemory } from "../model/wholeMemory.js"
import type { IndexSettings } from "../ports/policy/prompt.js"

/** A memory that a context shows. Times are milliseconds since the epoch. */
export interface ContextMemory {
  readonly id: string
  readonly type: string
  readonly title: string
  readonly store: Store
  /** The trust level of its writer. */
  readonly level: TrustLevel
  readonly source: Source
  readonly mentions: number
  /** Tokens that are needed to read the whole memory. */
  readonly tokens: number
  readonly createdAt: number
  readonly occurredAt: number | null
  /**
   * For the part `recalled`, the score of the search. For other parts, the life score (`lifeScoreOf`), which ignores how
   * often the memory was shown.
   */
  readonly score: number
}

/** A memory that may be shown. */
export interface Candidate {
  readonly memory: WholeMemory
  readonly score: number
  /** Whether an earlier part shows the memory's facts. If so, this row does not repeat them. */
  readonly isShown?: boolean
}

export const contextMemoryOf = ({ memory, score }: Candidate): ContextMemory => ({
  id: memory.id,
  type: memory.type,
  title: memory.title,
  store: memory.store,
  level: levelOf(memory),
  source: memory.source,
  mentions: memory.mentions,
  tokens: memory.tokens,
  createdAt: memory.createdAt,
  occurredAt: memory.occurredAt ?? null,
  score
})

export interface RowStyle {
  /** The lowest level whose text appears in the prompt. For memories below it, a note contains only the id. */
  readonly writers: TrustLevel
  readonly preset: IndexSettings["preset"]
  /** The time of the question, for rows that also state the age in words. */
  readonly relativeTo?: number
  readonly narrative?: boolean
}

/** Explains the columns of a row. */
export const legendOf = (preset: IndexSettings["preset"]): string =>
  preset === "compact"
    ? "Rows: id, date, type, tokens of the whole memory (t), text."
    : "Rows: id, date, type, store, mentions (x), score (s), tokens of the whole memory (t), level and origin of its writer, text."

/** One line of a prompt for a memory. The text of the memory is one JSON string. */
export const rowOf = (candidate: Candidate, { narrative = false, preset, relativeTo, writers }: RowStyle): string => {
  const { isShown = false, memory, score } = candidate
  const time = memory.occurredAt ?? memory.createdAt
  const date = relativeTo === undefined ? dateText(time) : `${dateText(time)} (${ageText(time, relativeTo)})`
  if (preset === "compact" && !narrative) {
    return `- ${memory.id} ${date} ${memory.type} t${memory.tokens} ${quotedText(memory.title)}`
  }
  const text = [
    memory.title,
    ...(isShown ? [] : memory.facts),
    ...(narrative && memory.narrative !== undefined ? [memory.narrative] : [])
  ].join("; ")
  const details = [
    memory.id,
    date,
    memory.type,
    memory.store,
    `x${memory.mentions}`,
    `s${score.toFixed(2)}`,
    `t${memory.tokens}`,
    originOf(memory)
  ]
  const notes = [
    ...(memory.stale === undefined ? [] : ["may be outdated"]),
    ...(memory.disputedBy ?? []).map(({ id, level, title }) =>
      isAtLeast(level, writers) ? `contradicted by ${id} ${quotedText(title)}` : `contradicted by ${id}, ${level}`
    )
  ]
  return `- ${details.join(" ")} ${quotedText(text)}${notes.length === 0 ? "" : ` (${notes.join("; ")})`}`
}

/** The level and the origin of a text: `full agent`, `inner import "notes.md"`. */
export const originOf = (memory: Pick<Memory, "level" | "source" | "store">): string => {
  const { kind, name } = memory.source
  return [levelOf(memory), kind, ...(name === undefined ? [] : [quotedText(name)])].join(" ")
}

/** The UTC day of an instant. */
export const dateText = (time: number): string => toIso(time).slice(0, -14)

/** The UTC day and minute of an instant. */
export const minuteText = (time: number): string => toIso(time).slice(0, -8).replace("T", " ")

/** How long before or after `now` an instant is, in UTC days. */
export const ageText = (time: number, now: number): string => {
  const past = daysBetween(time, now)
  const future = daysBetween(now, time)
  if (past === 0 && future === 0) return "today"
  if (future > 0) return future === 1 ? "tomorrow" : `in ${spanText(future)}`
  return past === 1 ? "yesterday" : `${spanText(past)} ago`
}

const spanText = (days: number): string => {
  if (days < 14) return `${days} days`
  if (days < 61) return `${Math.round(days / 7)} weeks`
  const months = Math.round(days / 30.44)
  return months < 24 ? `${months} months` : `${Math.round(days / 365.25)} years`
}
