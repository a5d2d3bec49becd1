import { bounds } from "../../text/normalise/bounds.js"
import { telephonePattern } from "../../text/normalise/forms.js"
import { isStopWord } from "../../text/normalise/functionWords.js"
import { countWords, ftsExpression, isLongPhrase, prefixExpression } from "../../text/normalise/indexText.js"
import { lazy } from "../../text/normalise/lazy.js"
import { limits } from "../model/limits.js"
import { type Field, type FieldRule, type ParsedQuery, type QuerySyntax, type Word, wordSyntax } from "./querySyntax.js"

/** A term that must match, or several alternatives of which one must match: `title:harbour OR title:pier`. */
interface Group {
  text: string
  expression: string
  readonly offset: number
  /** Whether the term consists of quoted words only. */
  phrase: boolean
}

type Terms = ReadonlyArray<Word> | Group
const areWords = (terms: Terms): terms is ReadonlyArray<Word> => Array.isArray(terms)

/** The state of the parser between two words of the query. */
interface Parser {
  readonly syntax: QuerySyntax
  readonly must: Array<Group>
  readonly should: Array<Word>
  readonly not: Array<string>
  readonly excluded: Array<string>
  readonly needles: Array<string>
  readonly fields: Array<Field>
  readonly hints: Array<string>
  plainText: string
  /** True if AND (`required`), NOT (`negated`) or OR (`alternative`) precedes the next term. */
  required: boolean
  negated: boolean
  alternative: boolean
  /** Whether the previous term is a field. */
  afterField: boolean
  /** Words of the expressions so far. */
  words: number
  /** The previous term, if AND or OR can refer to it: alternatives already joined by OR, or a required term. */
  last: Terms | undefined
}

/**
 * Words are alternatives: the more of them match, the better. `"quoted words"`, `title:word` (one column), `+word` and
 * `this AND that` must match; `-word` and `NOT word` must not. `harb*` is a prefix. `type:decision` filters, and
 * `-type:decision` excludes.
 *
 * In a sentence, quoted words are alternatives too, because a sentence asks for more than it quotes. A text is a
 * sentence if it has stop words or ends with a question mark, and also has other words. `OR` next to a phrase or a
 * column makes alternatives of which one must match. Wrong syntax is read as words, with a hint. The text is cut to 1
 * KiB and 32 terms.
 */
