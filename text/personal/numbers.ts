import { passesLuhn } from "./checks.js"

/** A number as written: groups of digits and their separators. */
export interface WrittenNumber {
  /** The position of the number's first digit. */
  readonly start: number
  /** All digits. */
  readonly digits: string
  /** The length of each group, at most eight groups. */
  readonly lengths: ReadonlyArray<number>
  /** The separator between group n and n + 1. */
  readonly separators: ReadonlyArray<string>
  /** The end position of each group. */
  readonly ends: ReadonlyArray<number>
}

const isDigit = (code: number): boolean => code >= 48 && code <= 57
/** Whether a character is an ASCII letter, a digit or _. */
export const isWordCharacter = (code: number): boolean =>
  isDigit(code) || code === 95 || (code >= 65 && code <= 90) || (code >= 97 && code <= 122)

/** Maximum number of digits. No personal number is longer. */
const maxDigits = 24

/**
 * Calls `visit` with every number of 7 or more digits, starting at every group of digits that may begin a number. A
 * group inside a word, or after a dot, a dash or a slash, does not begin a number. Each number has at most 24 digits in
 * 8 groups, so the work is linear in the text.
 */
export const forEachNumber = (text: string, visit: (number: WrittenNumber) => void): void => {
  let index = 0
  while (index < text.length) {
    if (!isDigit(text.charCodeAt(index))) {
      index++
      continue
    }
    const before = index === 0 ? 32 : text.charCodeAt(index - 1)
    let end = index + 1
    while (end < text.length && isDigit(text.charCodeAt(end))) end++
    const isInside =
      isWordCharacter(before) ||
      (before >= 45 && before <= 47 && index > 1 && isWordCharacter(text.charCodeAt(index - 2)))
    if (!isInside && end - index <= maxDigits) {
      const number = readNumber(text, index, end)
      if (number !== undefined) {
        visit(number)
        // In a row of figures, "12 15 11 14 …", later groups cannot begin a new number.
        if (isRow(number)) end = number.ends[number.lengths[0]! < 4 ? number.ends.length - 2 : 3]!
      }
    }
    index = end
  }
}

/** Whether the number is a row of figures: six or more groups of the same length. */
const isRow = ({ lengths, separators }: WrittenNumber): boolean =>
  lengths.length >= 6 &&
  lengths.every((length) => length === lengths[0]) &&
  separators.every((separator) => separator === separators[0])

const readNumber = (text: string, start: number, firstGroupEnd: number): WrittenNumber | undefined => {
  let total = firstGroupEnd - start
  let digits = text.slice(start, firstGroupEnd)
  const [lengths, separators, ends]: [Array<number>, Array<string>, Array<number>] = [[total], [], [firstGroupEnd]]
  let end = firstGroupEnd
  while (lengths.length < 8) {
    let next = end
    while (next - end < 3 && isSeparator(text.charCodeAt(next))) next++
    if (next === end) break
    // In +33 (0)6 12, callers from abroad omit the 0 in brackets.
    if (text.startsWith("(0)", next) || text.startsWith("0)", next)) next = text.indexOf(")", next) + 1
    // A group with one digit can only be the first group, the second after a calling code, or the last.
    if (lengths[lengths.length - 1] === 1 && (lengths.length > 2 || (lengths.length === 2 && lengths[0] === 1))) break
    let stop = next
    while (stop - next <= maxDigits && isDigit(text.charCodeAt(stop))) stop++
    // A group that a letter follows directly belongs to something else, as in "12 345 6789abc".
    if (stop === next || total + stop - next > maxDigits || isWordCharacter(text.charCodeAt(stop))) break
    const separator = next - end === 1 ? oneCharacter[text.charCodeAt(end) - 32]! : text.slice(end, next)
    if (next - end > 1 && !validSeparators.has(separator)) break
    separators.push(separator)
    digits += text.slice(next, stop)
    total += stop - next
    lengths.push(stop - next)
    ends.push(stop)
    end = stop
  }
  return total < 7 ? undefined : { start, digits, lengths, separators, ends }
}

