import { isEverydayName } from "../../../../text/normalise/everydayNames.js"
import { setOf } from "../../../../text/normalise/functionWords.js"
import { stemOf } from "../../../../text/normalise/stem.js"
import { lexicon } from "../rules/lexicon.js"
import { kinWords, relativesByPronoun } from "./words.js"

const sets = {
  she: setOf(relativesByPronoun.she),
  he: setOf(relativesByPronoun.he),
  either: setOf(relativesByPronoun.either),
  they: setOf(relativesByPronoun.they),
  pet: setOf(relativesByPronoun.pets)
}

/** A person or pet that a text mentions. */
export interface Mention {
  /** The words for the person in a title: "Annelie", "my wife". */
  readonly label: string
  /** The person's name, if known. */
  readonly name?: string
  /** The pronoun that refers to the person; "either" if the text does not show it. */
  readonly pronoun: "she" | "he" | "they" | "either"
  /** The name may belong to a place or a thing: "Lisbon is". */
  readonly isWeak?: boolean
}

const inLaw = "(?:mother|father|sister|brother|son|daughter)s? in law"
const relatives = [inLaw, ...kinWords].join("|")
const nameForm = "\\p{Lu}(?:[\\p{L}\\p{M}-]|['’](?=\\p{Lu}))*\\p{Ll}"
const mentionPattern = new RegExp(
  [
    `\\b([Mm]y|[Oo]ur|[Hh]is|[Hh]er)\\s+(?:[\\p{L}-]+\\s+)?(${relatives})(?:'s\\s+(${relatives}))?(?:,?\\s+(?:called\\s+|named\\s+)?(${nameForm})(?!\\p{L}))?`,
    `(?:(?:[Hh]e|[Ss]he|${relatives})(?:'s| is)? (?:called|named)|[Nn]ame(?:'s| is))\\s+(${nameForm})(?!\\p{L})`,
    `(?<![\\p{L}"])(${nameForm})(?=(?:'s)?\\s+(?:says?|said|thinks?|told|wants?|lives?|works?|loves?|likes?|hates?|turns|plays?|arrives?|comes|called|calls|left|moved|died|asked|teaches|studies|sits|votes|cooks?|drives|carries|sings|speaks|drinks?|eats?|hopes|feels|knows?|laughed|joined|quit|married|sleeps|agreed|promised|texted|wrote|rang|offered|used|smokes?|swims|owns|reviews|prefers?|bought|sold|built)(?!\\p{L}))`,
    `(?<!\\p{L})(?:with|ask|tell|told|asked|call|visit|meet|met|saw|seeing|(?:Mrs|Mr|Ms|Dr|Prof)\\.?)\\s+(${nameForm})(?!\\p{L})`,
    `(${nameForm})(?=\\s\\(\\d{1,2}\\)|\\s+and\\s+(?:I|me)(?!\\p{L}))`,
    `(?<!\\p{L})(?:[Mm]e|I|us)(?:,|\\s+and)\\s+(${nameForm})(?!\\p{L})`,
    `(?<![\\p{L}"])(${nameForm})(?=(?:'s)?\\s+(?:has|had|is|was|needs?|goes|went|runs|rejects|got|takes?|rotated|did|does|can|can't|will|won't|would|should|could|doesn't|didn't|isn't|wasn't)(?!\\p{L}))`
  ].join("|"),
  "gu"
)
/** A name, possibly in lower case, with the person's relation to the speaker: "Milo's my stepson". */
const presented = new RegExp(
  `(?:^|[\\s,(])(\\p{L}[\\p{L}\\p{M}-]*\\p{Ll})(?:'s| is) (?:my|our) (?:[\\p{L}-]+ )?(${relatives})(?![\\p{L}'])`,
  "giu"
)
const calendarWords = setOf(
  "monday tuesday wednesday thursday friday saturday sunday january february march april may june july august september october november december i"
)
const ordinaryWords = setOf(
  `the this that these those it he she they we you what when where who why how there here and but so if my our his her their yes no ok also then now
  well oh everyone everybody nobody somebody someone something nothing everything one all some most both last next first prof dr mr mrs ms sir`
)

