import { ownText } from "../../../../text/normalise/ownText.js"
import { stemOf } from "../../../../text/normalise/stem.js"
import { valuesIn } from "../values/readValues.js"
import { matchAt, type Value } from "../values/Value.js"
import { type Entry, lexicon } from "./lexicon.js"

/** A word, a phrase, a number or a mark. */
export interface Item {
  /** The canonical form, for comparison. */
  readonly canon: string
  /** The text in lower case. */
  readonly form: string
  readonly entry?: Entry
  readonly scalar?: Value
  /** Punctuation. */
  readonly mark?: string
  /** A name or an identifier. */
  readonly name?: boolean
  readonly capital?: boolean
  readonly possessive?: boolean
}

/**
 * The first `maxItems` words, values and marks of a text; other characters are skipped. `saidAt`: the time of the
 * statement, for "tomorrow".
 */
export const tokenize = (text: string, maxItems: number, saidAt: number): ReadonlyArray<Item> => {
  const items: Array<Item> = []
  const values = valuesIn(text, saidAt)
  let next = 0
  for (let index = 0; index < text.length && items.length < maxItems; ) {
    while (next < values.length && values[next]!.index < index) next++
    const found = values[next]
    if (found?.index === index) {
      items.push(valueItem(found.value))
      index = found.end
      continue
    }
    const kind = kindAt(text, index)
    if (kind === "blank") index++
    else if (kind === "number") index = takeNumber(text, index, items)
    else if (kind === "word") index = takeWord(text, index, items)
    else index = takeMark(text, index, items)
  }
  return items
}

/** Makes an item from a value. An ordinal is also a name. */
const valueItem = (value: Value): Item =>
  value.unit === "th"
    ? { canon: `${value.amount}th`, form: `${value.amount}th`, name: true, scalar: value }
    : { canon: value.form, form: value.form, scalar: value }

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

const lettersAndDigits = /[\p{L}\p{N}]+|#\d+/uy

const takeNumber = (text: string, index: number, items: Array<Item>): number => {
  // "4d1357" and "3rdparty" are names.
  const rest = (matchAt(lettersAndDigits, text, index)?.[0] ?? text[index]!).toLowerCase()
  items.push({ canon: rest, form: rest, name: true })
  return index + rest.length
}

const word = /[\p{L}\p{M}\p{N}]+(?:[-'’+#._/@][\p{L}\p{M}\p{N}]+)*(?:\+\+|#)?/uy
const hasDigit = /\d/
const possessiveEnd = /['’]s?(?!\p{L})/uy

const takeWord = (text: string, index: number, items: Array<Item>): number => {
  const matched = matchAt(word, text, index)?.[0]
  if (matched === undefined) return index + 1
  const end = index + matched.length
  if (hasDigit.test(matched)) {
    const form = matched.toLowerCase()
    items.push({ canon: form, form, name: true })
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

/** Cache of words. */
const wordCache = new Map<string, ReadonlyArray<Item>>()
const maxCachedWords = 8_000

const wordItems = (word: string, possessive: boolean): ReadonlyArray<Item> => {
  const id = possessive ? `${word}'` : word
  const cached = wordCache.get(id)
  if (cached !== undefined) return cached
  const items = readWord(ownText(word), possessive)
  if (wordCache.size >= maxCachedWords) wordCache.clear()
  wordCache.set(ownText(id), items)
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
