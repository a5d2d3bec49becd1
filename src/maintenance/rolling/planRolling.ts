import type { RollingSummary } from "../../../events/RollingSummary.js"
import { isAtLeast, lowestLevel, type TrustLevel } from "../../../events/Trust.js"
import { type Turn, turnLevelOf } from "../../../events/Turn.js"
import type { VersionedTurn } from "../../../projections/rollingSummaries.js"
import { sentencesOf, shortenText } from "../../../text/normalise/sentences.js"
import { findSensitiveData } from "../../../text/personal/findSensitiveData.js"
import { groupToolResults } from "../../conversation/turnUnits.js"
import type { SummaryPolicy } from "../../ports/policy/conversation.js"

/**
 * A session in one store: the summary so far, the oldest turns after it, and the count and tokens of all turns after
 * it.
 */
export interface RollingInput {
  readonly before: RollingSummary | undefined
  readonly turns: ReadonlyArray<VersionedTurn>
  readonly count: number
  readonly tokens: number
}

export interface RollingOptions {
  readonly policy: SummaryPolicy
  /** The token budget. */
  readonly budget: number
  /** The lowest level whose text the summary quotes. Text of lower levels is quoted only if there is no other text. */
  readonly writers: TrustLevel
  readonly countTokens: (text: string) => number
}

export interface RollingPlan {
  readonly state: RollingSummary
  readonly condensed: ReadonlyArray<VersionedTurn>
  /** The turns whose text the summary may quote. */
  readonly quoted: ReadonlyArray<VersionedTurn>
}

/**
 * Decides whether the oldest turns of a session are condensed, and writes their lines by rules: one line per turn with
 * its most informative sentences, appended to the summary so far. Turns that belong together are condensed together,
 * and the newest turns stay. Returns null if there are too few turns or if enough of the budget is free. A pure
 * function.
 */
export const planRolling = (input: RollingInput, options: RollingOptions): RollingPlan | null => {
  const { before, count, tokens, turns } = input
  const { budget, countTokens, policy } = options
  const used = tokens + (before === undefined ? 0 : countTokens(before.text))
  if (count < policy.min_turns || used <= policy.trigger_ratio * budget) return null
  const units = groupToolResults(turns, ({ turn }) => turn)
  // The last unit stays, because it is the newest and further turns may belong to it.
  const candidates = units.slice(0, -1)
  const isQuoted = quotedTurns(candidates.flat(), before, options.writers)
  const lines = new Lines(before?.text, Math.floor(policy.text_ratio * budget), countTokens)
  const condensed: Array<VersionedTurn> = []
  let remaining = tokens
  for (const unit of candidates) {
    if (remaining + lines.tokens <= policy.target_ratio * budget) break
    for (const entry of unit) {
      lines.add(lineOf(entry.turn, isQuoted(entry), lines.maxCharacters))
      remaining -= entry.turn.tokens
      condensed.push(entry)
    }
  }
  const last = condensed.at(-1)
  if (last === undefined) return null
  const quoted = condensed.filter(isQuoted)
  return {
    condensed,
    quoted,
    state: {
      text: lines.text(),
      epoch: (before?.epoch ?? 0) + 1,
      upperSequence: last.turn.sequence,
      level: lowestLevel(before?.level ?? "full", ...quoted.map(({ turn }) => turnLevelOf(turn))),
      sources: condensed.map(({ born }) => born)
    }
  }
}

/** Replaces the lines of a plan's turns with lines that a model wrote for these turns. */
export const withModelLines = (
  { before }: RollingInput,
  { state }: RollingPlan,
  texts: ReadonlyArray<string>,
  { budget, countTokens, policy }: RollingOptions
): RollingSummary => {
  const lines = new Lines(before?.text, Math.floor(policy.text_ratio * budget), countTokens)
  for (const text of texts) lines.add(`- ${oneLine(text)}`)
  return { ...state, text: lines.text() }
}

/**
 * Returns a filter for the turns whose text is quoted: turns at or above the level `writers`. If neither a turn nor the
 * summary so far has that level, turns of every level are quoted. A turn with a credential is never quoted.
 */
const quotedTurns = (
  turns: ReadonlyArray<VersionedTurn>,
  before: RollingSummary | undefined,
  writers: TrustLevel
): ((entry: VersionedTurn) => boolean) => {
  const isTrusted = ({ turn }: VersionedTurn) => isAtLeast(turnLevelOf(turn), writers)
  const onlyTrusted = turns.some(isTrusted) || (before !== undefined && isAtLeast(before.level, writers))
  return (entry) => (!onlyTrusted || isTrusted(entry)) && findSensitiveData([entry.turn.text]).credential.length === 0
}

const lineOf = ({ role, speaker, text, toolCalls = [] }: Turn, isQuoted: boolean, maxCharacters: number): string => {
  const who = speaker === undefined ? role : `${role} ${oneLine(speaker)}`
  if (!isQuoted) return `- ${role}: (left out)`
  const calls = toolCalls.length === 0 ? "" : `called ${toolCalls.map(({ name }) => oneLine(name)).join(", ")}`
  const content = [oneLine(text), calls].filter((part) => part !== "").join("; ")
  const [first = ""] = sentencesOf(content)
  return `- ${who}: ${shortenText(first.length > maxCharacters ? first : content, maxCharacters)}`
}

const oneLine = (text: string): string => text.replace(/[\s\p{Cc}]+/gu, " ").trim()

/**
 * Limits for the characters of a turn's line, which otherwise has twice as many characters as the summary has tokens.
 */
const lineCharacters = { min: 40, max: 200 }

/** The lines of a summary within a token limit. New lines displace the oldest lines, which are then only counted. */
class Lines {
  private readonly lines: Array<{ readonly text: string; readonly tokens: number }> = []
  private dropped = 0
  readonly maxCharacters: number

  constructor(
    text: string | undefined,
    private readonly limit: number,
    private readonly countTokens: (text: string) => number
  ) {
    this.maxCharacters = Math.min(lineCharacters.max, Math.max(lineCharacters.min, 2 * limit))
    for (const line of text === undefined || text === "" ? [] : text.split("\n")) {
      const dropped = droppedLine.exec(line)
      if (dropped === null) this.add(line)
      else this.dropped += Number(dropped[1])
    }
  }

  get tokens(): number {
    const sum = this.lines.reduce((total, { tokens }) => total + tokens, 0)
    return sum + (this.dropped === 0 ? 0 : this.cost(this.droppedText()))
  }

  add(text: string): void {
    if (this.lines.at(-1)?.text === text) return
    this.lines.push({ text, tokens: this.cost(text) })
    while (this.lines.length > 0 && this.tokens > this.limit) {
      this.lines.shift()
      this.dropped++
    }
  }

  text(): string {
    return [...(this.dropped === 0 ? [] : [this.droppedText()]), ...this.lines.map(({ text }) => text)].join("\n")
  }

  private droppedText(): string {
    return `- (${this.dropped} earlier lines left out)`
  }

  /** The tokens of a line and its line break. */
  private cost(text: string): number {
    return this.countTokens(text) + 1
  }
}

const droppedLine = /^- \((\d{1,9}) earlier lines left out\)$/
