import type { Mention } from "./people.js"
import { antecedentOf } from "./people.js"
import { isReminder, type Reading } from "./reading.js"
import { familyWords } from "./words.js"

/** The speaker, as named in titles. */
export interface Speaker {
  /** "Noor", or "The user". */
  readonly name: string
}

const irregular: Readonly<Record<string, string>> = {
  am: "is",
  have: "has",
  do: "does",
  go: "goes",
  "don't": "doesn't",
  "haven't": "hasn't",
  was: "was"
}
const unchanged =
  /^(?:can|can't|cannot|could|couldn't|will|won't|would|wouldn't|should|shouldn't|shall|may|might|must|ought|had|hadn't|was|wasn't|did|didn't|used|is|has|(?!need$|feed$|speed$|bleed$|breed$|seed$|heed$|wed$|embed$)\w+ed|(?!(?:s|br|r|sw|cl|fl|st)ing$)\w+ing|no|not|got|went|left|took|came|gave|bought|sold|met|lost|found|made|broke|began|became|grew|fell|felt|kept|knew|said|told|thought|saw|ran|wrote|drove|flew|spoke|slept|built|spent|sent|paid|won|taught|chose|ate|drank|forgot|heard|held|quit|meant|misread|understood|brought|caught|put|set|read|cut|hit|let|hurt|split|rang|wore|sat|stood|just|already)$/u
const adverbs =
  /^(?:also|just|still|always|never|usually|often|really|actually|only|now|mostly|already|finally|sometimes|currently|generally|normally|basically|probably|definitely|recently|both|(?!(?:f|app|re[pl]|supp|multip|imp|comp)ly$)\w+ly)$/u

/** Changes a verb after "I" to its form after a name: "work" becomes "works". */
export const thirdPerson = (verb: string): string => {
  const word = verb.toLowerCase()
  if (irregular[word] !== undefined) return irregular[word]
  if (unchanged.test(word) || !/^[a-z]+$/u.test(word)) return verb
  if (/(?:s|x|z|ch|sh)$/u.test(word)) return `${verb}es`
  return /[^aeiou]y$/u.test(word) ? `${verb.slice(0, -1)}ies` : `${verb}s`
}

const contracted: Readonly<Record<string, string>> = {
  "'m": " is",
  m: " is",
  "'ve": " has",
  ve: " has",
  "'ll": " will",
  "'d": " would"
}
const firstPerson =
  /(?<![\p{L}\p{N}'._/-])(?:I('m|'ve|'ll|'d)|I(m|ve)(?=\s)|I|my|mine|me|myself)(?![\p{L}\p{N}'_])(?:(\s+)([\p{L}']+)(?:(\s+)([\p{L}']+))?)?/giu

const family = familyWords.join("|")
const counts = "an?|no|one|two|three|four|five|six|\\d+"
const qualities =
  "(?:(?:little|small|big|old|older|oldest|elder|eldest|young|younger|youngest|new|late|first|second|two|three|four|adult|grown-up|teenage|adopted|rescue|black|white|grey|ginger) ){0,2}"
/** Matches what may follow a relative: the end, a mark, a verb or a name. A noun after it changes the meaning ("our cat food"). */
const afterFamily =
  "(?=$|[.,;:!?)]|'s? |(?:\\s+(?:and|or|who|with|called|named|aged|at|in|is|are|was|were|will|has|have|had|can|can't|cannot|does|doesn't|do|don't|isn't|aren't|goes|go|lives?|loves?|likes?|hates?|plays?|turns?|works?|stud(?:y|ies)|starts?|needs?|wants?|speaks?|visits?|moved|sleeps?|eats?)(?!\\p{L})|\\s+\\p{Lu}))"
const ourFamily = new RegExp(`(?<!\\p{L})[Oo]ur(?= ${qualities}(?:${family})(?![\\p{L}-])${afterFamily})`, "gu")
const weHaveFamily = new RegExp(
  `(?<!\\p{L})[Ww]e(?=(?:'ve got| have got|(?: also)? have) (?:${counts}) ${qualities}(?:${family})(?![\\p{L}'-])${afterFamily})`,
  "gu"
)

/** Writes relatives and pets as the speaker's: "our kids" as "my kids", "we have two dogs" as "I have two dogs". */
const withOwnFamily = (text: string): string => text.replace(ourFamily, "my").replace(weHaveFamily, "I")