/** Maximum characters of a text that are searched for people. */
const maxRead = 2_000
const askedName = /\b(?:who|whose|name|names|called)\b[^?]{0,200}\?/iu
const alonePattern = new RegExp(`^(${nameForm})(?=[.!,]|$)`, "u")

/**
 * The people and pets that a text mentions, in text order. `answered`: the question that the text answers, "Who is he?"
 */
export const mentionsIn = (text: string, answered = ""): ReadonlyArray<Mention> => {
  const mentions: Array<Mention> = []
  const alone = askedName.test(answered) ? alonePattern.exec(text)?.[1] : undefined
  if (alone !== undefined && isName(alone)) mentions.push({ label: alone, name: alone, pronoun: "either" })
  for (const [, owner, relative, further, nameAfter, ...names] of text.slice(0, maxRead).matchAll(mentionPattern)) {
    const name = nameAfter ?? names.find((found) => found !== undefined)
    if (relative !== undefined && owner !== undefined) {
      const word = (further ?? relative).toLowerCase()
      const label = `${owner.toLowerCase()} ${relative}${further === undefined ? "" : `'s ${further}`}`
      mentions.push({ label: name ?? label, ...(name === undefined ? {} : { name }), pronoun: pronounOf(word) })
    } else if (name !== undefined && isName(name))
      mentions.push({ label: name, name, pronoun: "either", ...(names.at(-1) === undefined ? {} : { isWeak: true }) })
  }
  for (const [, name = "", relative = ""] of text.slice(0, maxRead).matchAll(presented)) {
    const label = name.charAt(0).toUpperCase() + name.slice(1)
    if (isName(label)) mentions.push({ label, name: label, pronoun: pronounOf(relative.toLowerCase()) })
  }
  return mentions
}

const isName = (name: string): boolean => {
  const word = name.toLowerCase()
  if (lexicon.entries.get(stemOf(word))?.kinds !== undefined) return false
  return (
    !calendarWords.has(word) &&
    !ordinaryWords.has(word) &&
    !isEverydayName(word) &&
    name.length > 1 &&
    !word.endsWith("ing")
  )
}

const pronounOf = (relative: string): Mention["pronoun"] => {
  const word = relative.replace(/ in law$/u, "")
  return sets.she.has(word) ? "she" : sets.he.has(word) ? "he" : sets.they.has(word) ? "they" : "either"
}

const standsFor: Readonly<Record<string, "she" | "he" | "they">> = {
  she: "she",
  her: "she",
  hers: "she",
  he: "he",
  him: "he",
  his: "he",
  they: "they",
  their: "they"
}

/**
 * The person to whom the pronoun at the start of a text refers: the last mentioned person of that sex, if no other
 * person competes for the pronoun. Undefined if that is ambiguous.
 */
export const antecedentOf = (pronoun: string, mentions: ReadonlyArray<Mention>): Mention | undefined => {
  const sex = standsFor[pronoun.toLowerCase().replace(/'.*$/u, "")]
  if (sex === undefined) return undefined
  const known = new Set(mentions.flatMap(({ isWeak, label }) => (isWeak === true ? [] : [label])))
  const fits = mentions.filter((mention) => mention.pronoun === sex || (mention.pronoun === "either" && sex !== "they"))
  const sure = fits.filter(({ label }) => known.has(label))
  const candidates = sure.length > 0 ? sure : fits
  const last = candidates.at(-1)
  if (last === undefined) return undefined
  const rivals = new Set(candidates.slice(-maxRivals).map(({ label }) => label.toLowerCase()))
  return rivals.size === 1 || last.pronoun === sex ? last : undefined
}
/** The number of last mentions that compete for a pronoun. */
const maxRivals = 2
