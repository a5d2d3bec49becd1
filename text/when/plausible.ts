import { functionWords, isStopWord, setOf } from "../normalise/functionWords.js"
import { lazy } from "../normalise/lazy.js"
import type { TimeExpression } from "./expression.js"

// "May", "Sun", "Friday" and "2024" are times only if their context supports it. Otherwise they are names, verbs or
// numbers.

/** Matches the text between two items of a list. */
export const listSeparator = /^\s*(?:,|&|,?\s*(?:and|or))\s*(?:the\s+)?$/i

/** Keeps the expressions that are times and not part of a larger word. */
export const plausibleExpressions = (
  text: string,
  expressions: ReadonlyArray<TimeExpression>
): ReadonlyArray<TimeExpression> => {
  const supported = expressions.reduce<Array<TimeExpression>>((results, expression) => {
    const left = results.at(-1)
    const isListed =
      left !== undefined &&
      !left.weak &&
      left.kind === expression.kind &&
      listSeparator.test(text.slice(left.end, expression.index))
    results.push(
      expression.weak && (isListed || hasSupport(text, expression)) ? { ...expression, weak: false } : expression
    )
    return results
  }, [])
  return supported.filter(
    (expression) => !expression.weak && expression.hours === undefined && standsAlone(text, expression)
  )
}

/** Words before an expression that show that the expression is a time. */
const supports: { readonly [kind in TimeExpression["kind"]]?: RegExp } = {
  day: /\b(?:on|of|from|for|around)\s+$/i,
  month: /\b(?:in|during|of|throughout|around|circa|through|from)\s+$/i,
  year: /\b(?:in|during|of|throughout|around|circa|from|for|by|year|anno)\s+$/i,
  weekday: /\b(?:on|of|from|for)\s+$/i,
  feast: /\b(?:at|on|over|for|during|around|of|in)\s+$/i,
  season: /\b(?:in|during|over|throughout|through)\s+$/i,
  span: /\b(?:on|over|at|during|in|of|from|throughout)\s+(?:(?:early|mid|late)\s+)?$/i
}

const hasSupport = (text: string, { end, index, kind }: TimeExpression): boolean => {
  const word = text.slice(index, end)
  const before = text.slice(Math.max(0, index - 40), index)
  const after = text.slice(end)
  // "the week" alone may be any week. "the weekend" is the most recent weekend, and "1990s" is a decade.
  if (kind === "span" && !/weekend|\ds$/i.test(word)) return false
  // Not a season: "in the fall of Rome", "in Spring Boot".
  if (kind === "season" && (/^\s+of\b/i.test(after) || (/^spring/i.test(word) && /^\s+(?:\p{Lu}|boot\b)/u.test(after))))
    return false
  // In "in the May release", May is the month.
  if (kind === "month" && /^\p{Lu}/u.test(word) && /\b(?:in|during|of|from|for)\s+the\s+$/i.test(before)) return true
  if (kind === "day" && endsClause(after)) return true
  if (kind !== "weekday") return supports[kind]?.test(before) === true
  // A weekday at the end of a clause is a time: "what did Ada say Monday?". "Sun" is not, because it is also the star.
  if (/day$/i.test(word))
    return endsClause(after) ? !/(?:^|\b(?:a|an)\s+)$/i.test(before) : supports.weekday!.test(before)
  return /\bon\s+$/i.test(before) && (endsClause(after) || !/^\s+\p{Lu}/u.test(after))
}

/**
 * Whether the expression is a single time (not "every Monday"), and not part of an identifier, a path, an address or an
 * amount.
 */
const standsAlone = (text: string, { end, index }: TimeExpression): boolean => {
  const before = text.slice(Math.max(0, index - 24), index)
  const after = text.slice(end, end + 3)
  if (/\b(?:every|each|any|per|most|some|other|another|an?)\s+(?:(?:other|second|third|fourth)\s+)?$/i.test(before))
    return false
  if (
    /\b(?:version|ver|port|room|code|page|line|isbn|phone|tel|fax|id|number|no)\.?:?\s*$/i.test(before) &&
    /^\d/.test(text[index]!)
  )
    return false
  if (han().test(text[index]!) || han().test(text[end - 1]!)) return true
  return !/(?:(?!\p{Script=Han})[\p{L}\p{N}]|[-_./\\@#=+:~$€£&])$/u.test(before) && !joinedAfter().test(after)
}

const endsClause = (after: string): boolean => /^\s*(?:$|[?!.,;)])/.test(after)

/**
 * Returns true if a number before this text counts nothing. In "at 3 sites" and "on the 3rd floor", the number counts
 * the noun that follows.
 */
export const endsPhrase = (after: string): boolean => {
  const word = /^\s+(\p{L}[\p{L}'’]*)/u.exec(after)?.[1]
  if (word === undefined) return /^\s*(?:$|[^\s\p{L}\p{N}%°€$£])/u.test(after)
  return (isStopWord(word) && !quantifiers.has(word.toLowerCase())) || timeWord.test(word)
}

const quantifiers = setOf(functionWords.quantifiers)
const timeWord = /^(?:yesterday|today|tomorrow|tonight|last|next|till|since|\w+day|morning|afternoon|evening|night)$/i

const han = lazy(() => /\p{Script=Han}/u)
const joinedAfter = lazy(() => /^(?:(?!\p{Script=Han})[\p{L}\p{N}_]|[-./\\@#=+:~&][\p{L}\p{N}_]|[%°\\@#=~])/u)
