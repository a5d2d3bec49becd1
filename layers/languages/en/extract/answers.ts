import { sentencesOf } from "../../../../text/normalise/sentences.js"
import { concernsSecrets } from "./secrets.js"

// Short answers that are statements only together with their question: "Which crate do you use?" "nom".

/** Words before a question: "and", "nice,". */
export const lead = "(?:[\\p{L}']+[,!.]\\s+|(?:[Aa]nd|[Ss]o|[Oo]k|[Oo]kay|[Oo]h)\\s+){0,2}"
/** Verbs of questions about what the user wants or thinks, not about the user's life: "Which one do you want?" */
export const wanting = "(?:want|need|mean|think|say|know|like to|prefer me|suggest|remember|agree|see|expect me|wish)"
const noun = "[\\p{L}'-]+(?: [\\p{L}'-]+){0,3}?"

/** Writes a statement from an answer and the parts of its question. */
export type Writer = (answer: string, parts: ReadonlyArray<string>) => string
const asked: ReadonlyArray<readonly [question: RegExp, write: Writer]> = [
  // "Which crate do you use?"
  [
    new RegExp(`^${lead}(?:which|what) (${noun}) do you (?!${wanting}\\b)([\\p{L}' -]+)\\?$`, "iu"),
    (answer, [thing, verb]) => `I ${verb} ${answer} (${thing!.toLowerCase()})`
  ],
  [
    new RegExp(`^${lead}(?:which|what) (${noun}) are you ([\\p{L}]+ing[\\p{L}' -]*)\\?$`, "iu"),
    (answer, [thing, verb]) => `I'm ${verb} ${answer} (${thing!.toLowerCase()})`
  ],
  // "What do you grow?", "Where do you live?", "Where are you staying?"
  [
    new RegExp(
      `^${lead}(?:what|where) do you (?!${wanting}\\b)((?:usually |mostly |normally )?\\p{L}+)(?: (?:now|these days|there|nowadays|at the moment))?\\?$`,
      "iu"
    ),
    (answer, [verb]) => `I ${verb} ${answer}`
  ],
  [
    new RegExp(`^${lead}(?:what|where) are you (\\p{L}+ing)(?: (?:now|these days|there|at the moment))?\\?$`, "iu"),
    (answer, [verb]) => `I'm ${verb} ${answer}`
  ],
  // "How many pupils do you have?"
  [
    new RegExp(`^${lead}how (?:many|much) (${noun}) do you (\\p{L}+)[^?]*\\?$`, "iu"),
    (answer, [thing, verb]) => `I ${verb} ${answer} ${thing}`
  ],
  // "How old is Milo?", "When's your exam?", "What is your budget?", "Who is Milo?"
  [
    new RegExp(
      `^${lead}(?:[Hh]ow (?:old|tall|long|big|far|large|high|heavy)|[Ww]hen|[Ww]here|[Ww]ho|[Ww]hat(?: breed| colou?r| size| time| day)?)(?:'s| is| are| was) ((?:your|the|his|her|their) ${noun}|\\p{Lu}[\\p{L}'-]+(?: \\p{Lu}[\\p{L}'-]+)?)\\?$`,
      "u"
    ),
    (answer, [thing]) => `${thing} is ${answer}`
  ]
]

/** Answers without information. */
const evading =
  /^(?:no|nope|nah|not|none|nothing|no idea|dunno|don't know|depends|maybe|perhaps|both|all|any|either|neither|whatever|it|that|this|i|we|you|he|she|they|what|why|how|sure|thanks|thank you|just|only if|yes|yep|yeah|ok|okay|hm+|let me|let's|please|sorry|wait|go|good|great|fine|never mind)(?![\p{L}-])/iu
/** Maximum words of an answer without a verb. */
const maxAnswerWords = 10

const asFirstPerson = (text: string): string =>
  text
    .replaceAll(/\byou're\b/giu, "I'm")
    .replaceAll(/\byours\b/giu, "mine")
    .replaceAll(/\byour\b/giu, (word) => (word.startsWith("Y") ? "My" : "my"))
    .replaceAll(/\byou\b/giu, "I")

/** The question at the end of a text. */
export const questionOf = (text: string | undefined): string | undefined => {
  const last = text === undefined ? undefined : sentencesOf(text).at(-1)?.trim()
  return last?.endsWith("?") === true ? last : undefined
}

/**
 * Turns a short answer without a verb into a statement: "at my cousin's" becomes "I'm staying at my cousin's".
 * Undefined if the form of the question is not supported.
 */
export const statementOfAnswer = (question: string, answer: string): string | undefined =>
  isEvasive(answer) ? undefined : writeStatement(asked, questionOf(question), answer)

/**
 * The question to store with a short answer; undefined if the answer has no information or the question asks for a
 * secret.
 */
export const questionToKeep = (question: string | undefined, answer: string): string | undefined =>
  question === undefined || isEvasive(answer) || concernsSecrets(question) ? undefined : question

/** True if an answer has no information, or too many words for a value. */
export const isEvasive = (answer: string): boolean =>
  evading.test(answer) || answer.split(/\s+/u).length > maxAnswerWords

/** Writes the statement that an answer makes of a question of one of these forms, in the first person. */
export const writeStatement = (
  forms: ReadonlyArray<readonly [RegExp, Writer]>,
  question: string | undefined,
  answer: string
): string | undefined => {
  for (const [form, write] of question === undefined ? [] : forms) {
    const match = form.exec(question!)
    if (match !== null) return asFirstPerson(write(answer, match.slice(1)))
  }
  return undefined
}
