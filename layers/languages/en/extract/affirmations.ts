import { sentencesOf } from "../../../../text/normalise/sentences.js"
import { statementOf } from "../statements.js"
import { isEvasive, lead, questionOf, type Writer, wanting, writeStatement } from "./answers.js"
import { leavesChoiceOpen } from "./proposals.js"
import { tenseOf } from "./tense.js"

// Questions that a user affirms: "Is Paulo your brother?" "Yep." "Are you allergic to anything?" "Yes, penicillin."

/** Questions that become a statement if the answer is "yes". */
const confirmed: ReadonlyArray<readonly [question: RegExp, write: Writer]> = [
  [
    new RegExp(
      `^${lead}[Ii]s (\\p{Lu}[\\p{L}'-]+|your (?:\\p{L}+ )?\\p{L}+) (your|a|an|the|still|from|in|at|allergic|vegan|vegetarian|also) (.+)\\?$`,
      "u"
    ),
    (_, [person, word, rest]) => `${person} is ${word} ${rest}`
  ],
  [
    new RegExp(
      `^${lead}are you (?!sure|ready|ok|okay|asking|looking|saying|kidding|serious|still there|there|done|happy)(.+)\\?$`,
      "iu"
    ),
    (_, [rest]) => `I am ${rest}`
  ],
  [
    new RegExp(
      `^${lead}do you (?!${wanting}\\b)(?:still |also |ever )?((?:have|own|eat|drink|like|love|live|work|use|take|wear|play|speak|drive|smoke|run|rent|keep|teach|study)\\b.+)\\?$`,
      "iu"
    ),
    (_, [rest]) => `I ${rest}`
  ]
]

const affirmation =
  /^(?:(?:yes|yep|yup|yeah|correct|exactly|right|indeed|that's right|(?:he|she|it|they|i|we) (?:is|are|am|do|does|have))(?![\p{L}'-])[\s,.!:;–—-]*)+/iu

/** A statement from a question and its affirmation. */
export interface Affirmed {
  /** In the first person: "I am allergic to penicillin". Undefined if the answer lacks what the question asks for. */
  readonly text?: string | undefined
  /** The words of the answer that are in the statement: "penicillin". */
  readonly value?: string | undefined
}

/**
 * Turns a question that the user affirms into a statement: "Is Paulo your brother?" "Yep." becomes "Paulo is my
 * brother". Undefined if the turn affirms nothing, or if the form of the question is not supported.
 */
export const readAffirmation = (question: string, turn: string): Affirmed | undefined => {
  const said = turn.trim().slice(0, maxRead)
  const yes = affirmation.exec(said)?.[0]
  const written = yes === undefined ? undefined : writeStatement(confirmed, questionOf(question), "")
  if (written === undefined) return undefined
  const rest = sentencesOf(said.slice(yes!.length)).at(0) ?? ""
  const value = valueIn(rest)
  const asked = value === undefined ? written : written.replace(/\b(any [\p{L}-]+) or (?:any )?[\p{L}-]+/iu, "$1")
  if (leavesChoiceOpen(asked)) return {}
  if (value === undefined) return { text: repeats(rest, asked) ? undefined : withoutValue(asked) }
  const text = withValue(asked, value)
  return text === asked ? { text } : { text, value }
}

/** Maximum characters of a turn that are searched for an affirmation and its value. */
const maxRead = 400

/** True if the user's own words state what was asked: "Do you use pnpm?" "Yes, we use pnpm." */
const repeats = (rest: string, asked: string): boolean => {
  const { words } = statementOf(rest)
  return words.size > 0 && [...statementOf(asked).words].every((word) => words.has(word))
}

/** Words before or instead of a value: "yes, unfortunately", "yes, since 2019". */
const noValue =
  /^(?:(?:since|because|for|from|in|on|at|with|by|until|when|if|but|and|or|so|as|though|although|always|never|very|quite|too|also|now|then|here|today|already|again|badly|even|true|of course|in fact|kind of|sort of|\p{L}+ly|i|we|he|she|they|there|mate|sir|boss|man|dude|buddy|lol|haha\p{L}*|thx|ta|cheers)(?!\p{L})|(?:an? )?(?:lots?|few|bit|little|couple|while|many|several|some|loads|plenty)$)/iu