/** Whether a character is one of: space . - / ( ) */
const isSeparator = (code: number): boolean => code === 32 || (code >= 45 && code <= 47) || code === 40 || code === 41
const oneCharacter = Array.from({ length: 16 }, (_, index) => String.fromCharCode(32 + index))

const validSeparators = new Set([" (0)", "(0)", ") ", " (", ")-", " - ", " / ", "-(", ")/", ") -"])

/** Whether the number may end after its first `groups` groups. */
export const mayEndAfter = (text: string, number: WrittenNumber, groups: number): boolean => {
  const end = number.ends[groups - 1]!
  const code = text.charCodeAt(end)
  if (isWordCharacter(code)) return false
  return !((code === 46 || code === 44 || code === 45) && isWordCharacter(text.charCodeAt(end + 1)))
}

/**
 * Prefixes and lengths of Visa, Mastercard, American Express, Diners, Discover, JCB, UnionPay, Maestro, Mir, RuPay,
 * Elo.
 */
const ranges: ReadonlyArray<readonly [prefix: RegExp, lengths: ReadonlyArray<number>]> = [
  [/^4/, [13, 16, 19]],
  [/^(?:5[1-5]|222[1-9]|22[3-9]|2[3-6]|27[01]|2720)/, [16]],
  [/^3[47]/, [15]],
  [/^3(?:0[0-5]|095|[68])/, [14, 16]],
  [/^(?:6011|64[4-9]|65)/, [16, 19]],
  [/^35(?:2[89]|[3-8])/, [16, 19]],
  [/^62/, [16, 17, 18, 19]],
  [/^(?:5018|5020|5038|5893|6304|6759|676[1-3])/, [12, 13, 16, 19]],
  [/^220[0-4]/, [16]],
  [/^(?:508[5-9]|60698|607|608|81|82)/, [16]]
]

/** The groups printed on cards: one piece, groups of four, 4-6-5 or 4-6-4. */
const printed = new Set(["4 4 4 4", "4 4 4 4 3", "4 6 5", "4 6 4"])

/**
 * Whether the number begins with a payment card number: an issuer's prefix and length, a valid Luhn check, and groups
 * as printed on cards.
 */
export const beginsWithCardNumber = ({ digits, lengths, separators }: WrittenNumber): boolean => {
  if (digits.length < 12 || /^[0179]/.test(digits)) return false
  if (lengths[0]! < 12 && (lengths[0] !== 4 || (lengths[1] !== 4 && lengths[1] !== 6))) return false
  let total = 0
  for (let groups = 1; groups <= lengths.length; groups++) {
    total += lengths[groups - 1]!
    if (total > 19) return false
    if (total < 12) continue
    const isEven = separators
      .slice(0, groups - 1)
      .every((separator) => separator === separators[0] && /^[ -]$/.test(separator))
    if (!isEven || (groups > 1 && !printed.has(lengths.slice(0, groups).join(" ")))) continue
    const number = digits.slice(0, total)
    if (/^(\d)\1*$/.test(number) || !ranges.some(([prefix, sizes]) => sizes.includes(total) && prefix.test(number)))
      continue
    if (passesLuhn(number)) return true
  }
  return false
}

/** Whether the number begins with a date: 2026-03-14, 14.03.2026. */
export const beginsWithDate = ({ digits, lengths, separators }: WrittenNumber): boolean => {
  const [first, second, third] = lengths
  const separator = separators[0]
  if (separator === undefined || separator === " " || separator !== separators[1]) return false
  if (first === 4 && second! <= 2 && third! <= 2) return /^(?:1[89]|20|21)/.test(digits)
  return first! <= 2 && second! <= 2 && third === 4 && /^(?:1[89]|20|21)/.test(digits.slice(first! + second!))
}
