import type { SessionSummary } from "../../events/SessionSummary.js"
import { isAtLeast, lowestLevel, type TrustLevel } from "../../events/Trust.js"
import type { SummaryTurn } from "../../projections/summaries.js"
import { gateMessage } from "../../text/normalise/gate.js"
import { sentencesOf, shortenText } from "../../text/normalise/sentences.js"
import { findSensitiveData } from "../../text/personal/findSensitiveData.js"
import type { StatementReaderService } from "../ports/StatementReader.js"
import type { Line, SummaryRequest } from "../ports/Summarizer.js"
import { comparisonKey } from "./mergeContents.js"

/** The turns of a session; only its first and last turns if the session is long. */
export interface SessionTurns {
  readonly turns: ReadonlyArray<SummaryTurn>
  /** Number of all turns of the session. */
  readonly count: number
  readonly startedAt: number
  readonly lastAt: number
}

/**
 * A summary written by rules, and its source turns. `facts` contains the decisions and open items of each turn, by the
 * turn's row number.
 */
export interface SessionDraft {
  readonly summary: SessionSummary
  readonly turns: ReadonlyArray<SummaryTurn>
  readonly facts: ReadonlyMap<number, ReadonlyArray<string>>
}

/**
 * Maximum characters of the request and of the outcome; maximum decisions and open items; maximum characters of an
 * item.
 */
const maximum = { text: 280, items: 20, item: 500 }

/**
 * Summarizes a session by rules alone. The request is the first user turn that asks or states something. The outcome is
 * the last assistant turn after the request. Decisions and open items are the sentences that the statement reader
 * finds, if there is a reader, plus the unanswered questions of the last turn. Turns below the level `writers` are used
 * only if there are no other turns. Returns null if neither user nor assistant said anything. Yields after every few
 * turns.
 */
export function* summarizeByRules(
  { count, lastAt, startedAt, turns }: SessionTurns,
  statements: StatementReaderService | undefined,
  writers: TrustLevel
): Generator<void, SessionDraft | null> {
  const nonEmpty = turns.filter(({ role, text }) => (role === "user" || role === "assistant") && text.trim() !== "")
  const trusted = nonEmpty.filter(({ level }) => isAtLeast(level, writers))
  const usedTurns = trusted.length > 0 ? trusted : nonEmpty
  const last = usedTurns.at(-1)
  if (last === undefined) return null
  // A turn with a credential is neither summarized nor sent to a summarizer.
  const sources: Array<SummaryTurn> = []
  for (const [index, turn] of usedTurns.entries()) {
    if (index % turnsPerStep === turnsPerStep - 1) yield
    if (findSensitiveData([turn.text]).credential.length === 0) sources.push(turn)
  }
  const userTurns = sources.filter(({ role }) => role === "user")
  const request = userTurns.find(({ text }) => gateMessage(text).recall) ?? userTurns[0]
  const answer = sources.findLast(({ born, role }) => role === "assistant" && born > (request?.born ?? 0))
  const facts = new Map<number, Array<string>>()
  const found = { decision: new Map<string, Item>(), open: new Map<string, Item>() }
  for (const [index, turn] of sources.entries()) {
    if (index % turnsPerStep === turnsPerStep - 1) yield
    for (const sentence of sentencesOf(turn.text)) {
      const kind = sentence.length > maximum.item ? undefined : kindOf(sentence, turn === last, statements)
      if (kind === undefined) continue
      // A repeated sentence moves to the place of its last mention.
      const key = comparisonKey(sentence)
      found[kind].delete(key)
      found[kind].set(key, { sentence, born: turn.born })
    }
  }
  const itemsOf = (items: ReadonlyMap<string, Item>): ReadonlyArray<string> => {
    const newest = [...items.values()].slice(-maximum.items)
    for (const { born, sentence } of newest) facts.set(born, [...(facts.get(born) ?? []), sentence])
    return newest.map(({ sentence }) => sentence)
  }
  const decisions = itemsOf(found.decision)
  const openItems = itemsOf(found.open)
  const summary: SessionSummary = {
    ...(request === undefined ? {} : { request: shortenText(oneLine(request.text), maximum.text) }),
    ...(answer === undefined ? {} : { outcome: shortenText(oneLine(answer.text), maximum.text) }),
    decisions,
    open: openItems,
    level: lowestLevel("full", ...sources.map(({ level }) => level)),
    turns: count,
    until: Math.max(...turns.map(({ born }) => born)),
    sources: sources.map(({ born }) => born),
    startedAt,
    lastAt
  }
  return { summary, turns: sources, facts }
}

/** Turns read between two yields. A turn of 4,000 characters takes half a millisecond. */
const turnsPerStep = 40

/** A decision or an open item, and the row number of its turn. */
interface Item {
  readonly sentence: string
  readonly born: number
}

const kindOf = (
  sentence: string,
  isLast: boolean,
  statements: StatementReaderService | undefined
): "decision" | "open" | undefined => {
  if (isQuestion(sentence)) return isLast || statements?.statesOpenItem(sentence) === true ? "open" : undefined
  if (statements?.statesDecision(sentence) === true) return "decision"
  return statements?.statesOpenItem(sentence) === true ? "open" : undefined
}

/**
 * Makes the request to a summarizer. Omits middle turns of a long session, unless they state a decision or an open
 * item.
 */
export const sessionRequest = ({ facts, summary, turns }: SessionDraft): SummaryRequest => {
  let remainingLength = maxRequestLength
  // Prefer the first two turns (the request) and the last ones (the outcome) to those in between.
  const byImportance = [...turns.slice(0, 2), ...turns.slice(2).reverse()]
  const included = new Set<number>()
  for (const turn of byImportance) {
    const factLength = (facts.get(turn.born) ?? []).join("").length
    remainingLength -= Math.min(turn.text.length, maxTurnLength) + factLength
    if (remainingLength < 0 && factLength === 0) continue
    included.add(turn.born)
  }
  const sources = turns
    .filter(({ born }) => included.has(born))
    .map(({ born, occurredAt, role, speaker, text }) => ({
      type: role,
      ...(speaker === null ? {} : { speaker }),
      text: text.slice(0, maxTurnLength).toWellFormed(),
      facts: facts.get(born) ?? [],
      at: occurredAt
    }))
  const { decisions, open, outcome = "", request = "" } = summary
  return {
    kind: "session",
    subject: "",
    sources,
    budget: Math.ceil([request, outcome, ...decisions, ...open].join("\n").length / 2) + 200
  }
}

/** Replaces the texts of a session's summary with a summarizer's lines. */
export const replaceSummaryTexts = (summary: SessionSummary, lines: ReadonlyArray<Line>): SessionSummary => {
  const textsOf = (part: Line["part"]) => lines.flatMap((line) => (line.part === part ? [line.text] : []))
  const { outcome: _, request: __, ...rest } = summary
  const [[request], [outcome]] = [textsOf("request"), textsOf("outcome")]
  return {
    ...rest,
    ...(request === undefined ? {} : { request }),
    ...(outcome === undefined ? {} : { outcome }),
    decisions: textsOf("decision"),
    open: textsOf("open")
  }
}

/** Maximum characters of all turns in a request to a summarizer, and of one turn. */
const maxRequestLength = 40_000
const maxTurnLength = maxRequestLength / 20

const oneLine = (text: string): string => text.replace(/\s+/gu, " ").trim()

const isQuestion = (sentence: string): boolean => /[?？]["'”’)\]]*$/u.test(sentence)
