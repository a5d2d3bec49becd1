import * as check from "./checks.js"
import type { CueTopic } from "./cueWordList.js"
import { type CueWords, lastCueEnd } from "./cueWords.js"
import { beginsWithDate, mayEndAfter, type WrittenNumber } from "./numbers.js"

interface Rule {
  readonly isValid: (digits: string) => boolean
  /** Required cue word, for numbers with a weak check digit or none. */
  readonly after?: CueTopic | undefined
}

/** Each rule: shapes (the lengths of the digit groups with their separators, such as "3-2-4"), check, and cue word. */
const rules: ReadonlyArray<readonly [shapes: ReadonlyArray<string>, isValid: Rule["isValid"], after?: CueTopic]> = [
  [["3-2-4"], check.isSsn],
  [["3 2 4", "9"], check.isSsn, "ssn"],
  [["9", "3 3 3", "3-3-3"], check.passesLuhn, "sin"],
  [["9", "3 3 3"], check.isTfn, "tfn"],
  [["9"], check.isBsn, "bsn"],
  [["10", "3 3 4"], check.isNhsNumber, "nhs"],
  [["15", "1 2 2 2 3 3 2", "13 2"], check.isFrenchSocialSecurityNumber],
  [["11", "6 5"], check.isFodselsnummer],
  [["11"], check.isTckn],
  [["11"], check.isPesel],
  [["11"], check.isSteuerId, "tax"],
  [["2 3 3 3"], check.isSteuerId],
  [["3.3.3-2", "11"], check.isCpf],
  [["2.2.2-3.2", "11"], check.isBelgianNationalNumber],
  [["6-4"], check.isPersonnummer],
  [["8-4"], (digits) => /^(?:19|20)/.test(digits) && check.isPersonnummer(digits.slice(2))],
  [["6/4"], check.isRodneCislo],
  [["6-7"], check.isRrn],
  [["18"], check.isChineseId],
  [["4 4 4", "4-4-4"], check.isAadhaar],
  [["3.4.4.2", "13"], check.isAhv],
  [["1-4-5-2-1"], check.isThaiId],
  [["2-8-1"], check.isCuil],
  [["2.3.3-1", "8-1"], check.isRut],
  [["13"], (digits) => check.beginsWithYmd(digits) && check.passesLuhn(digits), "southAfrica"]
]

/** The shapes as a tree of group lengths and separators. Most numbers fail at the first step. */
interface Node {
  readonly next: Map<number, Node>
  readonly rules: Array<Rule>
}
const stepOf = (separator: string, length: number): number =>
  length + 32 * (separator === "" ? 0 : separator.length > 1 ? 99 : separator.charCodeAt(0))
const tree: Node = { next: new Map(), rules: [] }
const ruleNode = (shape: string): Node => {
  let node = tree
  for (const [, separator, length] of shape.matchAll(/(\D?)(\d+)/g)) {
    const step = stepOf(separator!, Number(length))
    const next = node.next.get(step) ?? { next: new Map(), rules: [] }
    node.next.set(step, next)
    node = next
  }
  return node
}
for (const [shapes, isValid, after] of rules) for (const shape of shapes) ruleNode(shape).rules.push({ isValid, after })

/** Ids with letters and digits: the shape and its check. Capitals only, because lower case would match hashes. */
const lettered: ReadonlyArray<readonly [shape: RegExp, isValid: (value: string) => boolean]> = [
  [/^[XYZ]\d{7}[A-Z]$|^\d{8}[A-Z]$/, check.isDni],
  [/^[STFGM]\d{7}[A-Z]$/, check.isNric],
  [/^[A-CEGHJ-PR-TW-Z][A-CEGHJ-NPR-TW-Z]\d{6}[A-D]$/, (value) => !/^(?:BG|GB|KN|NK|NT|TN|ZZ)/.test(value)],
  [/^[A-Z]{3}P[A-Z]\d{4}[A-Z]$/, () => true],
  [/^[A-Z][12]\d{8}$/, check.isTaiwaneseId],
  [/^[A-Z]{6}[0-9LMNPQRSTUV]{2}[ABCDEHLMPRST][0-9LMNPQRSTUV]{2}[A-Z][0-9LMNPQRSTUV]{3}[A-Z]$/, check.isCodiceFiscale],
  [/^[A-Z]{4}\d{6}[HMX][A-Z]{5}[A-Z0-9]\d$/, check.isCurp],
  [/^\d{17}X$/, check.isChineseId],
  [/^\d{7}[A-W][A-IW]?$/, check.isPps],
  [/^\d{6}[-+A-FU-Y]\d{3}[0-9A-Y]$/, check.isHetu],
  [/^\d{7,8}K$/, check.isRut],
  [/^[A-Z]{1,2}\d{6}[0-9A]$/, check.isHkid]
]
const candidates =
  /(?<![\w-])(?:[A-Z]{2} \d{2} \d{2} \d{2} [A-D]|\d{6}[-+]\d{3}[0-9A-Y]|\d{8}-[A-Z]|\d{1,2}\.\d{3}\.\d{3}-K|[A-Z]{1,2}\d{6}\([0-9A]\)|[A-Z0-9]{8,18})(?![\w-])/g

/** After the name of an identity document, any letters and digits of this length count. */
const documentNumber =
  /^(?:[ -]?(?:no|nr|number|num|nummer|id|号码|#))?\.?(?: is| ist)?[ :#=]{0,3}([A-Z0-9]{6,12})(?![A-Za-z0-9])/i

/** Whether a number is an identity number, by its groups and check digit or by the cue word before it. */
export const isNationalId = (text: string, number: WrittenNumber, cues: CueWords): boolean => {
  const { digits, lengths, separators, start } = number
  if (text.charCodeAt(start - 1) === 43) return false
  let node: Node | undefined = tree
  let total = 0
  for (let index = 0; index < lengths.length; index++) {
    node = node.next.get(stepOf(index === 0 ? "" : separators[index - 1]!, lengths[index]!))
    if (node === undefined) break
    total += lengths[index]!
    for (const { after, isValid } of node.rules) {
      if (after !== undefined && lastCueEnd(cues, text, start, { topic: after, reach: 24 }) < 0) continue
      if (isValid(digits.slice(0, total)) && mayEndAfter(text, number, index + 1)) return true
    }
  }
  return (
    lengths[0]! < 19 && !beginsWithDate(number) && lastCueEnd(cues, text, start, { topic: "document", reach: 20 }) >= 0
  )
}

/** Whether a text contains an id with letters and digits. */
export const hasLetteredId = (text: string, cues: CueWords): boolean => {
  for (const [candidate] of text.matchAll(candidates)) {
    if (!/\d/.test(candidate)) continue
    const value = candidate.replace(/[ .()]|(?<=^\d{8})-|-(?=K$)/g, "")
    if (lettered.some(([shape, isValid]) => shape.test(value) && isValid(value))) return true
  }
  return cues.topics.some((topic, index) => {
    if (topic !== "document") return false
    const value = documentNumber.exec(text.slice(cues.ends[index]!, cues.ends[index]! + 36))?.[1]
    return value !== undefined && (/\d.{0,8}\d.{0,8}\d.{0,8}\d/.test(value) || /^(?=.{0,8}\d)[A-Z0-9]{9}$/.test(value))
  })
}
