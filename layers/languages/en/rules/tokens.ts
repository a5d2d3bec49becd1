import { stemOf } from "../../../../text/normalise/stem.js"
import { type Entry, lexicon } from "./lexicon.js"
import type { Scalar } from "./scalars.js"

/** A word, a phrase, a number or a mark. */
export interface Item {
  /** The canonical form, for comparison. */
  readonly canon: string
  /** The text in lower case. */
  readonly form: string
  readonly entry?: Entry
  readonly scalar?: Scalar
  /** Punctuation. */
  readonly mark?: string
  /** A name or an identifier. */
  readonly name?: boolean
  readonly capital?: boolean
  readonly possessive?: boolean
}

/** The first `maxItems` words, numbers and marks of a text; other characters are skipped. */
export const tokens = (text: string, maxItems: number): ReadonlyArray<Item> => {
  const items: Array<Item> = []
  for (let index = 0; index < text.length && items.length < maxItems; ) {
    const kind = kindAt(text, index)
    if (kind === "blank") index++
    else if (kind === "number") index = takeNumber(text, index, items)
    else if (kind === "word") index = takeWord(text, index, items)
    else index = takeMark(text, index, items)
  }
  return items
}

const kindAt = (text: string, index: number): "blank" | "number" | "word" | "mark" => {
  const code = text.charCodeAt(index)
  if (code === 32 || code === 9 || code === 13) return "blank"
  if (code >= 48 && code <= 57) return "number"
  if ((code >= 97 && code <= 122) || (code >= 65 && code <= 90)) return "word"
  if (signs.includes(text[index]!)) return isDigit(text, index + 1) ? "number" : "mark"
  return code > 127 && letter.test(text.slice(index, index + 2)) ? "word" : "mark"
}
const signs = "$€£#"
const isDigit = (text: string, index: number): boolean => {
  const code = text.charCodeAt(index)
  return code >= 48 && code <= 57
}
const letter = /^[\p{L}\p{M}\p{N}]/u

const matchAt = (pattern: RegExp, text: string, index: number): RegExpExecArray | null => {
  pattern.lastIndex = index
  return pattern.exec(text)
}

