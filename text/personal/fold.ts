/** What one pass over a text tells: enough to leave most texts alone. */
export interface Look {
  /** Whether anything is written in another way than ASCII has it: see `fold`. */
  readonly foreign: boolean
  /** Whether there is an @, or "(a", which may begin one in brackets. */
  readonly at: boolean
  /** ASCII digits in all. */
  readonly digits: number
  /** Digits of the longest number, up to three separators in a row skipped. */
  readonly number: number
  /** The longest run of letters, digits, - and _. */
  readonly run: number
}

const digit = 1
const word = 2
const separator = 4
const opening = 8
const unseen = 16
const space = 17
const dash = 18
const wide = 19
const lead = 20
/** From here on: a digit, and its value. */
const numeral = 32

const classes = new Uint8Array(65_536)
for (let code = 48; code < 58; code++) classes[code] = digit | word
for (let code = 65; code < 91; code++) classes[code] = classes[code + 32] = word
for (const char of "-_ ./()[{") {
  classes[char.charCodeAt(0)] =
    ("-_".includes(char) ? word : 0) | (" .-/()".includes(char) ? separator : 0) | ("([{".includes(char) ? opening : 0)
}
const ranges = (kind: number, list: ReadonlyArray<readonly [number, number]>): void => {
  for (const [from, to] of list) classes.fill(kind, from, to + 1)
}
// Soft hyphens, zero-width spaces and joiners, marks of direction.
ranges(unseen, [
  [0xad, 0xad],
  [0x200b, 0x200f],
  [0x202a, 0x202e],
  [0x2060, 0x2060],
  [0x2066, 0x2069],
  [0xfeff, 0xfeff]
])
ranges(space, [
  [0xa0, 0xa0],
  [0x1680, 0x1680],
  [0x2000, 0x200a],
  [0x202f, 0x202f],
  [0x205f, 0x205f],
  [0x3000, 0x3000]
])
ranges(dash, [
  [0x2010, 0x2015],
  [0x2043, 0x2043],
  [0x2212, 0x2212],
  [0xfe58, 0xfe58],
  [0xfe63, 0xfe63]
])
ranges(wide, [[0xff01, 0xff5e]])
// Mathematical digits are pairs that begin with this unit.
ranges(lead, [[0xd835, 0xd835]])
/** The zeros of the scripts that have digits of their own (Unicode's Nd, without the supplementary planes). */
const zeros =
  "660 6f0 7c0 966 9e6 a66 ae6 b66 be6 c66 ce6 d66 de6 e50 ed0 f20 1040 1090 17e0 1810 1946 19d0 1a80 1a90 1b50 1bb0 " +
  "1c40 1c50 a620 a8d0 a900 a9d0 a9f0 aa50 abf0 ff10"
for (const zero of zeros.split(" ")) {
  for (let value = 0; value < 10; value++) classes[Number.parseInt(zero, 16) + value] = numeral + value
}

export const look = (text: string): Look => {
  let [foreign, at] = [false, false]
  let [digits, number, longestNumber, gap] = [0, 0, 0, 0]
  let [run, longestRun] = [0, 0]
  for (let index = 0; index < text.length; index++) {
    const code = text.charCodeAt(index)
    const kind = classes[code]!
    if (kind >= unseen) foreign = true
    if ((kind & word) !== 0 && kind < unseen) {
      if (++run > longestRun) longestRun = run
    } else {
      run = 0
      if (code === 64) at = true
      else if (kind < unseen && (kind & opening) !== 0 && /[aA ]/.test(text.charAt(index + 1))) at = true
    }
    if ((kind & digit) !== 0 && kind < unseen) {
      digits++
      number = gap > 3 ? 1 : number + 1
      gap = 0
      if (number > longestNumber) longestNumber = number
    } else gap += (kind & separator) !== 0 && kind < unseen ? 1 : 9
  }
  return { foreign, at, digits, number: longestNumber, run: longestRun }
}

/**
 * The same text with ASCII digits, spaces, hyphens and punctuation in place of
 * their variants, and without what is not seen. Letters of any script stay.
 */
export const fold = (text: string): string => {
  let folded = ""
  let kept = 0
  for (let index = 0; index < text.length; index++) {
    const code = text.charCodeAt(index)
    const kind = classes[code]!
    if (kind < unseen) continue
    let [to, units] = ["", 1]
    if (kind >= numeral) to = String(kind - numeral)
    else if (kind === space) to = " "
    else if (kind === dash) to = "-"
    else if (kind === wide) to = String.fromCharCode(code - 0xfee0)
    else if (kind === lead) {
      const trail = text.charCodeAt(index + 1)
      if (!(trail >= 0xdfce && trail <= 0xdfff)) continue
      to = String((trail - 0xdfce) % 10)
      units = 2
    }
    folded += text.slice(kept, index) + to
    index += units - 1
    kept = index + 1
  }
  return kept === 0 ? text : folded + text.slice(kept)
}