export const parseQuery = (text: string, syntax: QuerySyntax = wordSyntax): ParsedQuery => {
  const query = bounded(text)
  const parser: Parser = {
    syntax,
    ...{ must: [], should: [], not: [], excluded: [], needles: [], fields: [], hints: [], words: 0 },
    plainText: query,
    ...noOperator,
    afterField: false
  }
  const { fields, hints, must, not, should } = parser
  if (query.length < text.trimEnd().length)
    hints.push(`only the first ${limits.queryBytes} bytes of the query are read`)
  for (const { 0: token, index: offset } of query.matchAll(tokens())) {
    const isFull = must.length + should.length + not.length + fields.length >= limits.queryTerms
    if (isFull || parser.words >= limits.queryWords) {
      hints.push(`only the first ${isFull ? `${limits.queryTerms} terms` : `${limits.queryWords} words`} are searched`)
      break
    }
    if (token === "AND" || token === "OR" || token === "NOT") readOperator(parser, token, offset)
    else readTerm(parser, token, offset)
  }
  if ((query.match(/"/g)?.length ?? 0) % 2 === 1) hints.push("a quotation mark is not closed; read as words")
  if (/(?:^|\s)(?:AND|OR|NOT)\s*$/u.test(query)) hints.push("nothing follows the last AND, OR or NOT")
  if (/(?:^|\s)(?:AND|OR|NOT)\s/u.test(query) && /(?:^|[\s+-])\(|\)(?:\s|$)/u.test(query))
    hints.push("parentheses are ignored: AND and NOT apply only to the next word")
  return must.length > 0 || should.length > 0 ? withTerms(parser, query) : withoutTerms(parser, query)
}

const noOperator = { required: false, negated: false, alternative: false, last: undefined }

const blank = (parser: Parser, offset: number, length: number) => {
  parser.plainText = parser.plainText.slice(0, offset) + " ".repeat(length) + parser.plainText.slice(offset + length)
}

const readOperator = (parser: Parser, operator: "AND" | "OR" | "NOT", offset: number) => {
  const { last, must, should } = parser
  blank(parser, offset, operator.length)
  if (operator === "NOT") parser.negated = true
  else if (operator === "OR") parser.alternative = last !== undefined
  else {
    if (last !== undefined && areWords(last)) must.push(groupOf(should, last.slice(-1)))
    else if (last !== undefined) last.phrase = false
    parser.last = undefined
    parser.required = must.length > 0 || parser.afterField
  }
}

const readTerm = (parser: Parser, token: string, offset: number) => {
  const { columns, fields: knownFields } = parser.syntax
  // The plus sign of a telephone number belongs to the number.
  const isPhone = /\s/u.test(token) && !token.includes('"')
  const [, sign = "", name, rest = ""] = isPhone ? [token, "", undefined, token] : parts.exec(token)!
  const field = name?.slice(0, -1).toLowerCase()
  const value = unquoted(rest)
  const excludes = sign === "-" || parser.negated
  const required = sign === "+" || parser.required
  const alternativeTo = parser.alternative ? parser.last : undefined
  Object.assign(parser, noOperator, { afterField: false })

  const filter = field === undefined || !Object.hasOwn(knownFields, field) ? undefined : knownFields[field]
  if (filter !== undefined && readField(parser, { name: field!, value, excludes, token, offset }, filter)) return
  const isNamed = field !== undefined && columns.includes(field)
  const column = isNamed && value.trim() !== "" ? field : undefined
  if (isNamed && column === undefined) parser.hints.push(`${token}: has no value; read as words`)
  if (filter === undefined && !isNamed && looksLikeField().test(token)) {
    const names = [...columns, ...Object.keys(knownFields)].join(", ")
    parser.hints.push(`${field}: is not a field (fields: ${names}); read as words`)
  }
  const phrase = name === undefined && /^".*"$/s.test(rest)
  // An invalid field is read as two words, its name and its value, unless the field excludes rows.
  const wrongField =
    column === undefined && !excludes && value.trim() !== "" && (filter !== undefined || looksLikeField().test(token))
  if (column !== undefined) blank(parser, offset, token.length - rest.length)
  const bodies = wrongField ? [field!, value] : [column !== undefined || phrase ? value : `${name ?? ""}${value}`]
  for (const body of bodies) {
    const match = prefixExpression(body) ?? ftsExpression(body)
    if (match === null) continue
    parser.words += countWords(match)
    if (isLongPhrase(body)) parser.hints.push(`only the first ${bounds.phraseWords} words of a phrase are compared`)
    const start = offset + Math.max(0, token.indexOf(body))
    const term =
      column === undefined
        ? { text: body, expression: match, offset: start, phrase }
        : { text: `${column}:${body}`, expression: `${column} : ${match}`, offset: start, phrase }
    if (excludes) {
      parser.not.push(term.expression)
      parser.excluded.push(body)
      blank(parser, offset, token.length)
      continue
    }
    parser.needles.push(body)
    if (required && filter === undefined) parser.must.push({ ...term, phrase: false })
    else addTerm(parser, term, column !== undefined || phrase, alternativeTo)
  }
}

type FieldToken = Omit<Field, "excluded"> & { excludes: boolean; token: string; offset: number }

/**
 * Reads a field. Returns true if the field needs no further reading: it is valid, or it is invalid and excludes rows.
 */
const readField = (parser: Parser, { excludes, name, offset, token, value }: FieldToken, filter: FieldRule) => {
  const problem =
    value.trim() === "" ? "has no value (write it right after the colon)" : filter.problem?.(value, excludes)
  if (problem === undefined) {
    parser.fields.push(excludes ? { name, value, excluded: true } : { name, value })
    parser.afterField = !excludes
  } else parser.hints.push(`${token}: ${problem}; ${excludes ? "left out" : "read as words"}`)
  if (problem !== undefined && !excludes) return false
  blank(parser, offset, token.length)
  return true
}

const addTerm = (parser: Parser, term: Group, mustMatch: boolean, alternativeTo: Terms | undefined) => {
  const { must, should } = parser
  if (alternativeTo !== undefined && (mustMatch || !areWords(alternativeTo))) {
    parser.last = joinAlternatives(parser, alternativeTo, mustMatch ? term : { ...term, phrase: true })
  } else if (mustMatch) {
    must.push(term)
    parser.last = term
  } else {
    const word = { text: term.text, offset: term.offset, expression: term.expression, isDroppable: true }
    should.push(word)
    parser.last = [...(alternativeTo ?? []), word]
  }
}

/** Joins terms into alternatives: one of them must match. */
const joinAlternatives = ({ must, should }: Parser, before: Terms, term: Group): Group => {
  const group = areWords(before) ? { ...groupOf(should, before), phrase: term.phrase } : before
  if (group !== before) must.push(group)
  group.text += ` OR ${term.text}`
  group.expression += ` OR ${term.expression}`
  group.phrase &&= term.phrase
  return group
}

/** Moves words from the optional ones into a group: now one of them must match. */
const groupOf = (should: Array<Word>, words: ReadonlyArray<Word>): Group => {
  for (const word of words) should.splice(should.indexOf(word), 1)
  const join = (field: "text" | "expression") => words.map((word) => word[field]).join(" OR ")
  return { text: join("text"), expression: join("expression"), offset: words[0]!.offset, phrase: false }
}

const withTerms = ({ must, should, ...parser }: Parser, query: string): ParsedQuery => {
  const { excluded, fields, hints, needles, not, plainText } = parser
  const stopWords = should.filter(({ text }) => isStopWord(text)).length
  const isSentence = stopWords < should.length && (stopWords > 0 || /[?？؟]\s*$/u.test(query))
  const isQuotation = ({ phrase }: Group) => isSentence && phrase
  const quotations = must
    .filter(isQuotation)
    .map(({ offset, expression, text }) => ({ text, offset, expression, isDroppable: false }))
  const required = must.filter((group) => !isQuotation(group))
  return {
    ...{ excluded, fields, hints, needles, not, plainText },
    must: required.map(({ expression }) => inBrackets(expression)),
    should: [...should, ...quotations].sort((a, b) => a.offset - b.offset),
    required: required.map(({ text }) => text)
  }
}

const withoutTerms = ({ excluded, fields, hints, not, plainText }: Parser, query: string): ParsedQuery => {
  // If the text has only signs such as "→" or "&&", they are searched as written.
  const signs = plainText.replace(/["+*-]/gu, "").trim() === "" ? [] : [plainText.trim()]
  // Exclusions alone would leave nothing to search, so they are read as words. With a field, they exclude some rows.
  if (not.length > 0 && signs.length + fields.length === 0) {
    hints.push("the query has only exclusions; read as words")
    let offset = 0
    const words = not.map((expression, index) => {
      const text = excluded[index]!
      const word = { text, offset, expression, isDroppable: true }
      offset += text.length + 1
      return word
    })
    const none = { must: [], not: [], required: [], excluded: [] }
    return { ...none, fields, hints, should: words, needles: excluded, plainText: excluded.join(" ") }
  }
  if (signs.length === 0 && query.trim() !== "" && fields.length === 0 && not.length === 0)
    hints.push("the query has no words to search; the newest rows are shown")
  return { excluded, fields, hints, not, plainText, must: [], should: [], required: [], needles: signs }
}

const inBrackets = (expression: string): string => (/ OR /.test(expression) ? `(${expression})` : expression)

/** Quoted words, a telephone number with its spaces, or a word. */
const tokens = lazy(
  () => new RegExp(`[+-]?(?:[a-z]+:)?"[^"]*"|(?<!\\S)(?:${telephonePattern().source})(?!\\S)|\\S+`, "giu")
)
const parts = /^([+-]?)([a-z]+:)?(.*)$/isu
/** A word before a colon that looks like a field, and not like a URL, time, path or emoticon. */
const looksLikeField = lazy(() => /^[+-]?[a-z]{2,}:(?![/\\:])["\p{L}\p{N}]/iu)

const unquoted = (text: string): string => (/^".*"$/s.test(text) ? text.slice(1, -1) : text)

/** Cuts a text to `limits.queryBytes`, and replaces typographic quotation marks with `"`. */
const bounded = (text: string): string =>
  Buffer.from(text.slice(0, limits.queryBytes).replace(/[\p{Surrogate}\0]/gu, " "))
    .subarray(0, limits.queryBytes)
    .toString("utf8")
    .replace(/\ufffd$/u, "")
    .replace(/[“”„‟]/gu, '"')