/** Replaces the first person with a name: "I have a dog, my wife too" becomes "Noor has a dog, Noor's wife too". */
export const replaceFirstPerson = (statement: string, { name }: Speaker): string => {
  const text = withOwnFamily(statement)
  let result = ""
  let from = 0
  firstPerson.lastIndex = 0
  for (let match = firstPerson.exec(text); match !== null; match = firstPerson.exec(text)) {
    const [whole, apostrophe, plain, blank = "", word = "", blank2 = "", word2 = ""] = match
    const pronoun = whole.slice(0, whole.length - blank.length - word.length - blank2.length - word2.length)
    const lower = pronoun.toLowerCase()
    result += text.slice(from, match.index)
    from = match.index + pronoun.length
    const subject = result.trim() === "" ? name : name === unnamedSpeaker ? "the user" : name
    if (apostrophe !== undefined || plain !== undefined)
      result += subject + (contracted[(apostrophe ?? plain)!.toLowerCase()] ?? "")
    else if (lower === "my" || lower === "mine") result += `${subject}'s`
    else if (lower === "me" || lower === "myself") result += subject
    else {
      result += subject
      const isAdverb = (adverbs.test(word.toLowerCase()) || word.toLowerCase() === "no") && word2 !== ""
      if (word.toLowerCase() === "no") {
        // "I no longer work": the verb is the third word.
        const verb3 = /^\s+no\s+longer(\s+)([\p{L}']+)/iu.exec(text.slice(from))
        if (verb3 !== null) {
          result += `${blank}no longer${verb3[1]}${thirdPerson(verb3[2]!)}`
          from += verb3[0].length
          firstPerson.lastIndex = from
          continue
        }
      }
      const verb = isAdverb ? word2 : word
      if (verb !== "") {
        result += `${isAdverb ? `${blank}${word}${blank2}` : blank}${thirdPerson(verb)}`
        from += isAdverb ? blank.length + word.length + blank2.length + verb.length : blank.length + verb.length
      }
    }
    firstPerson.lastIndex = from
  }
  return result + text.slice(from)
}

/** The name of a speaker whose real name is not known. */
export const unnamedSpeaker = "The user"

const leading = /^(?:(he|she|they)('s|'re|'ve|'ll|'d)?|(his|her|their))(?=\s)/iu

const verbs: Readonly<Record<string, string>> = { "'re": " are", "'ve": " have" }

/**
 * Replaces the pronoun at the start of a text with the person to whom it refers. The text is unchanged if that is
 * ambiguous.
 */
export const resolvePronoun = (
  text: string,
  mentions: ReadonlyArray<Mention>
): { readonly text: string; readonly mention?: Mention } => {
  const match = leading.exec(text)
  if (match === null) return { text }
  const [whole, pronoun, ending = "", possessive] = match
  const mention = antecedentOf((pronoun ?? possessive)!, mentions)
  if (mention === undefined) return { text }
  const rest = text.slice(whole.length)
  const verb =
    ending === "'s" ? (/^ (?:been|got|had|done|gone)\b/iu.test(rest) ? " has" : " is") : (verbs[ending] ?? ending)
  return { text: `${mention.label}${possessive === undefined ? verb : "'s"}${rest}`, mention }
}

const omittedPast =
  /^(?:just |already |finally |also |still )*(?:\p{L}+ed|got|went|left|took|bought|sold|found|made|set|put|quit|ran|wrote|sent|paid|met|chose|had|was|can't|cannot|won't|don't|didn't|must|can|will)\b/iu
const omittedBase =
  /^(?:just |also |still )*(need|have|want|love|hate|prefer|like|live|work|am|going|gonna|taking|moving|working|living|staying|flying|getting|using|starting|leaving|coming|having|doing|running|meeting|seeing|presenting|planning)\b/iu

/** Puts the speaker's name before a statement that leaves "I" out. */
export const addOmittedSubject = (text: string, reading: Reading, { name }: Speaker): string => {
  if (reading.subject !== "omitted" || reading.act !== "states" || isReminder(text)) return text
  const start = text.charAt(0).toLowerCase() + text.slice(1)
  const base = omittedBase.exec(start)
  if (base !== null) {
    const word = base[1]!
    return /ing$|gonna/u.test(word) ? `${name} is ${start}` : `${name} ${start.replace(word, thirdPerson(word))}`
  }
  return omittedPast.test(start) ? `${name} ${start.replace(/^((?:also |still )?)don't\b/iu, "$1doesn't")}` : text
}

/** Turns a request for a reminder into a title: "don't let me forget the keys" becomes "Remind me of the keys". */
export const asReminder = (text: string): string =>
  isReminder(text)
    ? text
        .replace(/^(?:(?:please|and|then|also|ok|oh|can you|could you|would you|you must) )*(?=remind me|don't)/iu, "")
        .replace(/^don't (?:let me )?forget (to|that|about)\b/iu, "Remind me $1")
        .replace(/^don't (?:let me )?forget\b/iu, "Remind me of")
    : text

/** Formats a title: a capital letter at the start, no spaces or marks at the ends. */
export const asTitle = (text: string): string => {
  const trimmed = text.replaceAll(/\s+/gu, " ").replace(/^[\s,;:.…!"')-]+|[\s,;:.!…-]+$/gu, "")
  return /^[a-z][\p{Ll}']*(?=[\s,]|$)/u.test(trimmed) ? trimmed.charAt(0).toUpperCase() + trimmed.slice(1) : trimmed
}
