import type { Entry, Lexicon } from "./lexicon.js"
import type { Scalar } from "./scalars.js"

/** A word, a phrase, a number or a mark of a clause. */
export interface Item {
  /** What it is compared by. */
  readonly canon: string
  /** As written, lower-case. */
  readonly form: string
  readonly entry?: Entry
  readonly scalar?: Scalar
  /** Punctuation that parts a clause. */
  readonly mark?: string
  /** A name, or an identifier: tells one thing from another. */
  readonly name?: boolean
  readonly capital?: boolean
  readonly possessive?: boolean
}

const pattern =
  /(?<iso>\d{4}-\d\d-\d\d)(?:T[\d:.]+Z?)?(?![\d-])|(?<clock>\d{1,2}:\d\d)(?::\d\d)?(?:\s?(?<half>[ap])\.?m\b\.?)?|(?<hour>\d{1,2})\s?(?<halfOfHour>[ap])\.?m\b\.?|(?<quarter>\bQ[1-4]\b)|(?<version>\bv\d+(?:\.\d+)*\b|\b\d+(?:\.\d+){2,}\b)|(?<id>\b(?=[\p{L}-]*\d)\p{L}[\p{L}\p{N}]*(?:[-_]\p{L}*\d[\p{L}\p{N}]*|[-_][\p{L}\p{N}]+)*\b|#\d+)|(?<sign>[$€£])?(?<number>\d{1,3}(?:,\d{3})+(?:\.\d+)?|\d+(?:\.\d+)?)(?<scale>k|bn|M)?(?<ordinal>st|nd|rd|th)?(?<unit>\s?[%°]C?|[a-zA-Z]{1,3})?(?![\p{L}\p{N}])|(?<word>[\p{L}\p{M}\p{N}]+(?:[-'’+#._/@][\p{L}\p{M}\p{N}]+)*(?:\+\+|#)?)(?<own>['’]s?(?!\p{L}))?|(?<arrow>->|→|=>)|(?<mark>[.?!;:=(),"“”\n|/]|\s[-–—]\s)/gu

/** Reads a text into items: phrases as one, dates and numbers as what they mean. `at`: the day that "tomorrow" is counted from. */
export const itemsOf = (text: string, lexicon: Lexicon, at: number): ReadonlyArray<Item> =>
  dated(phrased(rawItems(expanded(text, lexicon), lexicon), lexicon), at)

const expanded = (text: string, { language }: Lexicon): string => {
  if (!/['’]|annot/.test(text)) return text
  return language.contractions.reduce((said, [from, to]) => said.replace(new RegExp(from.source, "gi"), to), text)
}

const rawItems = (text: string, lexicon: Lexicon): ReadonlyArray<Item> => {
  const items: Array<Item> = []
  for (const match of text.matchAll(pattern)) {
    if (items.length >= mostItems) break
    const { groups } = match as RegExpMatchArray & { groups: Record<string, string | undefined> }
    const form = match[0].toLowerCase()
    const { arrow, clock, half, halfOfHour, hour, id, iso, mark, number, quarter, version, word } = groups
    if (mark !== undefined) items.push({ canon: "", form, mark: mark.trim() === "" ? "\n" : mark.trim() })
    else if (arrow !== undefined) items.push({ canon: "", form, mark: ">" })
    else if (iso !== undefined) items.push(of(form, dayOfIso(iso)))
    else if (clock !== undefined) {
      const [hours, minutes] = clock.split(":").map(Number) as [number, number]
      items.push(of(form, { kind: "clock", amount: onClock(hours, half) + minutes }))
    } else if (hour !== undefined) items.push(of(form, { kind: "clock", amount: onClock(Number(hour), halfOfHour) }))
    else if (quarter !== undefined) items.push(of(form, { kind: "day", quarter: Number(quarter[1]) }))
    else if (version !== undefined) items.push(of(form, { kind: "version", parts: form.replace("v", "").split(".") }))
    else if (id !== undefined) items.push({ canon: form, form, name: true })
    else if (number !== undefined) items.push(...numberItems(groups, lexicon))
    else if (word !== undefined) items.push(...wordItems(word, groups.own !== undefined, lexicon))
  }
  return items
}
const mostItems = 400

const of = (form: string, scalar: Scalar): Item => ({ canon: form, form, scalar })
const onClock = (hours: number, half: string | undefined): number =>
  (half === undefined ? hours : (hours % 12) + (half.toLowerCase() === "p" ? 12 : 0)) * 60
const dayOfIso = (iso: string): Scalar => {
  const [year, month, day] = iso.split("-").map(Number) as [number, number, number]
  return { kind: "day", year, month, day }
}

const scales: Readonly<Record<string, number>> = { k: 1e3, M: 1e6, bn: 1e9 }

const numberItems = (groups: Record<string, string | undefined>, { entries, key }: Lexicon): ReadonlyArray<Item> => {
  const amount = Number(groups.number!.replaceAll(",", "")) * (scales[groups.scale ?? ""] ?? 1)
  const form = groups.number!
  if (groups.ordinal !== undefined)
    return [{ canon: `${form}th`, form: `${form}th`, name: true, scalar: { kind: "quantity", amount, unit: "th" } }]
  const sign = groups.sign ?? groups.unit?.trim()
  const unit = sign === undefined ? undefined : entries.get(key(sign.toLowerCase()))
  if (unit?.dimension !== undefined)
    return [of(form, { kind: "quantity", amount: amount * unit.size!, unit: unit.dimension })]
  const bare = of(form, {
    kind: "quantity",
    amount,
    unit: "",
    ...(sign === undefined ? { parts: form.split(".") } : {})
  })
  return groups.unit === undefined
    ? [bare]
    : [bare, { canon: groups.unit.toLowerCase(), form: groups.unit.toLowerCase() }]
}

/** A compound that the language does not know is its parts: db_port, front-line. */
const wordItems = (word: string, possessive: boolean, lexicon: Lexicon): ReadonlyArray<Item> => {
  const lower = fold(word)
  const known = lexicon.entries.has(lexicon.key(lower))
  const parts = known ? [word] : word.split(/[-'’._/@]|(?<=\p{Ll}{3})(?=\p{Lu})/u).filter((part) => part !== "")
  return parts.map((part, index) => {
    const form = fold(part)
    const last = index === parts.length - 1
    return {
      canon: lexicon.key(form),
      form,
      ...(/^\p{Lu}/u.test(part) ? { name: true, capital: true } : {}),
      ...(possessive && last ? { possessive } : {})
    }
  })
}

const fold = (word: string): string => {
  const lower = word.toLowerCase()
  // biome-ignore lint/suspicious/noControlCharactersInRegex: the whole of ASCII is meant.
  return /^[\x00-\x7f]*$/.test(lower)
    ? lower
    : lower
        .normalize("NFKD")
        .replace(/[\u0300-\u036f]/g, "")
        .replaceAll("ß", "ss")
}

/** Phrases of the language as one item, the longest first. */
const phrased = (items: ReadonlyArray<Item>, { entries, longest }: Lexicon): ReadonlyArray<Item> => {
  const found: Array<Item> = []
  for (let at = 0; at < items.length; ) {
    const item = items[at]!
    let taken = 1
    let entry: Entry | undefined
    if (item.mark === undefined && item.scalar === undefined) {
      for (let length = Math.min(longest.get(item.canon) ?? 1, items.length - at); length > 0; length--) {
        const keys: Array<string> = []
        for (let next = at; next < at + length && items[next]!.mark === undefined; next++) keys.push(items[next]!.canon)
        if (keys.length < length) continue
        entry = entries.get(keys.join(" "))
        if (entry === undefined) continue
        taken = length
        break
      }
    }
    if (entry === undefined) found.push(item)
    else {
      const last = items[at + taken - 1]!
      found.push({
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
  return found
}

/** A word of the language that a capital does not make a name. */
const ordinary = (entry: Entry): boolean => entry.kinds === undefined || entry.verb === true

/** Days of several items as one; numbers with what they count. */
const dated = (items: ReadonlyArray<Item>, at: number): ReadonlyArray<Item> => {
  const found: Array<Item> = []
  for (let index = 0; index < items.length; index++) {
    const item = items[index]!
    const day = dayFrom(items, index, at)
    if (day !== undefined) {
      found.push(of(item.form, day.scalar))
      index += day.taken - 1
      continue
    }
    const scalar =
      item.scalar ??
      (item.entry?.number === undefined
        ? undefined
        : { kind: "quantity" as const, amount: item.entry.number, unit: "" })
    if (scalar?.kind !== "quantity") {
      found.push(item)
      continue
    }
    const unit = items[index + 1]?.entry
    const before = found.at(-1)
    const about = before?.entry?.cue === "about" ? { about: true } : {}
    const head = headOf(found)
    if (scalar.unit === "" && unit?.dimension !== undefined) {
      found.push(of(item.form, { ...scalar, ...about, amount: scalar.amount! * unit.size!, unit: unit.dimension }))
      index++
    } else {
      const counted = scalar.unit === "" ? nounAt(items, index + 1) : undefined
      found.push({
        ...item,
        scalar: { ...scalar, ...about, unit: counted ?? scalar.unit!, ...(head === undefined ? {} : { head }) }
      })
    }
  }
  return found
}

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

/** A day written in up to four items: March 5, 5 March 2025, March 2025, Friday, tomorrow, 2025. */
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
  const dayAt = (place: number) => small(items[place], 1, 31)
  const yearAt = (place: number) => small(items[items[place]?.mark === "," ? place + 1 : place], 1900, 2100)
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
  const year = small(item, 1900, 2100)
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

const small = (item: Item | undefined, least: number, most: number): number | undefined => {
  const amount = item?.scalar?.kind === "quantity" ? item.scalar.amount : undefined
  return amount !== undefined && Number.isInteger(amount) && amount >= least && amount <= most ? amount : undefined
}
