import { english } from "./english.js"
import { type Entry, lexicon } from "./lexicon.js"
import type { Scalar } from "./scalars.js"
import { type Item, scalarItem, tokens } from "./tokens.js"

/** Reads a text into items. Phrases become one item; dates and numbers become scalars. `saidAt`: the time of the statement, for "tomorrow". */
export const itemsOf = (text: string, saidAt: number): ReadonlyArray<Item> =>
  joinDates(withoutCalendarWords(joinPhrases(tokens(expanded(text), maxItems))), saidAt)

const expanded = (text: string): string => {
  if (!/['’]|annot/.test(text)) return text
  return english.contractions.reduce((result, [from, to]) => result.replace(from, to), text)
}

const maxItems = 400

/** Removes the calendar entry of words that only share the stem of a day or a month. */
const withoutCalendarWords = (items: ReadonlyArray<Item>): ReadonlyArray<Item> =>
  items.map((item) => {
    const { entry, form } = item
    if (entry?.weekday === undefined && entry?.month === undefined) return item
    if (lexicon.calendar.has(form) || lexicon.calendar.has(form.replace(/s$/, ""))) return item
    const { entry: _, ...rest } = item
    return { ...rest, canon: form }
  })

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

/** Whether a capitalised word is still an ordinary word, not a name. */
const ordinary = (entry: Entry): boolean => entry.kinds === undefined || entry.verb === true

/** Joins the items of a day or a time into one, and numbers with their unit or noun. */
const joinDates = (items: ReadonlyArray<Item>, saidAt: number): ReadonlyArray<Item> => {
  const result: Array<Item> = []
  for (let index = 0; index < items.length; index++) {
    const item = items[index]!
    const day = dayFrom(items, index, saidAt)
    if (day !== undefined) {
      result.push(scalarItem(item.form, day.scalar))
      index += day.length - 1
      continue
    }
    const clock = clockFrom(items, index)
    if (clock !== undefined) {
      result.push(scalarItem(item.form, { kind: "clock", amount: clock }))
      index += 2
      continue
    }
    const scalar =
      item.scalar ??
      (item.entry?.number === undefined
        ? undefined
        : { kind: "quantity" as const, amount: item.entry.number, unit: "" })
    if (scalar?.kind !== "quantity") {
      result.push(item)
      continue
    }
    // Multiplies numbers as in "two dozen", "three hundred", "half an hour".
    const times = scalar.unit === "" ? items[index + 1]?.entry?.number : undefined
    const multiplier = times !== undefined && times >= 12 && !/teen$|ty$/.test(items[index + 1]!.form) ? times : 1
    if (multiplier > 1) index++
    if (item.form === "half" && /^an?$/.test(items[index + 1]?.form ?? "")) index++
    const unit = items[index + 1]?.entry
    const before = result.at(-1)
    const approximation = { ...(before?.entry?.cue === "about" ? { isApproximate: true } : {}), ...boundOf(result) }
    const head = headOf(result)
    // "Week 32" is a date, not an amount.
    if (before?.canon === week && before.scalar === undefined && scalar.unit === "" && unit?.dimension === undefined) {
      result.push(scalarItem(item.form, { kind: "day", week: scalar.amount! }))
      continue
    }
    if (scalar.unit === "" && unit?.dimension !== undefined) {
      result.push(
        scalarItem(item.form, {
          ...scalar,
          ...approximation,
          amount: scalar.amount! * multiplier * unit.size!,
          unit: unit.dimension
        })
      )
      index++
    } else {
      const counted = scalar.unit === "" ? nounAt(items, index + 1) : undefined
      result.push({
        ...item,
        scalar: {
          ...scalar,
          ...approximation,
          amount: scalar.amount! * multiplier,
          unit: counted ?? scalar.unit!,
          ...(head === undefined ? {} : { head })
        }
      })
    }
  }
  return result
}

/** Reads "half past seven" and "quarter to nine", as minutes since midnight. */
const clockFrom = (items: ReadonlyArray<Item>, index: number): number | undefined => {
  const part = parts[items[index]!.form]
  const side = items[index + 1]?.form
  const hour = items[index + 2]?.entry?.number ?? items[index + 2]?.scalar?.amount
  if (part === undefined || hour === undefined || hour > 24) return undefined
  return side === "past" ? 60 * hour + part : side === "to" ? 60 * hour - part : undefined
}
const parts: Readonly<Record<string, number>> = { half: 30, quarter: 15 }

/** The bound that the words before a number set: "at least", "at most". */
const boundOf = (before: ReadonlyArray<Item>): Pick<Scalar, "bound"> => {
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

/** Reads a day from the next items: March 5, 5 March 2025, March 2025, Friday, tomorrow, 2025. */
const dayFrom = (
  items: ReadonlyArray<Item>,
  index: number,
  saidAt: number
): { readonly scalar: Scalar; readonly length: number } | undefined => {
  const item = items[index]!
  const isCertain = item.capital === true || item.form.length > 3
  if (item.entry?.weekday !== undefined && isCertain)
    return { scalar: { kind: "day", weekday: item.entry.weekday }, length: 1 }
  if (item.entry?.day !== undefined && Number.isFinite(saidAt)) {
    const day = new Date(saidAt + item.entry.day * 86_400_000)
    if (Number.isNaN(day.getTime())) return undefined
    return {
      scalar: { kind: "day", year: day.getUTCFullYear(), month: day.getUTCMonth() + 1, day: day.getUTCDate() },
      length: 1
    }
  }
  const month = (position: number) => {
    const monthItem = items[position]
    return monthItem?.entry?.cue !== "maybe" || monthItem.capital === true ? monthItem?.entry?.month : undefined
  }
  const dayAt = (position: number) => integerBetween(items[position], 1, 31)
  const yearAt = (position: number) =>
    integerBetween(items[items[position]?.mark === "," ? position + 1 : position], 1900, 2100)
  const until = (position: number) => position + (items[position]?.mark === "," ? 2 : 1) - index
  const make = (month: number, day: number | undefined, position: number) => {
    const year = yearAt(position)
    const scalar: Scalar = {
      kind: "day",
      month,
      ...(day === undefined ? {} : { day }),
      ...(year === undefined ? {} : { year })
    }
    return { scalar, length: year === undefined ? position - index : until(position) }
  }
  if (month(index) !== undefined) {
    const day = dayAt(index + 1)
    return make(month(index)!, day, day === undefined ? index + 1 : index + 2)
  }
  const day = dayAt(index)
  if (day !== undefined) {
    const position = items[index + 1]?.form === "of" ? index + 2 : index + 1
    if (month(position) !== undefined) return make(month(position)!, day, position + 1)
  }
  const year = integerBetween(item, 1900, 2100)
  if (year === undefined || item.form.length !== 4) {
    if (item.scalar?.quarter === undefined) return undefined
    const yearAfter = yearAt(index + 1)
    return {
      scalar: yearAfter === undefined ? item.scalar : { ...item.scalar, year: yearAfter },
      length: yearAfter === undefined ? 1 : until(index + 1)
    }
  }
  return nounAt(items, index + 1) !== undefined && items[index + 1]!.entry?.dimension !== undefined
    ? undefined
    : { scalar: { kind: "day", year }, length: 1 }
}

const integerBetween = (item: Item | undefined, min: number, max: number): number | undefined => {
  const amount = item?.scalar?.kind === "quantity" ? item.scalar.amount : undefined
  return amount !== undefined && Number.isInteger(amount) && amount >= min && amount <= max ? amount : undefined
}