/** The value that follows a "yes"; undefined if a clause, a question, or no information follows. */
const valueIn = (rest: string): string | undefined => {
  if (rest.includes("?")) return undefined
  const value = rest
    .replace(/(?:(?:[\s,]|^)(?:actually|sadly|unfortunately|please|thanks|thank you))?[.!,\s]*$/iu, "")
    .trim()
  const words = value
    .replace(/\b(?:called|named|aged)\b/giu, "")
    .toLowerCase()
    .split(/[^\p{L}\p{N}']+/u)
  const isEmpty =
    value === "" || noValue.test(value) || (isEvasive(value) && !/^no (?!idea|thanks|problem)\p{L}{3}/iu.test(value))
  return isEmpty || tenseOf(words) !== "none" ? undefined : value
}

const nounEnd =
  "at|in|on|with|to|for|of|from|near|besides|that|which|who|you|i|or|and|today|tomorrow|tonight|this|these|next|planned|coming|left|right|now|yet|already|scheduled|booked"
/** "Something", "to anyone else". */
const someThing =
  /(?<preposition>\b(?:to|with|in|at|for|from|on|by) )?\b(?:some|any)(?:thing|one|body|where)(?: (?:else|special|specific|particular|in particular|at all))*(?![\p{L}-])/iu
/** "Any pets", "any other languages". */
const anyNoun = new RegExp(
  `\\bany (?<other>other |more )?(?:known |particular )?(?<noun>(?!(?:${nounEnd})\\b)[\\p{L}-]+(?: (?!(?:${nounEnd})\\b)[\\p{L}-]+){0,2})(?![\\p{L}-])`,
  "iu"
)
/** Several things without an article at the end: "I have allergies". */
const plainNoun = /(?<=^I (?:have|own|keep) )(?<noun>(?:[\p{L}-]+ ){0,2}?[\p{L}-]*(?:[^s]s|children|kids|people))$/iu
const having = /\b(?:have|own|keep) $/iu
const counts = "one|two|three|four|five|six|seven|eight|nine|ten|\\d{1,2}"
const number = new RegExp(`^(?:${counts})$`, "iu")
const determined = new RegExp(`^(?:an?|the|my|our|${counts}) (?=\\p{Ll})`, "iu")

/** Writes a value into a statement; undefined if the two do not fit: "I have any deadline", "12 June". */
const withValue = (asked: string, value: string): string | undefined => {
  const thing = someThing.exec(asked)
  if (thing !== null) {
    const preposition = thing.groups?.preposition ?? ""
    const isRepeated = value.toLowerCase().startsWith(preposition.toLowerCase())
    return asked.replace(thing[0], isRepeated ? value : `${preposition}${value}`)
  }
  const match = anyNoun.exec(asked) ?? plainNoun.exec(asked)
  if (match === null) {
    if (!determined.test(value)) return asked
    // "Do you have a cat?" "Yes, two cats."
    const one = /\ban? (?<noun>[\p{L}-]+)$/iu.exec(asked)
    const isCounted = one !== null && new RegExp(`^(?:${counts}) ${one.groups!.noun}`, "iu").test(value)
    return isCounted ? asked.slice(0, one.index) + value : `${asked}: ${value}`
  }
  const noun = match.groups?.noun ?? ""
  const written = (words: string) =>
    `${asked.slice(0, match.index)}${words}${asked.slice(match.index + match[0].length)}`
  if (!having.test(asked.slice(0, match.index))) return written(value)
  if (/^(?:one|1)$/iu.test(value)) return `${written(noun)}: one`
  if (number.test(value)) return written(`${value} ${noun}`)
  if (/^(?:an?|the|my|our) /iu.test(value) || (determined.test(value) && isPlural(noun))) return written(value)
  return isPlural(noun) ? `${written(noun)}: ${value}` : undefined
}

/** Nouns that say nothing alone: "I have questions". */
const emptyNoun =
  /\b(?:questions?|ideas?|thoughts?|comments?|feedback|preferences?|concerns?|doubts?|suggestions?|requests?|constraints?|requirements?|examples?|details?|plans?|news|luck|issues?|problems?|reasons?|needs|wishes)\b/iu

/** The statement if the user only says "yes": "I have siblings". Undefined if it then names nothing. */
const withoutValue = (asked: string): string | undefined => {
  if (someThing.test(asked)) return undefined
  const match = anyNoun.exec(asked)
  if (match === null) return asked
  const { noun = "", other } = match.groups ?? {}
  return other !== undefined || !isPlural(noun) || emptyNoun.test(noun) ? undefined : asked.replace(match[0], noun)
}

const isPlural = (noun: string): boolean => /(?:[^s]s|children|kids|people)$/iu.test(noun)
