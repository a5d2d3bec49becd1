import { textColumns } from "../../projections/fulltext.js"
import { telephone } from "../../text/normalise/forms.js"
import { isStopWord } from "../../text/normalise/stopWords.js"
import { expression } from "../../text/normalise/text.js"
import { limits } from "../model/limits.js"

/** A query's text, taken apart. Any text is a query: what is no syntax is words. */
export interface ParsedQuery {
  /** FTS5 expressions: all must match, any may match, none may match. */
  readonly must: ReadonlyArray<string>
  readonly should: ReadonlyArray<Word>
  readonly not: ReadonlyArray<string>
  /** Those of them that must and must not match, as they were written. */
  readonly required: ReadonlyArray<string>
  readonly excluded: ReadonlyArray<string>
  /** The words themselves, for substring search. */
  readonly needles: ReadonlyArray<string>
  /** What narrows the search by a field, as it was written. */
  readonly fields: ReadonlyArray<Field>
  /** The text as long as it was, with blanks where fields, operators and exclusions stood: what is asked for, in plain words. */
  readonly plain: string
  /** What looks like syntax and is none, and how it was read instead. */
  readonly hints: ReadonlyArray<string>
  /** Further alternatives: neighbouring words as one, for what was written so ("rate limit", "ratelimit"). */
  readonly joined?: ReadonlyArray<string>
}

export interface Word {
  /** As it was written. */
  readonly text: string
  /** Where it stands in `plain`. */
  readonly at: number
  readonly expression: string
  /** A word may be left out where it is too common; a phrase never. */
  readonly droppable: boolean
}

/** `name:value`, without quotes. */
export interface Field {
  readonly name: string
  readonly value: string
  /** Set where what has it is left out: `-type:task`. */
  readonly excluded?: boolean
}

/** What stands before a colon: columns in which a word is looked for, and fields by which rows are filtered. */
export interface Syntax {
  readonly columns: ReadonlyArray<string>
  readonly fields: Readonly<Record<string, KnownField>>
}

export interface KnownField {
  /** Why a value is none, or cannot be excluded; undefined where it is one. Absent: any text is a value. */
  readonly problem?: (value: string, excluded: boolean) => string | undefined
}

/** The syntax of a text that knows no fields. */
export const wordsOnly: Syntax = { columns: Object.keys(textColumns), fields: {} }

/** What must match, or one of several of them: `title:harbour OR title:pier`. */
interface Group {
  text: string
  expression: string
  readonly at: number
  /** Whether it is quoted words and nothing else. */
  phrase: boolean
}

/**
 * Words are alternatives, the more of them the better. `"quoted words"`,
 * `title:word` (one column), `+word` and `this AND that` must match, `-word` and
 * `NOT word` must not, `harb*` is a beginning, `type:decision` filters and
 * `-type:decision` filters out.
 * In a sentence (it has stop words or a question mark, and words besides) what
 * is quoted is one of the alternatives, for it speaks of more. `OR` beside a
 * phrase or a column makes alternatives of what must match. What looks like
 * syntax and is none is read as words, with a hint. Cut to 1 KiB and 32 terms.
 */
