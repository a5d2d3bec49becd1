import { telephone } from "../projections/forms.js"
import { textColumns } from "../projections/fulltext.js"
import { expression } from "../projections/text.js"
import { joined } from "./compounds.js"
import { limits } from "./limits.js"

/** A query's text, taken apart. Any text is a query: what is no syntax is words. */
export interface ParsedQuery {
  /** FTS5 expressions: all must match, any may match, none may match. */
  readonly must: ReadonlyArray<string>
  readonly should: ReadonlyArray<Word>
  readonly not: ReadonlyArray<string>
  /** The words themselves, for substring search. */
  readonly needles: ReadonlyArray<string>
  /** Further alternatives: neighbouring words as one, for what was written so ("rate limit", "ratelimit"). */
  readonly joined?: ReadonlyArray<string>
}

export interface Word {
  /** As it was written. */
  readonly text: string
  readonly expression: string
  /** A word alone may be left out where it is too common; a phrase or a field's word never. */
  readonly droppable: boolean
}

/**
 * Words are alternatives, the more of them the better. `"quoted words"` are a
 * phrase, `+word` and `this AND that` must match, `-word` and `NOT word` must
 * not, `title:word` looks in one field (title, narrative, facts, tags, people).
 * Cut to 1 KiB and 32 terms.
 */
export const parse = (text: string): ParsedQuery => {
  const must: Array<string> = []
  const should: Array<Word> = []
  const not: Array<string> = []
  const needles: Array<string> = []
  let required = false
  let excluded = false
  let lastPlain: Word | undefined
  for (const token of bounded(text).match(tokens) ?? []) {
    if (must.length + should.length + not.length >= limits.queryTerms) break
    if (token === "AND") {
      if (lastPlain !== undefined) {
        should.splice(should.indexOf(lastPlain), 1)
        must.push(lastPlain.expression)
        lastPlain = undefined
      }
      required = must.length > 0
      continue
    }
    if (token === "OR") continue
    if (token === "NOT") {
      excluded = true
      continue
    }
    // The plus of a telephone number is part of it.
    const [, sign, field, phrase] =
      /\s/u.test(token) && !token.includes('"') ? [token, "", undefined, token] : parts.exec(token)!
    const quoted = /^".*"$/s.test(phrase!)
    const body = quoted ? phrase!.slice(1, -1) : phrase!
    const found = expression(body)
    if (found === null) continue
    const word = field === undefined ? found : `${field.slice(0, -1).toLowerCase()} : ${found}`
    lastPlain = undefined
    if (sign === "-" || excluded) not.push(word)
    else {
      needles.push(body)
      if (sign === "+" || required) must.push(word)
      else {
        lastPlain = { text: body, expression: word, droppable: !quoted && field === undefined }
        should.push(lastPlain)
      }
    }
    required = false
    excluded = false
  }
  // Exclusions alone leave nothing to look for: they are taken as words.
  if (must.length === 0 && should.length === 0) {
    return {
      must,
      should: not.map((expression) => ({ text: expression, expression, droppable: true })),
      not: [],
      needles: [bounded(text).trim()]
    }
  }
  return { must, should, not, needles, joined: joined(should) }
}

/** One FTS5 expression for the whole; null where there is nothing to look for. */
export const matchOf = ({ joined = [], must, not, should }: Omit<ParsedQuery, "needles">): string | null => {
  const any = [...should.map((word) => word.expression), ...joined].join(" OR ")
  const all = must.join(" AND ")
  // What must match stands among the alternatives too: it holds for every row, and bm25 counts all of them.
  const wanted = must.length === 0 ? any : any === "" ? all : `(${all}) AND (${must[0]} OR ${any})`
  if (wanted === "") return null
  return not.length === 0 ? wanted : `(${wanted}) NOT (${not.join(" OR ")})`
}

/** What to match, and what rows that vectors bring up must match and must not, each null where it is nothing. */
export const expressionsOf = (query: Omit<ParsedQuery, "needles">) => ({
  match: matchOf(query),
  within: query.must.length === 0 ? null : query.must.join(" AND "),
  without: query.not.length === 0 ? null : query.not.join(" OR ")
})

const fields = Object.keys(textColumns).join("|")
/** Quoted words, a telephone number with its spaces, a word. */
const tokens = new RegExp(`[+-]?(?:[a-z]+:)?"[^"]*"|(?<!\\S)(?:${telephone.source})(?!\\S)|\\S+`, "giu")
const parts = new RegExp(`^([+-]?)((?:${fields}):)?(.+)$`, "isu")

const bounded = (text: string): string =>
  Buffer.from(text.slice(0, limits.queryBytes).replace(/[\p{Surrogate}\0]/gu, " "))
    .subarray(0, limits.queryBytes)
    .toString("utf8")
    .replace(/\ufffd$/u, "")
