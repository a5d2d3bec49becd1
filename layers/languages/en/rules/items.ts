import type { Entry, Lexicon } from "./lexicon.js"
import type { Scalar } from "./scalars.js"
import { type Item, scalarItem, tokens } from "./tokens.js"

/** Reads a text into items. Phrases become one item; dates and numbers become scalars. `at`: the time of the statement, for "tomorrow". */
export const itemsOf = (text: string, lexicon: Lexicon, at: number): ReadonlyArray<Item> =>
  dated(uncalendared(phrased(tokens(expanded(text, lexicon), lexicon, mostItems), lexicon), lexicon), at)

const expanded = (text: string, { language }: Lexicon): string => {
  if (!/['’]|annot/.test(text)) return text
  return language.contractions.reduce((said, [from, to]) => said.replace(from, to), text)
}

const mostItems = 400

/** Removes the calendar entry of words that only share the stem of a day or a month. */
const uncalendared = (items: ReadonlyArray<Item>, { calendar }: Lexicon): ReadonlyArray<Item> =>
  items.map((item) => {
    const { entry, form } = item
    if (entry?.weekday === undefined && entry?.month === undefined) return item
    if (calendar.has(form) || calendar.has(form.replace(/s$/, ""))) return item
    const { entry: _, ...rest } = item
    return { ...rest, canon: form }
  })

/** Joins phrases of the lexicon into one item, the longest first. */
const phrased = (items: ReadonlyArray<Item>, { entries, longest }: Lexicon): ReadonlyArray<Item> => {
  const result: Array<Item> = []
  for (let at = 0; at < items.length; ) {
    const item = items[at]!
    let taken = 1
    let entry: Entry | undefined
    if (item.mark === undefined && item.scalar === undefined) {
      const furthest = Math.min(longest.get(item.canon) ?? 1, items.length - at)
      if (furthest === 1) entry = entries.get(item.canon)
      for (let length = furthest; length > (furthest === 1 ? 1 : 0); length--) {
        const keys: Array<string> = []
        for (let next = at; next < at + length && items[next]!.mark === undefined; next++) keys.push(items[next]!.canon)
        if (keys.length < length) continue
        entry = entries.get(keys.join(" "))
        if (entry === undefined) continue
        taken = length
        break
      }
    }
    if (entry === undefined) result.push(item)
    else {
      const last = items[at + taken - 1]!
      result.push({
        canon: entry.canon,
        form:
          taken === 1
            ? item.form
            : items
                .slice(at, at + taken)
                .map(({ form }) => form)
                .join(" "),
        entry,
        ...(item.name === true && !ordinary(entry) ? { name: true } : {}),
        ...(item.capital === true ? { capital: true } : {}),
        ...(last.possessive === true ? { possessive: true } : {})
      })
    }
    at += taken
  }
  return result
}

/** Whether a word stays ordinary when it is capitalised. */
const ordinary = (entry: Entry): boolean => entry.kinds === undefined || entry.verb === true

/** Joins the items of a day or a time into one, and numbers with their unit or noun. */
const dated = (items: ReadonlyArray<Item>, at: number): ReadonlyArray<Item> => {
  const result: Array<Item> = []
  for (let index = 0; index < items.length; index++) {
    const item = items[index]!
    const day = dayFrom(items, index, at)
    if (day !== undefined) {
      result.push(scalarItem(item.form, day.scalar))
      index += day.taken - 1
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
    // "two dozen", "three hundred", "half an hour".
    const times = scalar.unit === "" ? items[index + 1]?.entry?.number : undefined
    const many = times !== undefined && times >= 12 && !/teen$|ty$/.test(items[index + 1]!.form) ? times : 1
    if (many > 1) index++
    if (item.form === "half" && /^an?$/.test(items[index + 1]?.form ?? "")) index++
    const unit = items[index + 1]?.entry
    const before = result.at(-1)
    const about = { ...(before?.entry?.cue === "about" ? { about: true } : {}), ...boundOf(result) }
    const head = headOf(result)
    // "Week 32" is a day, not an amount.
    if (before?.canon === week && before.scalar === undefined && scalar.unit === "" && unit?.dimension === undefined) {
      result.push(scalarItem(item.form, { kind: "day", week: scalar.amount! }))
      continue
    }
    if (scalar.unit === "" && unit?.dimension !== undefined) {
      result.push(
        scalarItem(item.form, { ...scalar, ...about, amount: scalar.amount! * many * unit.size!, unit: unit.dimension })
      )
      index++
    } else {
      const counted = scalar.unit === "" ? nounAt(items, index + 1) : undefined
      result.push({
        ...item,
        scalar: {
          ...scalar,
          ...about,
          amount: scalar.amount! * many,
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
  const two = `${before.at(-2)?.form ?? ""} ${last}`
  if (/^(?:over|above|exceeding)$|^at least$|^minimum$/.test(last) || two === "more than") return { bound: "least" }
  if (/^(?:under|below)$|^at most$|^maximum$|^up to$/.test(last) || /^(?:less|fewer) than$|^up to$/.test(two))
    return { bound: "most" }
  return {}
}

/** A noun before a number that numbers a calendar unit. */
const week = "week"

const headOf = (items: ReadonlyArray<Item>): string | undefined => {
  for (let at = items.length - 1; at >= Math.max(0, items.length - 3); at--) {
    const { canon, entry, mark, scalar } = items[at]!
    if (scalar !== undefined || (mark !== undefined && mark !== ":" && mark !== "=")) return undefined
    if (mark === undefined && entry?.cue !== "about" && entry?.auxiliary !== true && entry?.slot === undefined)
      return canon
  }
  return undefined
}

const nounAt = (items: ReadonlyArray<Item>, at: number): string | undefined => {
  const item = items[at]
  if (item === undefined || item.mark !== undefined || item.scalar !== undefined) return undefined
  const { auxiliary, cue, empty, number, slot } = item.entry ?? {}
  return auxiliary || cue || empty || slot || number !== undefined ? undefined : item.canon
}

/** Reads a day from the next items: March 5, 5 March 2025, March 2025, Friday, tomorrow, 2025. */
const dayFrom = (
  items: ReadonlyArray<Item>,
  index: number,
  at: number
): { readonly scalar: Scalar; readonly taken: number } | undefined => {
  const item = items[index]!
  const sure = item.capital === true || item.form.length > 3
  if (item.entry?.weekday !== undefined && sure)
    return { scalar: { kind: "day", weekday: item.entry.weekday }, taken: 1 }
  if (item.entry?.day !== undefined && Number.isFinite(at)) {
    const day = new Date(at + item.entry.day * 86_400_000)
    if (Number.isNaN(day.getTime())) return undefined
    return {
      scalar: { kind: "day", year: day.getUTCFullYear(), month: day.getUTCMonth() + 1, day: day.getUTCDate() },
      taken: 1
    }
  }
  const month = (place: number) => {
    const named = items[place]
    return named?.entry?.cue !== "maybe" || named.capital === true ? named?.entry?.month : undefined
  }
  const dayAt = (place: number) => integerBetween(items[place], 1, 31)
  const yearAt = (place: number) => integerBetween(items[items[place]?.mark === "," ? place + 1 : place], 1900, 2100)
  const until = (place: number) => place + (items[place]?.mark === "," ? 2 : 1) - index
  const make = (month: number, day: number | undefined, place: number) => {
    const year = yearAt(place)
    const scalar: Scalar = {
      kind: "day",
      month,
      ...(day === undefined ? {} : { day }),
      ...(year === undefined ? {} : { year })
    }
    return { scalar, taken: year === undefined ? place - index : until(place) }
  }
  if (month(index) !== undefined) {
    const day = dayAt(index + 1)
    return make(month(index)!, day, day === undefined ? index + 1 : index + 2)
  }
  const day = dayAt(index)
  if (day !== undefined) {
    const place = items[index + 1]?.form === "of" ? index + 2 : index + 1
    if (month(place) !== undefined) return make(month(place)!, day, place + 1)
  }
  const year = integerBetween(item, 1900, 2100)
  if (year === undefined || item.form.length !== 4) {
    if (item.scalar?.quarter === undefined) return undefined
    const of = yearAt(index + 1)
    return {
      scalar: of === undefined ? item.scalar : { ...item.scalar, year: of },
      taken: of === undefined ? 1 : until(index + 1)
    }
  }
  return nounAt(items, index + 1) !== undefined && items[index + 1]!.entry?.dimension !== undefined
    ? undefined
    : { scalar: { kind: "day", year }, taken: 1 }
}

const integerBetween = (item: Item | undefined, least: number, most: number): number | undefined => {
  const amount = item?.scalar?.kind === "quantity" ? item.scalar.amount : undefined
  return amount !== undefined && Number.isInteger(amount) && amount >= least && amount <= most ? amount : undefined
}
