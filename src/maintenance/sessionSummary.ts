import type { SessionSummary } from "../../events/SessionSummary.js"
import type { SaidTurn } from "../../projections/summaries.js"
import { gate } from "../../text/normalise/gate.js"
import { sentencesOf, shortened } from "../../text/normalise/sentences.js"
import { marksOf } from "../../text/personal/marks.js"
import type { Line, SummaryRequest } from "../ports/Summarizer.js"
import { plainly } from "./summary.js"

/** What a session said, as far as it was read: its first turns and its last. */
export interface Conversation {
  readonly turns: ReadonlyArray<SaidTurn>
  /** How many turns it has in all. */
  readonly count: number
  readonly startedAt: number
  readonly lastAt: number
}

/** A summary by rule, the turns that it was made of, and which of them says each of its decisions and open items. */
export interface Ruled {
  readonly summary: SessionSummary
  readonly turns: ReadonlyArray<SaidTurn>
  readonly facts: ReadonlyMap<number, ReadonlyArray<string>>
}

/** Characters of a request and of an outcome; decisions and open items, each of so many characters at most. */
const most = { text: 280, items: 20, item: 500 }

/**
 * A session by rule alone: the request is what the user said first that asks or states something; the outcome what the
 * assistant said last; decisions and open items are the sentences of both that say so in words (English), and the
 * questions of a last turn that nobody answered. Null where neither of them said anything.
 */
export const ruledSummary = ({ count, lastAt, startedAt, turns }: Conversation): Ruled | null => {
  const said = turns.filter(({ role, text }) => (role === "user" || role === "assistant") && text.trim() !== "")
  const last = said.at(-1)
  if (last === undefined) return null
  // What lets somebody in is neither repeated nor shown to anybody.
  const sound = said.filter(({ text }) => marksOf([text]).credential.length === 0)
  const users = sound.filter(({ role }) => role === "user")
  const request = users.find(({ text }) => gate(text).recall) ?? users[0]
  const answer = sound.findLast(({ born, role }) => role === "assistant" && born > (request?.born ?? 0))
  const facts = new Map<number, Array<string>>()
  const found = (is: (sentence: string, turn: SaidTurn) => boolean): ReadonlyArray<string> => {
    const items = new Map<string, { readonly sentence: string; readonly born: number }>()
    for (const turn of sound) {
      for (const sentence of sentencesOf(turn.text)) {
        if (sentence.length > most.item || !is(sentence, turn)) continue
        // What is said again stands where it was said last.
        items.delete(plainly(sentence))
        items.set(plainly(sentence), { sentence, born: turn.born })
      }
    }
    const newest = [...items.values()].slice(-most.items)
    for (const { born, sentence } of newest) facts.set(born, [...(facts.get(born) ?? []), sentence])
    return newest.map(({ sentence }) => sentence)
  }
  const isDecision = (sentence: string) => decided.test(sentence) && !isQuestion(sentence)
  const decisions = found(isDecision)
  const openItems = found(
    (sentence, turn) => !isDecision(sentence) && (undone.test(sentence) || (turn === last && isQuestion(sentence)))
  )
  const summary: SessionSummary = {
    ...(request === undefined ? {} : { request: shortened(oneLine(request.text), most.text) }),
    ...(answer === undefined ? {} : { outcome: shortened(oneLine(answer.text), most.text) }),
    decisions,
    open: openItems,
    turns: count,
    until: Math.max(...turns.map(({ born }) => born)),
    sources: sound.map(({ born }) => born),
    startedAt,
    lastAt
  }
  return { summary, turns: sound, facts }
}

/** What a summarizer is asked about a session: of many turns those in the middle are left out, unless they decide something. */
export const sessionRequest = ({ facts, summary, turns }: Ruled): SummaryRequest => {
  const sources: Array<SummaryRequest["sources"][number]> = []
  let room = told
  // The end of a conversation says the most of what it came to, and its beginning what was asked for.
  const order = [...turns.slice(0, 2), ...turns.slice(2).reverse()]
  const taken = new Set<number>()
  for (const turn of order) {
    const own = (facts.get(turn.born) ?? []).join("").length
    room -= Math.min(turn.text.length, told / 20) + own
    if (room < 0 && own === 0) continue
    taken.add(turn.born)
  }
  for (const { born, occurredAt, role, speaker, text } of turns) {
    if (!taken.has(born)) continue
    sources.push({
      type: role,
      ...(speaker === null ? {} : { speaker }),
      text: text.slice(0, told / 20).toWellFormed(),
      facts: facts.get(born) ?? [],
      at: occurredAt
    })
  }
  const { decisions, open, outcome = "", request = "" } = summary
  return {
    kind: "session",
    subject: "",
    sources,
    budget: Math.ceil([request, outcome, ...decisions, ...open].join("\n").length / 2) + 200
  }
}

/** A session's summary with what lines say of it. */
export const withLines = (summary: SessionSummary, lines: ReadonlyArray<Line>): SessionSummary => {
  const of = (part: Line["part"]) => lines.flatMap((line) => (line.part === part ? [line.text] : []))
  const { outcome: _, request: __, ...rest } = summary
  const [[request], [outcome]] = [of("request"), of("outcome")]
  return {
    ...rest,
    ...(request === undefined ? {} : { request }),
    ...(outcome === undefined ? {} : { outcome }),
    decisions: of("decision"),
    open: of("open")
  }
}

/** Characters of turns that a summarizer is told; of one turn a twentieth. */
const told = 40_000

const oneLine = (text: string): string => text.replace(/\s+/gu, " ").trim()

const isQuestion = (sentence: string): boolean => /[?？]["'”’)\]]*$/u.test(sentence)

const decided = new RegExp(
  [
    String.raw`\b(?:decided|agreed|chose|chosen|settled on|made up (?:my|our) minds?|signed off on)\b`,
    String.raw`\b(?:we|i|let's|let us|we'll|i'll)\s+(?:will\s+|are\s+|am\s+)?(?:go|going|went|stick|sticking)\s+with\b`,
    String.raw`^\W*(?:decision|agreed|resolved|conclusion)\s*:`,
    String.raw`\b(?:is|are|was)\s+(?:the|our)\s+decision\b`
  ].join("|"),
  "iu"
)

const undone = new RegExp(
  [
    String.raw`\b(?:todo|tbd|to-do|follow[- ]?ups?|open (?:question|item|issue|point)s?|next steps?|outstanding|unresolved)\b`,
    String.raw`\b(?:still|yet|later|tomorrow|next)\b.*\b(?:need|needs|have|has|must|should|remains?|want|wants)\s+to\b`,
    String.raw`\b(?:need|needs|have|has|must|should|remains?|want|wants)\s+to\b.*\b(?:still|yet|later|tomorrow|next)\b`,
    String.raw`\b(?:still|yet) (?:need|needs|have|has|remains?|to be|open|missing|unclear|undecided|not)\b`,
    String.raw`\b(?:is|are|was|were|has|have|had|do|does|did)(?:n't| not)\b.*\byet\b`
  ].join("|"),
  "iu"
)