export const parse = (text: string, { columns, fields: known }: Syntax = wordsOnly): ParsedQuery => {
  const must: Array<Group> = []
  const should: Array<Word> = []
  const not: Array<string> = []
  const excluded: Array<string> = []
  const needles: Array<string> = []
  const fields: Array<Field> = []
  const hints: Array<string> = []
  let wanted = false
  let unwanted = false
  let either = false
  let afterField = false
  let last: Word | Group | undefined
  const whole = bounded(text)
  let plain = whole
  const blank = (at: number, length: number) => {
    plain = plain.slice(0, at) + " ".repeat(length) + plain.slice(at + length)
  }
  const require = (term: Group) => {
    must.push(term)
    return term
  }
  /** What this word and the one before it say together: either of them must match. */
  const together = (before: Word | Group, term: Group): Group => {
    if ("droppable" in before) should.splice(should.indexOf(before), 1)
    const group = "droppable" in before ? require({ ...before, phrase: term.phrase }) : before
    group.text += ` OR ${term.text}`
    group.expression += ` OR ${term.expression}`
    group.phrase &&= term.phrase
    return group
  }
  if (whole.length < text.trimEnd().length) hints.push(`only the first ${limits.queryBytes} bytes are looked at`)
  for (const { 0: token, index: at } of whole.matchAll(tokens)) {
    if (must.length + should.length + not.length >= limits.queryTerms) {
      hints.push(`only the first ${limits.queryTerms} terms are looked for`)
      break
    }
    if (token === "AND" || token === "OR" || token === "NOT") {
      blank(at, token.length)
      if (token === "NOT") unwanted = true
      else if (token === "OR") either = last !== undefined
      else {
        if (last !== undefined && "droppable" in last) {
          should.splice(should.indexOf(last), 1)
          require({ ...last, phrase: false })
        } else if (last !== undefined) last.phrase = false
        last = undefined
        wanted = must.length > 0 || afterField
      }
      continue
    }
    // The plus of a telephone number is part of it.
    const number = /\s/u.test(token) && !token.includes('"')
    const [, sign = "", name, rest = ""] = number ? [token, "", undefined, token] : parts.exec(token)!
    const field = name?.slice(0, -1).toLowerCase()
    const value = unquoted(rest)
    const minus = sign === "-" || unwanted
    const filter = field === undefined || !Object.hasOwn(known, field) ? undefined : known[field]
    const before = either ? last : undefined
    const joins = wanted
    last = undefined
    ;[wanted, unwanted, either, afterField] = [false, false, false, false]
    let mistake = false
    if (field !== undefined && filter !== undefined) {
      const problem =
        value.trim() === "" ? "has no value (it stands right behind the colon)" : filter.problem?.(value, minus)
      if (problem === undefined) {
        fields.push(minus ? { name: field, value, excluded: true } : { name: field, value })
        blank(at, token.length)
        afterField = !minus
        continue
      }
      mistake = true
      hints.push(`${token}: ${problem}; ${minus ? "left out" : "read as words"}`)
      if (minus) {
        blank(at, token.length)
        continue
      }
    }
    const named = field !== undefined && columns.includes(field)
    const column = named && value.trim() !== ""
    if (named && !column) hints.push(`${token}: has no value; read as words`)
    if (filter === undefined && !named && likeField.test(token)) {
      const names = [...columns, ...Object.keys(known)].join(", ")
      hints.push(`${field}: is no field (there are ${names}); read as words`)
    }
    const quoted = /^".*"$/s.test(rest)
    const phrase = quoted && name === undefined
    // What was meant for a field and is none: its name and its value are words of their own, but where they exclude.
    const mistaken = !column && !minus && value.trim() !== "" && (mistake || likeField.test(token))
    const bodies = mistaken ? [field!, value] : [column || phrase ? value : `${name ?? ""}${value}`]
    if (column) blank(at, token.length - rest.length)
    for (const body of bodies) {
      const found = beginning(body) ?? expression(body)
      if (found === null) continue
      const start = at + Math.max(0, token.indexOf(body))
      const term = column
        ? { text: `${field}:${body}`, expression: `${field} : ${found}`, at: start, phrase }
        : { text: body, expression: found, at: start, phrase }
      if (minus) {
        not.push(term.expression)
        excluded.push(body)
        blank(at, token.length)
        continue
      }
      needles.push(body)
      if ((sign === "+" || joins) && !mistake) require({ ...term, phrase: false })
      else if (column || phrase) last = before === undefined ? require(term) : together(before, term)
      else if (before !== undefined && !("droppable" in before)) last = together(before, { ...term, phrase: true })
      else {
        last = { text: body, at: start, expression: found, droppable: true }
        should.push(last)
      }
    }
  }
  if ((whole.match(/"/g)?.length ?? 0) % 2 === 1) hints.push('a " is not closed; read as words')
  if (/(?:^|\s)(?:AND|OR|NOT)\s*$/u.test(whole)) hints.push("nothing follows the last AND, OR or NOT")
  if (/(?:^|\s)(?:AND|OR|NOT)\s/u.test(whole) && /(?:^|[\s+-])\(|\)(?:\s|$)/u.test(whole))
    hints.push("( and ) group nothing: AND and NOT hold for the word beside them")
  const common = { excluded, fields, hints, needles, not, plain }
  if (must.length > 0 || should.length > 0) {
    // A sentence quotes what it speaks of, and asks for more than the quotation.
    const quotes = should.some(({ text }) => !isStopWord(text)) && (/[?？؟]\s*$/u.test(whole) || should.some(isStop))
    const [said, musts] = [
      must.filter(({ phrase }) => quotes && phrase),
      must.filter(({ phrase }) => !quotes || !phrase)
    ]
    const phrases = said.map(({ at, expression, text }) => ({ text, at, expression, droppable: false }))
    return {
      ...common,
      must: musts.map(({ expression }) => inBrackets(expression)),
      should: [...should, ...phrases].sort((a, b) => a.at - b.at),
      required: musts.map(({ text }) => text)
    }
  }
  // Signs that stand for nothing else are looked for as they are written: "→", "&&".
  const signs = plain.replace(/["+*-]/gu, "").trim() === "" ? [] : [plain.trim()]
  // Exclusions alone leave nothing to look for: they are taken as words, unless fields say what they are excluded from.
  if (not.length > 0 && signs.length + fields.length === 0) {
    hints.push("there is nothing but exclusions; read as words")
    let at = 0
    const words = not.map((expression, index) => {
      const text = excluded[index]!
      const word = { text, at, expression, droppable: true }
      at += text.length + 1
      return word
    })
    const plain = excluded.join(" ")
    return { ...common, must: [], should: words, not: [], required: [], excluded: [], needles: excluded, plain }
  }
  if (signs.length === 0 && whole.trim() !== "" && fields.length === 0 && not.length === 0)
    hints.push("there is nothing to look for; the newest are shown")
  return { ...common, must: [], should: [], required: [], needles: signs }
}

/** `harb*`: words that begin so, and the word itself however it ends. */
const beginning = (body: string): string | null => {
  const [, start] = /^([\p{L}\p{N}]{3,})\*$/u.exec(body) ?? []
  const whole = start === undefined ? null : expression(start)
  return whole === null ? null : `(${whole} OR "${start}" *)`
}

const isStop = ({ text }: Word) => isStopWord(text)

const inBrackets = (expression: string): string => (/ OR /.test(expression) ? `(${expression})` : expression)

/** What is looked for, with further alternatives: neighbouring words as one. */
type Wanted = Pick<ParsedQuery, "must" | "not" | "should"> & { readonly joined?: ReadonlyArray<string> }

/** One FTS5 expression for the whole; null where there is nothing to look for. */
export const matchOf = ({ joined = [], must, not, should }: Wanted): string | null => {
  const any = [...should.map((word) => word.expression), ...joined].join(" OR ")
  const all = must.join(" AND ")
  // What must match stands among the alternatives too: it holds for every row, and bm25 counts all of them.
  const wanted = must.length === 0 ? any : any === "" ? all : `(${all}) AND (${must[0]} OR ${any})`
  if (wanted === "") return null
  return not.length === 0 ? wanted : `(${wanted}) NOT (${not.join(" OR ")})`
}

/** What to match, and what rows that vectors bring up must match and must not, each null where it is nothing. */
export const expressionsOf = (query: Wanted) => ({
  match: matchOf(query),
  within: query.must.length === 0 ? null : query.must.join(" AND "),
  without: query.not.length === 0 ? null : query.not.join(" OR ")
})

/** Quoted words, a telephone number with its spaces, a word. */
const tokens = new RegExp(`[+-]?(?:[a-z]+:)?"[^"]*"|(?<!\\S)(?:${telephone.source})(?!\\S)|\\S+`, "giu")
const parts = /^([+-]?)([a-z]+:)?(.*)$/isu
/** A word before a colon that is written as a field is, and as no URL, time, path or emoticon is. */
const likeField = /^[+-]?[a-z]{2,}:(?![/\\:])["\p{L}\p{N}]/iu

const unquoted = (text: string): string => (/^".*"$/s.test(text) ? text.slice(1, -1) : text)

/** What is looked at of a text, with the quotation marks that keyboards make of `"` as such. */
const bounded = (text: string): string =>
  Buffer.from(text.slice(0, limits.queryBytes).replace(/[\p{Surrogate}\0]/gu, " "))
    .subarray(0, limits.queryBytes)
    .toString("utf8")
    .replace(/\ufffd$/u, "")
    .replace(/[“”„‟]/gu, '"')
