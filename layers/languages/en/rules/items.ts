import type { Value } from "../values/Value.js"
import { english } from "./english.js"
import { type Entry, lexicon } from "./lexicon.js"
import { type Item, tokenize } from "./tokens.js"

/**
 * Reads a text into items. A phrase becomes one item; dates and numbers become scalars. `saidAt`: the time of the
 * statement, for "tomorrow".
 */
export const itemsOf = (text: string, saidAt: number): ReadonlyArray<Item> =>
  withContext(joinPhrases(tokenize(expanded(text), maxItems, saidAt)))

const expanded = (text: string): string => {
  if (!/['’]|annot/.test(text)) return text
  return english.contractions.reduce((result, [from, to]) => result.replace(from, to), text)
}

const maxItems = 400

/** Joins phrases of the lexicon into one item, the longest first. */
const joinPhrases = (items: ReadonlyArray<Item>): ReadonlyArray<Item> => {
  const result: Array<Item> = []
  for (let index = 0; index < items.length; ) {
    const item = items[index]!
    let itemCount = 1
    let entry: Entry | undefined
    if (item.mark === undefined && item.scalar === undefined) {
      const furthest = Math.min(lexicon.longest.get(item.canon) ?? 1, items.length - index)
      if (furthest === 1) entry = lexicon.entries.get(item.canon)
      for (let length = furthest; length > (furthest === 1 ? 1 : 0); length--) {
        const keys: Array<string> = []
        for (let next = index; next < index + length && items[next]!.mark === undefined; next++)
          keys.push(items[next]!.canon)
        if (keys.length < length) continue
        entry = lexicon.entries.get(keys.join(" "))
        if (entry === undefined) continue
        itemCount = length
        break
      }
    }
    if (entry === undefined) result.push(item)
    else {
      const last = items[index + itemCount - 1]!
      result.push({
        canon: entry.canon,
        form:
          itemCount === 1
            ? item.form
            : items
                .slice(index, index + itemCount)
                .map(({ form }) => form)
                .join(" "),
        entry,
        ...(item.name === true && !ordinary(entry) ? { name: true } : {}),
        ...(item.capital === true ? { capital: true } : {}),
        ...(last.possessive === true ? { possessive: true } : {})
      })
    }
    index += itemCount
  }
  return result
}

/** True if a capitalised word is still an ordinary word, not a name. */
const ordinary = (entry: Entry): boolean => entry.kinds === undefined || entry.verb === true

/**
 * Adds to each amount the information from the words around it: a bound, the noun that is counted, the word before it.
 */
const withContext = (items: ReadonlyArray<Item>): ReadonlyArray<Item> => {
  const result: Array<Item> = []
  for (const [index, item] of items.entries()) {
    const amount = item.entry?.number
    const value: Value | undefined =
      item.scalar ?? (amount === undefined ? undefined : { kind: "quantity", form: item.form, amount, unit: "" })
    if (value?.kind !== "quantity" || value.unit === "th") {
      result.push(item)
      continue
    }
    const before = result.at(-1)
    if (before?.canon === week && before.scalar === undefined && value.unit === "") {
      result.push({ ...item, scalar: { kind: "day", form: item.form, week: value.amount! } })
      continue
    }
    const head = headOf(result)
    result.push({
      ...item,
      scalar: {
        ...value,
        ...(before?.entry?.cue === "about" ? { isApproximate: true } : {}),
        ...boundOf(result),
        ...(value.unit === "" ? { unit: nounAt(items, index + 1) ?? "" } : {}),
        ...(value.unit !== "" || head === undefined ? {} : { head })
      }
    })
  }
  return result
}

/** The bound that the words before a number set: "at least", "at most". */
const boundOf = (before: ReadonlyArray<Item>): Pick<Value, "bound"> => {
  const last = before.at(-1)?.form ?? ""
  const lastTwo = `${before.at(-2)?.form ?? ""} ${last}`
  if (/^(?:over|above|exceeding)$|^at least$|^minimum$/.test(last) || lastTwo === "more than") return { bound: "least" }
  if (/^(?:under|below)$|^at most$|^maximum$|^up to$/.test(last) || /^(?:less|fewer) than$|^up to$/.test(lastTwo))
    return { bound: "most" }
  return {}
}

/** The noun before the number of a calendar week. */
const week = "week"

const headOf = (items: ReadonlyArray<Item>): string | undefined => {
  for (let index = items.length - 1; index >= Math.max(0, items.length - 3); index--) {
    const { canon, entry, mark, scalar } = items[index]!
    if (scalar !== undefined || (mark !== undefined && mark !== ":" && mark !== "=")) return undefined
    if (mark === undefined && entry?.cue !== "about" && entry?.auxiliary !== true && entry?.slot === undefined)
      return canon
  }
  return undefined
}

const nounAt = (items: ReadonlyArray<Item>, index: number): string | undefined => {
  const item = items[index]
  if (item === undefined || item.mark !== undefined || item.scalar !== undefined) return undefined
  const { auxiliary, cue, empty, number, slot } = item.entry ?? {}
  return auxiliary || cue || empty || slot || number !== undefined ? undefined : item.canon
}