const dateOrTime =
  /(\d{4}-\d\d-\d\d)(?:T[\d:.]+Z?)?(?![\d-])|(\d{1,2}:\d\d)(?::\d\d)?(?:\s?([ap])\.?m\b\.?)?|(\d{1,2})\s?([ap])\.?m\b\.?|(\d+(?:\.\d+){2,})(?![\p{L}\p{N}])|(#\d+)/iuy
const number =
  /(?<sign>[$€£])?(?<number>\d{1,3}(?:[, \u00a0\u202f]\d{3})+(?!\d)(?:\.\d+)?|\d+(?:\.\d+)?)(?<scale>k|bn|M)?(?<ordinal>st|nd|rd|th)?(?<unit>\s?(?:[%°]C?|[€$£])|[a-zA-Z]{1,3})?(?![\p{L}\p{N}])/uy
const lettersAndDigits = /[\p{L}\p{N}]+/uy

const takeNumber = (text: string, index: number, items: Array<Item>): number => {
  const dated = matchAt(dateOrTime, text, index)
  if (dated !== null) {
    const [whole, iso, clock, half, hour, halfOfHour, version] = dated
    const form = whole.toLowerCase()
    if (iso !== undefined) items.push(scalarItem(form, dayOfIso(iso)))
    else if (clock !== undefined) {
      const [hours, minutes] = clock.split(":").map(Number) as [number, number]
      items.push(scalarItem(form, { kind: "clock", amount: onClock(hours, half) + minutes }))
    } else if (hour !== undefined)
      items.push(scalarItem(form, { kind: "clock", amount: onClock(Number(hour), halfOfHour) }))
    else if (version !== undefined) items.push(scalarItem(form, { kind: "version", parts: form.split(".") }))
    else items.push({ canon: form, form, name: true })
    return index + whole.length
  }
  const match = matchAt(number, text, index)
  if (match !== null) {
    items.push(...numberItems(match.groups!))
    return index + match[0].length
  }
  // "4d1357" and "3rdparty" are names.
  const rest = (matchAt(lettersAndDigits, text, index)?.[0] ?? text[index]!).toLowerCase()
  items.push({ canon: rest, form: rest, name: true })
  return index + rest.length
}

const word = /[\p{L}\p{M}\p{N}]+(?:[-'’+#._/@][\p{L}\p{M}\p{N}]+)*(?:\+\+|#)?/uy
const hasDigit = /\d/
const quarter = /^Q[1-4]$/
const version = /^v\d+(?:\.\d+)*$/
const possessiveEnd = /['’]s?(?!\p{L})/uy

const takeWord = (text: string, index: number, items: Array<Item>): number => {
  const matched = matchAt(word, text, index)?.[0]
  if (matched === undefined) return index + 1
  const end = index + matched.length
  if (hasDigit.test(matched)) {
    const form = matched.toLowerCase()
    if (quarter.test(matched)) items.push(scalarItem(form, { kind: "day", quarter: Number(matched[1]) }))
    else if (version.test(form)) items.push(scalarItem(form, { kind: "version", parts: form.slice(1).split(".") }))
    else items.push({ canon: form, form, name: true })
    return end
  }
  const possessive = /['’]s$/i.test(matched)
  const after = matchAt(possessiveEnd, text, end)
  items.push(...wordItems(possessive ? matched.slice(0, -2) : matched, possessive || after !== null))
  return end + (after?.[0].length ?? 0)
}

const marks = '.?!;:=(),"“”|/\n。？！；：，'
const fullWidthMarks: Readonly<Record<string, string>> = {
  "。": ".",
  "？": "?",
  "！": "!",
  "；": ";",
  "：": ":",
  "，": ","
}

const takeMark = (text: string, index: number, items: Array<Item>): number => {
  const mark = text[index]!
  const twoCharacters = text.slice(index, index + 2)
  const arrow = twoCharacters === "->" || twoCharacters === "=>"
  if (arrow || mark === "→") items.push({ canon: "", form: mark, mark: ">" })
  else if (mark === "–" || mark === "—" || (mark === "-" && text[index - 1] === " " && text[index + 1] === " "))
    items.push({ canon: "", form: mark, mark: "-" })
  else if (marks.includes(mark)) items.push({ canon: "", form: mark, mark: fullWidthMarks[mark] ?? mark })
  return index + (arrow ? 2 : 1)
}

/** Makes an item from a scalar. */
export const scalarItem = (form: string, scalar: Scalar): Item => ({ canon: form, form, scalar })
const onClock = (hours: number, half: string | undefined): number =>
  (half === undefined ? hours : (hours % 12) + (half.toLowerCase() === "p" ? 12 : 0)) * 60
const dayOfIso = (iso: string): Scalar => {
  const [year, month, day] = iso.split("-").map(Number) as [number, number, number]
  return { kind: "day", year, month, day }
}

const scales: Readonly<Record<string, number>> = { k: 1e3, M: 1e6, bn: 1e9 }

const numberItems = (groups: Record<string, string | undefined>): ReadonlyArray<Item> => {
  const amount = Number(groups.number!.replace(/[, \u00a0\u202f]/g, "")) * (scales[groups.scale ?? ""] ?? 1)
  const form = groups.number!
  if (groups.ordinal !== undefined)
    return [{ canon: `${form}th`, form: `${form}th`, name: true, scalar: { kind: "quantity", amount, unit: "th" } }]
  const sign = groups.sign ?? groups.unit?.trim()
  const unit = sign === undefined ? undefined : lexicon.entries.get(stemOf(sign.toLowerCase()))
  if (unit?.dimension !== undefined)
    return [scalarItem(form, { kind: "quantity", amount: amount * unit.size!, unit: unit.dimension })]
  const plainNumber = scalarItem(form, {
    kind: "quantity",
    amount,
    unit: "",
    ...(sign === undefined ? { parts: form.split(".") } : {})
  })
  return groups.unit === undefined
    ? [plainNumber]
    : [plainNumber, { canon: groups.unit.toLowerCase(), form: groups.unit.toLowerCase() }]
}

/** Cache of words. */
const wordCache = new Map<string, ReadonlyArray<Item>>()
const maxCachedWords = 8_000

const wordItems = (word: string, possessive: boolean): ReadonlyArray<Item> => {
  const id = possessive ? `${word}'` : word
  const items = wordCache.get(id) ?? readWord(word, possessive)
  if (wordCache.size >= maxCachedWords) wordCache.clear()
  wordCache.set(id, items)
  return items
}

/** Splits a compound that is not in the lexicon: db_port, front-line. */
const readWord = (word: string, possessive: boolean): ReadonlyArray<Item> => {
  const lower = fold(word)
  const isKnown = lexicon.entries.has(stemOf(lower))
  const parts = isKnown ? [word] : word.split(/[-'’._/@]|(?<=\p{Ll}{3})(?=\p{Lu})/u).filter((part) => part !== "")
  return parts.map((part, index) => {
    const form = fold(part)
    const last = index === parts.length - 1
    return {
      canon: stemOf(form),
      form,
      ...(/^\p{Lu}/u.test(part) ? { name: true, capital: true } : {}),
      ...(possessive && last ? { possessive } : {})
    }
  })
}

const fold = (word: string): string => {
  const lower = word.toLowerCase()
  // biome-ignore lint/suspicious/noControlCharactersInRegex: the pattern matches all of ASCII.
  return /^[\x00-\x7f]*$/.test(lower)
    ? lower
    : lower
        .normalize("NFKD")
        .replace(/[\u0300-\u036f]/g, "")
        .replaceAll("ß", "ss")
}
