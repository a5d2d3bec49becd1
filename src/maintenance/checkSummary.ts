import { sentencesOf } from "../../text/normalise/sentences.js"
import { limits } from "../model/limits.js"
import type { Line, SummarizerError, Summary, SummaryRequest, SummarySource } from "../ports/Summarizer.js"
import { piecesOf, type Statement, statementOf } from "./statements.js"

/** What is wrong with a summary. */
export type SummaryProblem = Pick<SummarizerError, "reason" | "detail">

/**
 * Whether a summary says what its sources say, no more and no less, to the word: what each line says stands in one
 * statement of a source that it names, or its pieces do, with the same numbers, dates and names in the same order and
 * nothing turned round; and each title and fact of each source stands in one line, each number, date and name of their
 * texts somewhere (what was said in a conversation may be left out, but not what counts as a fact there). What is meant
 * the same in other words is refused as well: the rule's text is used then, and nothing is lost.
 */
export const problemOf = (
  request: SummaryRequest,
  { lines }: Summary,
  countTokens: (text: string) => number
): SummaryProblem | undefined => {
  if (lines.some(isTooLong) || lines.filter(({ part }) => part === "fact").length > limits.facts) {
    return { reason: "size" }
  }
  const tokens = countTokens(lines.map(({ text }) => text).join("\n"))
  if (tokens > request.budget) return { reason: "cost", detail: `${tokens} tokens of ${request.budget}` }
  const sources = request.sources.map(saidBy)
  const invented = lines.filter(
    (line) =>
      !isBorne(
        line.text,
        line.sources.map((index) => sources[index]!)
      )
  ).length
  if (invented > 0) return { reason: "invented", detail: `${invented} of ${lines.length} lines` }
  const dropped = droppedBy(request, lines)
  return dropped === 0 ? undefined : { reason: "dropped", detail: `${dropped} statements` }
}

const isTooLong = ({ part, text }: Line): boolean => {
  const most = part === "title" ? limits.title : part === "narrative" ? limits.narrative : limits.fact
  return text.trim() === "" || text.length > most
}

/** What a source says. */
interface Said {
  /** Its title and facts as they stand there. */
  readonly wholes: ReadonlySet<string>
  /** Their sentences, each for itself: words of one must not be told of another. */
  readonly statements: ReadonlyArray<Statement>
  /** The words of what all of it is about, those left out that turn something round. */
  readonly context: ReadonlySet<string>
}

const saidBy = ({ at, facts, speaker = "", text = "", title = "" }: SummarySource): Said => {
  const day = Number.isNaN(new Date(at).getTime()) ? "" : new Date(at).toISOString().slice(0, 10)
  const about = statementOf(`${title}\n${speaker}\n${day}`)
  return {
    wholes: new Set([title, ...facts].map((one) => one.trim())),
    statements: [title, ...facts, text].flatMap(sentencesOf).map(statementOf),
    context: new Set([...about.words].filter((word) => !about.turning.has(word)))
  }
}

/** Whether one statement says all of a text, or pieces of it are said by statements on the same subject. */
const isBorne = (text: string, said: ReadonlyArray<Said>, subject?: string): boolean => {
  const stated = statementOf(text)
  const isThere = said.some(
    ({ context, statements, wholes }) =>
      (subject === undefined && wholes.has(text.trim())) ||
      statements.some((one) => bears(one, context, stated, subject))
  )
  if (isThere) return true
  const pieces = piecesOf(text)
  if (pieces.length === 1) return false
  const [lead = subject] = [...namesOf(stated), ...stated.words]
  return pieces.every((piece, at) => {
    const names = namesOf(statementOf(piece))
    return isBorne(piece, said, at === 0 || names.length > 0 ? subject : lead)
  })
}

const bears = (
  own: Statement,
  context: ReadonlySet<string>,
  stated: Statement,
  subject: string | undefined
): boolean => {
  const says = (word: string) => own.words.has(word) || context.has(word)
  if (subject !== undefined && !says(subject)) return false
  for (const word of stated.words) if (!says(word)) return false
  for (const word of own.turning) if (!stated.turning.has(word)) return false
  return inOrder(stated, own)
}

const isNumber = (word: string): boolean => /\p{N}/u.test(word)

const namesOf = ({ telling }: Statement): ReadonlyArray<string> => telling.filter((word) => !isNumber(word))

/** Whether the names that two statements share stand in the same order, and their numbers do: who does what to whom, and whose a number is. */
const inOrder = (one: Statement, other: Statement): boolean =>
  [true, false].every((numbers) => {
    const places = one.telling.flatMap((word) =>
      isNumber(word) === numbers && other.telling.includes(word) ? [other.telling.indexOf(word)] : []
    )
    return places.every((place, at) => at === 0 || place > places[at - 1]!)
  })

/** How many statements of the sources no line says. */
const droppedBy = ({ kind, sources }: SummaryRequest, lines: ReadonlyArray<Line>): number => {
  const title = lines.find(({ part }) => part === "title")?.text ?? ""
  const texts = lines.flatMap(({ text }) => [text, ...sentencesOf(text)])
  const stated = texts.map(statementOf)
  const context = statementOf(title).words
  const words = new Set(stated.flatMap((one) => [...one.words]))
  const isSaid = (text: string) => {
    const wanted = statementOf(text)
    return stated.some(
      (one) =>
        [...wanted.words].every((word) => one.words.has(word) || (context.has(word) && !wanted.turning.has(word))) &&
        inOrder(wanted, one)
    )
  }
  return sources
    .map(({ facts, text = "", title = "" }) => {
      const statements = [title, ...facts].filter((one) => one !== "" && !isSaid(one))
      const missing = kind === "session" ? [] : statementOf(text).telling.filter((word) => !words.has(word))
      return statements.length + missing.length
    })
    .reduce((sum, one) => sum + one, 0)
}
