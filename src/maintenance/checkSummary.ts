import { sentencesOf } from "../../text/normalise/sentences.js"
import { limits } from "../model/limits.js"
import type { Statement, StatementReaderService } from "../ports/StatementReader.js"
import type { Line, SummarizerError, Summary, SummaryRequest, SummarySource } from "../ports/Summarizer.js"

/** Why a summary was refused. */
export type SummaryProblem = Pick<SummarizerError, "reason" | "detail">

/**
 * Checks that a summary says exactly what its sources say. Returns the problem, or undefined if there is none.
 * - Each line, or each of its pieces, is contained in one statement of a source that the line names: with the same
 *   numbers, dates and names in the same order, and with the same negations.
 * - Each title and fact of the sources is contained in one line. Each number, date and name in the source texts occurs
 *   in some line; for a conversation, only the facts are checked.
 *
 * A correct paraphrase is refused as well. The text written by rules then replaces the summary, so nothing is lost.
 */
export const findSummaryProblem = (
  request: SummaryRequest,
  { lines }: Summary,
  countTokens: (text: string) => number,
  reader: StatementReaderService
): SummaryProblem | undefined => {
  if (lines.some(isTooLong) || lines.filter(({ part }) => part === "fact").length > limits.facts) {
    return { reason: "size" }
  }
  const tokens = countTokens(lines.map(({ text }) => text).join("\n"))
  if (tokens > request.budget) return { reason: "cost", detail: `${tokens} tokens, but the limit is ${request.budget}` }
  const sources = request.sources.map((source) => contentOf(source, reader))
  const isInvented = (line: Line): boolean => {
    const contents = line.sources.map((index) => sources[index]!)
    return !isSupported(line.text, contents, reader)
  }
  const invented = lines.filter(isInvented).length
  if (invented > 0) return { reason: "invented", detail: `in ${invented} of ${lines.length} lines` }
  const dropped = countDropped(request, lines, reader)
  return dropped === 0 ? undefined : { reason: "dropped", detail: `${dropped} statements` }
}

const isTooLong = ({ part, text }: Line): boolean => {
  const max = part === "title" ? limits.title : part === "narrative" ? limits.narrative : limits.fact
  return text.trim() === "" || text.length > max
}

/** The content of a source. */
interface Content {
  /** The unchanged texts of its title and its facts. */
  readonly verbatim: ReadonlySet<string>
  /** The sentences. They are kept separate, because a line must not combine words of two sentences. */
  readonly statements: ReadonlyArray<Statement>
  /** Words of its title, speaker and day, which apply to every sentence. Negations and limits are excluded. */
  readonly context: ReadonlySet<string>
}

const contentOf = (
  { at: index, facts, speaker = "", text = "", title = "" }: SummarySource,
  { statementOf }: StatementReaderService
): Content => {
  const day = Number.isNaN(new Date(index).getTime()) ? "" : new Date(index).toISOString().slice(0, 10)
  const contextWords = statementOf(`${title}\n${speaker}\n${day}`)
  return {
    verbatim: new Set([title, ...facts].map((line) => line.trim())),
    statements: [title, ...facts, text].flatMap(sentencesOf).map(statementOf),
    context: new Set([...contextWords.words].filter((word) => !contextWords.turning.has(word)))
  }
}

/**
 * Returns true if one statement of the sources contains a text, or if statements about the same subject contain its
 * pieces. `subject` is a word that the statement must also contain: the subject of the text from which a piece was cut.
 */
const isSupported = (
  text: string,
  sources: ReadonlyArray<Content>,
  reader: StatementReaderService,
  subject?: string
): boolean => {
  const claim = reader.statementOf(text)
  const isContained = sources.some(
    ({ context, statements, verbatim }) =>
      (subject === undefined && verbatim.has(text.trim())) ||
      statements.some((statement) => supports(statement, context, claim, subject))
  )
  if (isContained) return true
  const pieces = reader.piecesOf(text)
  if (pieces.length === 1) return false
  const [lead = subject] = [...namesOf(claim), ...claim.words]
  return pieces.every((piece, index) => {
    const names = namesOf(reader.statementOf(piece))
    return isSupported(piece, sources, reader, index === 0 || names.length > 0 ? subject : lead)
  })
}

const supports = (
  source: Statement,
  context: ReadonlySet<string>,
  claim: Statement,
  subject: string | undefined
): boolean => {
  const says = (word: string) => source.words.has(word) || context.has(word)
  if (subject !== undefined && !says(subject)) return false
  for (const word of claim.words) if (!says(word)) return false
  for (const word of source.turning) if (!claim.turning.has(word)) return false
  return inOrder(claim, source)
}

const isNumber = (word: string): boolean => /\p{N}/u.test(word)

const namesOf = ({ telling }: Statement): ReadonlyArray<string> => telling.filter((word) => !isNumber(word))

/**
 * Returns true if two statements have their shared names in the same order, and their shared numbers too. The order
 * shows who does what to whom.
 */
const inOrder = (a: Statement, b: Statement): boolean =>
  [true, false].every((numbers) => {
    const places = a.telling.flatMap((word) =>
      isNumber(word) === numbers && b.telling.includes(word) ? [b.telling.indexOf(word)] : []
    )
    return places.every((position, index) => index === 0 || position > places[index - 1]!)
  })

/** Counts the statements of the sources that no line contains. */
const countDropped = (
  { kind, sources }: SummaryRequest,
  lines: ReadonlyArray<Line>,
  { statementOf }: StatementReaderService
): number => {
  const title = lines.find(({ part }) => part === "title")?.text ?? ""
  const texts = lines.flatMap(({ text }) => [text, ...sentencesOf(text)])
  const claims = texts.map(statementOf)
  const context = statementOf(title).words
  const words = new Set(claims.flatMap((claim) => [...claim.words]))
  const isSaid = (text: string) => {
    const statement = statementOf(text)
    return claims.some(
      (claim) =>
        [...statement.words].every(
          (word) => claim.words.has(word) || (context.has(word) && !statement.turning.has(word))
        ) && inOrder(statement, claim)
    )
  }
  return sources
    .map(({ facts, text = "", title = "" }) => {
      const statements = [title, ...facts].filter((line) => line !== "" && !isSaid(line))
      const missing = kind === "session" ? [] : statementOf(text).telling.filter((word) => !words.has(word))
      return statements.length + missing.length
    })
    .reduce((sum, count) => sum + count, 0)
}
