import { type CueWords, lastCueEnd } from "./cueWords.js"
import { beginsWithDate, mayEndAfter, type WrittenNumber } from "./numbers.js"

/** Calling codes by length, as assigned by the ITU (E.164). */
const codes = new Set(
  (
    "1 7 20 27 30 31 32 33 34 36 39 40 41 43 44 45 46 47 48 49 51 52 53 54 55 56 57 58 60 61 62 63 64 65 66 81 82 84 86 " +
    "90 91 92 93 94 95 98 211 212 213 216 218 220 221 222 223 224 225 226 227 228 229 230 231 232 233 234 235 236 237 " +
    "238 239 240 241 242 243 244 245 246 247 248 249 250 251 252 253 254 255 256 257 258 260 261 262 263 264 265 266 " +
    "267 268 269 290 291 297 298 299 350 351 352 353 354 355 356 357 358 359 370 371 372 373 374 375 376 377 378 380 " +
    "381 382 383 385 386 387 389 420 421 423 500 501 502 503 504 505 506 507 508 509 590 591 592 593 594 595 596 597 " +
    "598 599 670 672 673 674 675 676 677 678 679 680 681 682 683 685 686 687 688 689 690 691 692 800 850 852 853 855 " +
    "856 870 880 886 888 960 961 962 963 964 965 966 967 968 970 971 972 973 974 975 976 977 979 992 993 994 995 996 998"
  ).split(" ")
)

/** Matches the text between a request to call and the number. */
const callConnector =
  /^(?:ed|s|e[rz]?|r|re|able)?(?: (?:me|him|her|us|them|back|[A-Z]\w{1,14}))?(?: (?:at|on|under|unter|au|al|no\.?|number))?[:,]? {0,2}\(?\+?$/
/** Matches the text between the name of a thing and its number. */
const thingConnector =
  /^\p{L}{0,8}(?:[ -]?(?:id|no|nr|num|number|nummer|code|key|№|номер|n[º°]|号))?[.:#=]{0,2} {0,2}["'(]?$/iu

const separatorsWithin = (separators: ReadonlyArray<string>, groups: number): ReadonlyArray<string> =>
  separators.slice(0, groups - 1)

/** Whether a number is written like a phone number, or follows a cue word for one. */
export const isPhone = (text: string, number: WrittenNumber, cues: CueWords): boolean => {
  const { digits, lengths, separators, start } = number
  const prefix = text.slice(Math.max(0, start - 2), start)
  const hasPlus = prefix.endsWith("+") || prefix.endsWith("+(")
  if (hasPlus && isInternational(text, number)) return true
  if (beginsWithDate(number)) return false
  if (lastCueEnd(cues, text, start, { topic: "phone", reach: 24 }) >= 0) return hasPrefixOfLength(text, number, 7, 15)
  const callEnd = lastCueEnd(cues, text, start, { topic: "call", reach: 32 })
  if (callEnd >= 0 && callConnector.test(text.slice(callEnd, start))) return hasPrefixOfLength(text, number, 7, 15)
  const thingEnd = lastCueEnd(cues, text, start, { topic: "thing", reach: 16 })
  if (text[start - 1] === "#" || (thingEnd >= 0 && thingConnector.test(text.slice(thingEnd, start)))) return false
  if (hasPlus) return false
  const hasBracket = prefix.endsWith("(")
  if (lengths.length === 1) {
    // Chinese mobile numbers are written in one piece.
    return lengths[0] === 11 && /^1[3-9]/.test(digits) && afterHan(text, start) && mayEndAfter(text, number, 1)
  }
  // The number is the middle of a longer one, for example of an account number.
  if (!hasBracket && /\d /.test(prefix)) return false
  // National formats begin with 0, or with an area code in brackets. The other shapes in `isNational` have a first
  // group of three digits or one.
  if (!hasBracket && text[start] !== "0" && lengths[0] !== 3 && lengths[0] !== 1) return false
  let total = 0
  for (let groups = 1; groups <= Math.min(lengths.length, 6); groups++) {
    total += lengths[groups - 1]!
    if (total > 13) return false
    if (total < 8 || !mayEndAfter(text, number, groups)) continue
    if (isNational(digits.slice(0, total), lengths.slice(0, groups), separatorsWithin(separators, groups), hasBracket))
      return true
  }
  return false
}

const afterHan = (text: string, start: number): boolean =>
  /\p{Script=Han}/u.test(text.slice(Math.max(0, start - 24), start))

/** Whether a number consists of + and a calling code, with 8 to 15 digits. */
const isInternational = (text: string, number: WrittenNumber): boolean => {
  const { digits, lengths, separators } = number
  if (![1, 2, 3].some((length) => codes.has(digits.slice(0, length)))) return false
  // One group, a dot and decimals are a coordinate.
  if (lengths.length === 2 && separators[0] === "." && digits.length <= 11) return false
  if (digits[0] === "1") {
    return /^1[2-9]\d\d[2-9]\d{6}/.test(digits) && hasPrefixOfLength(text, number, 11, 11)
  }
  return hasPrefixOfLength(text, number, 8, 15)
}

/** Whether the first groups form a number of `min` to `max` digits that may end there. */
const hasPrefixOfLength = (text: string, number: WrittenNumber, min: number, max: number): boolean => {
  let total = 0
  for (const [index, length] of number.lengths.entries()) {
    total += length
    if (total > max) return false
    if (total >= min && mayEndAfter(text, number, index + 1)) return true
  }
  return false
}

/** Whether the number has a national format that the groups alone identify. */
const isNational = (
  digits: string,
  lengths: ReadonlyArray<number>,
  separators: ReadonlyArray<string>,
  hasBracket: boolean
): boolean => {
  const shape = lengths.join(" ")
  const sameSeparators = separators.every((separator) => separator === separators[0])
  const isBracketClosed = hasBracket && separators[0]?.startsWith(")") === true
  // North America: (212) 555-0134, 212-555-0134, 212.555.0134, 1-212-555-0134.
  if (
    shape === "3 3 4" &&
    /^[2-9]\d\d[2-9]/.test(digits) &&
    (isBracketClosed || (sameSeparators && /^[-.]$/.test(separators[0]!)))
  )
    return true
  if (shape === "1 3 3 4" && /^1[2-9]\d\d[2-9]/.test(digits) && /^(?:[-.]| ?\()$/.test(separators[0]!)) return true
  // An area code in brackets, as in (030) 901820 or (11) 98765-4321.
  if (
    isBracketClosed &&
    digits.length <= 12 &&
    lengths[0]! >= 2 &&
    lengths[0]! <= 5 &&
    lengths.slice(1).every((group) => group >= 2)
  )
    return true
  // Russia: 8 (912) 345-67-89.
  if (shape === "1 3 3 2 2" && digits.startsWith("8")) return true
  // Spain: 612 34 56 78. China: 138-1234-5678.
  if (shape === "3 2 2 2" && /^[679]/.test(digits) && sameSeparators && separators[0] === " ") return true
  if (shape === "3 4 4" && /^1[3-9]/.test(digits) && sameSeparators && /^[- ]$/.test(separators[0]!)) return true
  // 00 and a calling code, or 0 and an area code, with two or more digits in each group.
  if (lengths.length < 2 || lengths.some((group) => group < 2) || !/^0(?:0[1-9]|[1-9])/.test(digits)) return false
  return lengths.length <= 5 && digits.length >= (separators[0] === "." ? 10 : 9) && /^[-./ ]/.test(separators[0]!)
}
