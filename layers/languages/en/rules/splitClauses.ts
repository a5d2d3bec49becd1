import type { Clause } from "./Clause.js"
import { findVerbIndex, pastForms } from "./pivot.js"
import { clauseOf } from "./readClause.js"
import type { Item } from "./tokens.js"

/** The first `maxClauses` clauses of a text. */
export const clausesOf = (items: ReadonlyArray<Item>, maxClauses: number): ReadonlyArray<Clause> => {
  const clauses: Array<Clause> = []
  for (const part of splitItems(items)) {
    if (clauses.length >= maxClauses) break
    const clause = clauseOf(part)
    if (clause.words.size + clause.scalars.length > 0) clauses.push(clause)
  }
  return clauses
}

/** Splits at sentence ends, dashes and "but", and at a comma or "and" if a new clause follows. */
const splitItems = (items: ReadonlyArray<Item>): ReadonlyArray<ReadonlyArray<Item>> => {
  const parts: Array<Array<Item>> = [[]]
  for (const [index, item] of items.entries()) {
    const ends =
      item.mark !== undefined &&
      items[index - 1]?.entry?.abbreviation !== true &&
      /^(?:[.!?;\n]|[-–—])$/.test(item.mark)
    const joins = item.entry?.joins === true && index > 1 && continuesWithVerb(items, index + 1)
    if (
      ends ||
      joins ||
      (item.form === "but" && index > 0) ||
      (item.mark === "," && index > 2 && beginsClause(items, index + 1))
    ) {
      if (item.mark === "?") parts.at(-1)!.push(item)
      parts.push([])
    } else parts.at(-1)!.push(item)
  }
  return parts.filter((part) => part.length > 0)
}

const beginsClause = (items: ReadonlyArray<Item>, from: number): boolean => {
  if (items[from]?.entry?.joins === true) return beginsClause(items, from + 1)
  const first = items[from]
  if (first === undefined || first.mark !== undefined || first.entry?.slot !== undefined) return false
  const lookahead = items.slice(from, from + 6)
  const end = lookahead.findIndex(({ mark }) => mark !== undefined)
  const verb = findVerbIndex(end === -1 ? lookahead : lookahead.slice(0, end))
  return verb > 0 && (end === -1 || verb < end)
}

/** True if a verb with the same subject follows: "and joined a choir", "and now lives in Rome". */
const continuesWithVerb = (items: ReadonlyArray<Item>, from: number): boolean => {
  const next = items[from]
  const verb = next?.entry?.cue === "changed" && next.entry.verb === undefined ? (items[from + 1] ?? next) : next
  if (verb?.entry === undefined || verb.entry.slot !== undefined) return false
  if (verb.entry.auxiliary === true) return verb.canon !== "hav" || next !== verb
  return verb.entry.verb === true && (/(?:[^s]s|ed)$/.test(verb.form) || pastForms.test(verb.form))
}
