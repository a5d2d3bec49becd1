/** Facts from one pass over a text. For most texts, they are enough to skip the slow checks. */
export interface TextScan {
  /** Whether the text has characters with ASCII equivalents: see `foldToAscii`. */
  readonly foreign: boolean
  /** Whether there is an @, or "(a", which may begin a bracketed "(at)". */
  readonly mayHaveEmail: boolean
  /** Number of ASCII digits. */
  readonly digits: number
  /** Digits of the longest number. Up to three separators in a row do not end a number. */
  readonly longestNumber: number
  /** Length of the longest run of letters, digits, - and _. */
  readonly longestRun: number
}

const digit = 1
const word = 2
const separator = 4
const opening = 8
const invisible = 16
const space = 17
const dash = 18
const fullWidth = 19
const surrogateLead = 20
/** Classes from here on are digits: this number plus the digit's value. */
const firstNumeral = 32

const classes = new Uint8Array(65_536)
for (let code = 48; code < 58; code++) classes[code] = digit | word
for (let code = 65; code < 91; code++) classes[code] = classes[code + 32] = word
for (const char of "-_ ./()[{") {
  classes[char.charCodeAt(0)] =
    ("-_".includes(char) ? word : 0) | (" .-/()".includes(char) ? separator : 0) | ("([{".includes(char) ? opening : 0)
}
/** Sets the class of characters, given as hexadecimal codes and ranges. */
const setClass = (kind: number, list: string): void => {
  for (const range of list.split(" ")) {
    const [from, to = from] = range.split("-").map((code) => Number.parseInt(code, 16)) as [number, number?]
    classes.fill(kind, from, to + 1)
  }
}
// Soft hyphens, zero-width spaces and joiners, direction marks.
setClass(invisible, "ad 200b-200f 202a-202e 2060 2066-2069 feff")
setClass(space, "a0 1680 2000-200a 202f 205f 3000")
setClass(dash, "2010-2015 2043 2212 fe58 fe63")
setClass(fullWidth, "ff01-ff5e")
// Mathematical digits are surrogate pairs that begin with this unit.
setClass(surrogateLead, "d835")
/** The zeros of the scripts with their own digits (Unicode's Nd, without the supplementary planes). */
const zeros =
  "660 6f0 7c0 966 9e6 a66 ae6 b66 be6 c66 ce6 d66 de6 e50 ed0 f20 1040 1090 17e0 1810 1946 19d0 1a80 1a90 1b50 1bb0 " +
  "1c40 1c50 a620 a8d0 a900 a9d0 a9f0 aa50 abf0 ff10"
for (const zero of zeros.split(" ")) {
  for (let value = 0; value < 10; value++) classes[Number.parseInt(zero, 16) + value] = firstNumeral + value
}

export const scanText = (text: string): TextScan => {
  let [foreign, mayHaveEmail] = [false, false]
  let [digits, number, longestNumber, gap] = [0, 0, 0, 0]
  let [run, longestRun] = [0, 0]
  for (let index = 0; index < text.length; index++) {
    const code = text.charCodeAt(index)
    const kind = classes[code]!
    if (kind >= invisible) foreign = true
    if ((kind & word) !== 0 && kind < invisible) {
      if (++run > longestRun) longestRun = run
    } else {
      run = 0
      if (code === 64) mayHaveEmail = true
      else if (kind < invisible && (kind & opening) !== 0 && /[aA ]/.test(text.charAt(index + 1))) mayHaveEmail = true
    }
    if ((kind & digit) !== 0 && kind < invisible) {
      digits++
      number = gap > 3 ? 1 : number + 1
      gap = 0
      if (number > longestNumber) longestNumber = number
    } else gap += (kind & separator) !== 0 && kind < invisible ? 1 : 9
  }
  return { foreign, mayHaveEmail, digits, longestNumber, longestRun }
}

/**
 * Replaces variants of digits, spaces, hyphens and punctuation by ASCII characters, and removes invisible characters.
 * Letters of all scripts stay.
 */
export const foldToAscii = (text: string): string => {
  let folded = ""
  let copiedTo = 0
  for (let index = 0; index < text.length; index++) {
    const code = text.charCodeAt(index)
    const kind = classes[code]!
    if (kind < invisible) continue
    let [replacement, units] = ["", 1]
    if (kind >= firstNumeral) replacement = String(kind - firstNumeral)
    else if (kind === space) replacement = " "
    else if (kind === dash) replacement = "-"
    else if (kind === fullWidth) replacement = String.fromCharCode(code - 0xfee0)
    else if (kind === surrogateLead) {
      const lowSurrogate = text.charCodeAt(index + 1)
      if (!(lowSurrogate >= 0xdfce && lowSurrogate <= 0xdfff)) continue
      replacement = String((lowSurrogate - 0xdfce) % 10)
      units = 2
    }
    folded += text.slice(copiedTo, index) + replacement
    index += units - 1
    copiedTo = index + 1
  }
  return copiedTo === 0 ? text : folded + text.slice(copiedTo)
}
