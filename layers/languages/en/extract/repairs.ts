import { valuesIn } from "../values/readValues.js"
import { keyOf, type PlacedValue } from "../values/Value.js"
import { formatLikeOldValue } from "./corrections.js"
import { repairWords } from "./wordCorrections.js"

// Slips that a speaker repairs at once: "on Friday. Wait, no, Saturday", "two cats, sorry, three".

const hesitation = "(?:(?:oh|ah|er+m?|uh+m?|hm+|well|ugh|and)[\\s,.…]+)*"
const words =
  "(?:(?<=no,? )wait|wait(?=[\\s]*[,.!…–—-]|\\s+(?:no|sorry|actually|i mean)\\b)|no|nope|sorry|scratch that|strike that|correction|hang on|oops|whoops|i mean|i meant|make that|or rather|rather|actually|my mistake|well,? (?:it )?was)"
/** The words between a slip and its repair. */
const cuePattern = new RegExp(
  `[\\s,.;!…(–—-]+${hesitation}(?:${words}[\\s,.!…–—-]+)+(?:(?:it's|its|it is|that's|it'll be|make that|i mean|i meant|actually|now|on|at|the|is|about|for|in|by|to)\\s+)*`,
  "giu"
)
/** Text that may follow a repair. Other words would make the repair a clause of its own. */
const clauseEnd =
  /^(?:\s*$|\s*[.,;:!?)…–—]|\s+(?:since|because|for|from|at|in|on|instead|not|then|now|with|and|but|so|as|of|please|until|till|to)(?!\p{L}))/iu
const name = /^\p{Lu}\p{Ll}[\p{L}-]*/u
const nameAtEnd = /(?<=\p{Ll}[,]?\s)\p{Lu}\p{Ll}[\p{L}-]*$/u

/** Maximum characters between a slip and the words that announce its repair. */
const maxDistance = 60
const maxRepairs = 4

/** Replaces the slips in a text with their repairs. `at`: when the text was said, in milliseconds since the epoch. */
export const applyRepairs = (text: string, at: number): string => {
  let result = text
  for (let count = 0; count < maxRepairs; count++) {
    const repaired = repairOnce(result, at)
    if (repaired === undefined) break
    result = repaired
  }
  return result
}

const repairOnce = (text: string, at: number): string | undefined => {
  let values: ReadonlyArray<PlacedValue> | undefined
  for (const { 0: cue, index: start } of text.matchAll(cuePattern)) {
    const end = start + cue.length
    const before = text.slice(0, start)
    const rest = text.slice(end)
    const [right] = name.exec(rest) ?? []
    const [left] = nameAtEnd.exec(before) ?? []
    values ??= valuesIn(text, at)
    const repaired = repairValue(text, values, { start, end })
    if (repaired !== undefined) return repaired
    const isName =
      right !== undefined && left !== undefined && left !== right && clauseEnd.test(rest.slice(right.length))
    if (isName && !values.some(({ index }) => index === end || index === start - left.length))
      return before.slice(0, -left.length) + right + rest.slice(right.length)
    const reworded = repairWords(text, { start, end })
    if (reworded !== undefined) return reworded
  }
  return undefined
}

const repairValue = (
  text: string,
  values: ReadonlyArray<PlacedValue>,
  { end, start }: { readonly start: number; readonly end: number }
): string | undefined => {
  // The new value may begin with an article, which is also the end of the cue.
  const right = values.find((value) => value.index > start && value.index <= end && value.end > end)
  const left = values.findLast((value) => value.end <= start + 1 && value.value.kind === right?.value.kind)
  if (right === undefined || left === undefined || start - left.end > maxDistance) return undefined
  if (keyOf(left.value) === keyOf(right.value)) return undefined
  const between = text.slice(left.end, Math.max(start, left.end))
  if (between.includes("\n") || text.slice(start, end).includes("\n")) return undefined
  let to = right.end
  for (const next of values)
    if (next.index > to && /^(?: at|,| from| to| on)? (?:the )?$/iu.test(text.slice(to, next.index))) to = next.end
  // "Two cats, sorry, three cats": the result has the noun only once.
  const noun = /^\s+\p{L}+/u.exec(between)?.[0]
  const tail = text.slice(to)
  const repeats = noun !== undefined && tail.toLowerCase().startsWith(noun.toLowerCase())
  if (!repeats && !clauseEnd.test(tail)) return undefined
  const hasOther = values.some(({ index, end: last }) => index >= left.end && last <= start)
  const kept = hasOther && to > right.end ? "" : between.replace(/[\s,.]+$/u, "")
  const denied = new RegExp(`^,?\\s*(?:and )?not (?:on |at |the )*${escaped(text.slice(left.index, left.end))}`, "iu")
  const after = (repeats ? tail.slice(noun.length) : tail).replace(denied, "")
  return (
    text.slice(0, left.index) +
    formatLikeOldValue(right, left, text.slice(right.index, right.end)) +
    text.slice(right.end, to) +
    kept +
    after
  )
}

const escaped = (text: string): string => text.replaceAll(/[\\^$.*+?()[\]{}|]/gu, "\\$&")
