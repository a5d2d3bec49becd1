import { functionWords, setOf } from "../../../../text/normalise/functionWords.js"
import { stemOf } from "../../../../text/normalise/stem.js"
import { lexicon } from "../rules/lexicon.js"
import { pastForms } from "../rules/pivot.js"
import { valuesIn } from "../values/readValues.js"
import type { PlacedValue } from "../values/Value.js"
import { phrasePatterns } from "./frames.js"
import { type ClassWordMatch, findClassWords, type WordClass } from "./lexicon.js"
import { type Piece, quotePlaceholder } from "./pieces.js"
import { type Tense, tenseOf } from "./tense.js"
import { classes, relativesByPronoun } from "./words.js"

/** The kind of grammatical subject of a piece: whom or what the piece is about. */
export type Subject =
  /** "I". */
  | "speaker"
  /** "I" or "we", left out: "switched to vim", "need to call". */
  | "omitted"
  /** "We". */
  | "group"
  /** "My sister", "our flat". */
  | "own"
  /** "He", "she", "they", "his". */
  | "pronoun"
  /** A name. */
  | "named"
  /** "The printer", "clinic", "all tests". */
  | "thing"
  /** "It", "that", "there". */
  | "it"
  /** "You". */
  | "listener"

/** A piece states something, asks something, requests something once, or instructs for all future answers. */
export type SpeechAct = "states" | "asks" | "requests" | "instructs"

/** A piece with its grammar. */
export interface Reading {
  readonly piece: Piece
  /** The piece without the words that only open or close it: "well, …", "… by the way". */
  readonly text: string
  /** The words of `text` in lower case. */
  readonly words: ReadonlyArray<string>
  readonly act: SpeechAct
  readonly subject: Subject
  readonly tense: Tense
  readonly hits: ReadonlySet<WordClass>
  readonly hitList: ReadonlyArray<ClassWordMatch>
  readonly values: ReadonlyArray<PlacedValue>
  /** Words written like names inside the text. */
  readonly names: ReadonlyArray<string>
  /** Words of code: `x.y`, `a_b`, `camelCase`, `--flag`, paths. */
  readonly identifiers: ReadonlyArray<string>
  /** The piece quotes somebody's words. */
  readonly isQuoted: boolean
  /** The piece is a key with a value: "fix = own queue", "owner: me". */
  readonly isKeyed: boolean
  /** The piece asks to be remembered: "for the record", "note that". */
  readonly isMarked: boolean
  readonly isCorrection: boolean
}

/** Words that open a turn: interjections, and other words if a comma or a full stop follows. */
const opening =
  /^(?:(?:ok(?:ay)?|k|yo|oi|aye|hiya|heya|oh+|ah+|ooh|aha|hm+|mm+|uh+m*|um+|er+m*|well|so|and|but|or|yeah|yes|yep|yup|nope|nah|no(?= (?:no|sorry|wait|actually|hang)\b)|alright|anyway|anyhow|btw|by the way|honestly|frankly|actually|also|ha(?:ha)*|lol|hey|hi|hello|good (?:morning|afternoon|evening)|thanks(?: a lot)?|thank you|thx|ta|cheers|sorry|wait|fyi|just so you know|to be (?:honest|fair)|tbh|i mean|you know|ps|of course|apart from that|in other news|never mind|nevermind|damn|god|ugh|argh|wow|hooray|yay|oops|whoops|scratch that|hang on|please note)(?:[\s,:;.!…-]+|$)|(?:no+|right|great|good|nice|perfect|cool|fine|sure|exactly|true|like|still|then|look|listen|plus|morning|evening|update|edit|finally|correction|indeed|seriously|luckily|unfortunately|sadly|basically|great news|good news|bad news|(?:serious|quick|dumb|silly|stupid|random|another|last|one more) q(?:uestion)?)(?:\s*[,:;.!…]+\s*|\s+-\s+|$))+/iu
const marker =
  /^(?:[^:]{0,50}\b(?:rules|conventions|preferences|constraints|requirements|facts|notes|setup|stack|decisions|points)\b[^:]{0,40}:|(?:for the record|for your (?:records|notes)|note(?: to self| that)?|please note(?: that)?|(?:please )?(?:remember|keep in mind|bear in mind|write down|make a note|be aware|fyi|just so you know|for (?:future )?reference|fun fact|important|one more thing|heads? up)(?: that| this)?)\b)[\s,:—-]*/iu
const closing =
  /[\s,]*(?:by the way|btw|tbh|to be honest|though|anyway|lol|haha\w*|you know|i guess|i suppose|i think|i reckon|so yeah|or so|or something|if that matters|as you know|as i said|actually|honestly|thanks|thx|cheers|(?:would|will|could|can) you|please|ok\??|right|innit|mind you|sorry|wish me luck|xd|[:;]-?[)DP]|(?:\p{Extended_Pictographic}|\uFE0F)+|[.!,…\s])+$/iu
const correcting =
  /^(?:(?:oh|ah|and|hm+|ok|wait|hang on)[\s,]+)*(?:(?:no|nope|sorry|wait|correction|scratch that|hang on|oops|whoops|my (?:mistake|bad)|ah no|actually|strike that|i (?:misread|misspoke|mixed|got that wrong|was wrong|meant)|checked)\b)|\b(?:i mis(?:read|spoke|remembered|typed|heard)|(?:i was|that was|that's|it was) wrong|i meant|\b\d[\w.:]*\b[^.,]{0,24},? not (?:the )?\d+\w*|in fact|scratch that|mixed (?:it |them |that )?up|i take that back|changed my mind|turns out it's)\b/iu

const questionStart =
  /^(?:(?:and|so|but|or)\s+)?(?:what|what's|when|where|which|who|whose|why|how|how's|is|are|was|were|do|does|did|can|could|would|will|should|shall|has|have|am|isn't|aren't|don't|doesn't|didn't|can't|couldn't|won't|wouldn't|shouldn't)\s+(?:i|you|we|he|she|it|they|there|the|this|that|these|those|my|your|our|a|an|any|some|to|about|if|much|many|long|often|is|are|do|does|did|would|could|should|can|was|were|else|\w+ly)\b/iu
const whClause = /^(?:what|where|which|who|how|why|when)\b.*?\b(?:is|was|are|were)\s+(?:that|the|a|my|to)\b/iu
const whNoun =
  /^(?:what|which|whose|how \w+)\s+[\w-]+\s+(?:is|are|was|were|do|does|did|can|could|should|would|will)\b/iu
/** A question about people in general, which may have no question mark: "how do ppl sleep in the day". */
const generalQuestion =
  /^(?:how|why|where|when|what) (?:do|does|did|is|are|can|would) (?:ppl|people|folks|others|anyone|anybody|everyone)\b/iu
const rhetorical = /^(?:any|thoughts|ideas|anything|anyone|remember|wish me|guess)\b/iu

const wordPattern = /[\p{L}\p{M}\p{N}]+(?:['._/@+#&-][\p{L}\p{M}\p{N}]+)*(?:\+\+|#)?/gu
const identifierPattern =
  /`[^`]+`|[\w.+-]+@[\w-]+(?:\.[\w-]+)+|(?<![\w.])[a-z][\w-]*(?:\.[a-z][\w-]+)+(?:\/[\w./-]*)?|(?<![\w-])[a-z]+(?:-[a-z]+)*-\d+\b|(?<![\w.])(?:--?[a-z][\w-]+|[\w-]+[/_][\w./_-]*\w|\w+\.(?:\w+\.)*(?:js|ts|py|rs|go|json|ya?ml|toml|md|sh|sql|env|conf|cfg|ini|csv|txt|xml|html|css|java|kt|rb|php|c|h|cpp)|[a-z]+[A-Z]\w+|[A-Z]{2,}[_-]?\d\w*|\w+::\w+|\w+\(\)|0x[\da-f]+|[a-z]+\d[\w-]*|[a-z][\w-]*=[\w."-]+)/gu
const namePattern = /(?<=[\p{L}\p{N},;:)"'.]\s+["(]?)\p{Lu}[\p{L}\p{M}'-]*\p{Ll}[\p{L}\p{M}-]*(?:'s)?/gu

const notNames = setOf(
  `i i'm i've i'll i'd ok tv monday tuesday wednesday thursday friday saturday sunday january february march april may june july august september october
  november december mondays tuesdays wednesdays thursdays fridays saturdays sundays`
)
const speakerWords = setOf("i i'm im i've ive i'd i'll me myself")
const groupWords = setOf("let's we we're we've we'll we'd us")
const ownWords = setOf("my our mine ours")
const personWords = setOf(
  "hes shes theyre he she they he's she's they're they've he'll she'll they'll his her their him them"
)
const thingWords = setOf("thats it it's its that that's this these those there there's which here who")
const listenerWords = setOf("you you're your you've you'll yours")
const determiners = setOf(functionWords.articles, "all some no every each both any another one two three")
const prepositions = setOf(
  functionWords.prepositions,
  "since as after before at by if when while because until till per via without on"
)
/** Adverbs before a subject: "now I mostly grow dahlias". */
const leadWords = setOf("now nowadays currently lately anyway usually mostly often then")
const requestWords = setOf(classes.requests)
const auxiliary = setOf("am is are was were have has had do does did will would can could must should might may")
const omittedStart =
  /^(?:not (?:an?|my|into|keen)\b|(?:back )?on (?:call|(?:sick|parental|maternity|paternity|annual) leave|holiday|vacation)\b|off (?:sick|work)\b|out of (?:the )?office\b|(?:(?:just|already|also|still|finally|only|now|never|always|usually|mostly)\s+)*(?:going to|gonna|need to|have to|gotta|must|want|love|hate|prefer|can't|cannot|won't|don't|didn't|am|been|got|had|used to|would|should|taking|moving|going|working|living|staying|flying|getting|using|thinking|looking|trying|starting|leaving|coming|having|doing|running|meeting|seeing|presenting|planning|switched|\w+ed)\b)/iu

/** Reads a piece. `at`: when its turn was said. */
export const readPiece = (piece: Piece, at: number): Reading => {
  const isCorrection = correcting.test(piece.text)
  let text = piece.text.replace(opening, "")
  const isMarked = marker.test(text)
  text = text.replace(marker, "").replace(opening, "").replace(closing, "")
  const original: Array<string> = text.match(wordPattern) ?? []
  const words = original.map((word) => word.toLowerCase())
  const hitList = findClassWords(words)
  const hits = new Set(hitList.map(({ wordClass }) => wordClass))
  return {
    piece,
    text,
    words,
    hitList,
    hits,
    isCorrection,
    isKeyed: isKeyedText(text),
    isMarked,
    isQuoted: text.includes(quotePlaceholder),
    act: actOf(piece, text, words, hits),
    subject: subjectOf(words, original, text),
    tense: tenseOf(words),
    values: valuesIn(text, at),
    names: (text.match(namePattern) ?? []).filter((name) => !notNames.has(name.toLowerCase())),
    identifiers: text.match(identifierPattern) ?? []
  }
}

const instructing =
  /^(?:please\s+|always\b|never\b|from now on\b|no more\b|stop\s+\w+ing\b|don't\b|do not\b|call me\b|in future\b)/iu
const durable =
  /\b(?:always|never|from now on|in future|every time|whenever|no more|anymore|any more|by default|each time|for me|with me|when you|to me)\b|, not (?:with|in|as|by)\b/iu

const keyed = /^(?:[\p{L}-]+\s){0,2}[\p{L}_-]+\s*(?:=|:\s)\s*(\S+)/u
/** True if a text is a key with a value. A request after the colon is not a value. */
const isKeyedText = (text: string): boolean => {
  const value = keyed.exec(text)?.[1]
  return value !== undefined && !requestWords.has(value.toLowerCase())
}
const beginning = setOf("start begin launch leave move return arrive")

const reminding =
  /^(?:(?:please|and|then|also|ok|oh|can you|could you|would you|you must) )*(?:remind me (?:to|about|of|on|in|at|next|tomorrow|every|when|that)|don't let me forget|don't forget (?:to|that|the|my|about)|make sure (?:i|we))\b/iu

/** True if a text asks for a reminder: "remind me to call her", "don't let me forget the passport". */
export const isReminder = (text: string): boolean => reminding.test(text)

const actOf = (piece: Piece, text: string, words: ReadonlyArray<string>, hits: ReadonlySet<WordClass>): SpeechAct => {
  const [first = "", second = ""] = words
  if (isReminder(text)) return "states"
  if (isLastingWish(text) || phrasePatterns.form.test(` ${words.join(" ")} `)) return "instructs"
  if (/^(?:you can |please |just )*call me \p{L}/iu.test(text)) return "instructs"
  if (instructing.test(piece.text.replace(opening, "")) && !listenerQuestion.test(text)) {
    if (words.length > 2 && (durable.test(text) || first === "call")) return "instructs"
    if (first === "don't" || first === "please" || first === "do") return requestOrInstruct(text)
  }
  if (
    piece.isAsked ||
    (questionStart.test(text) && !whClause.test(text)) ||
    whNoun.test(text) ||
    generalQuestion.test(text) ||
    rhetorical.test(text)
  )
    return "asks"
  if (listenerQuestion.test(text)) return "requests"
  if (isKeyedText(text) || (beginning.has(first) && /\d/u.test(text))) return "states"
  const isImperative =
    (requestWords.has(first) || (lexicon.entries.get(stemOf(first))?.verb === true && stemOf(first) === first)) &&
    !pastForms.test(first) &&
    !auxiliary.has(second) &&
    !nounStart.test(words.join(" ")) &&
    !hits.has("duty") &&
    !/(?:s|ed|ing)$/u.test(first) &&
    !(
      first === "let's" ||
      first === "need" ||
      first === "want" ||
      first === "love" ||
      first === "hate" ||
      first === "prefer" ||
      first === "work"
    )
  return isImperative ? (durable.test(text) ? "instructs" : "requests") : "states"
}

/** A noun phrase before a verb. The first word alone could be a request: "deploy freeze starts". */
const nounStart =
  /^[a-z]+ (?:(?!the|a|an|my|our|me|it|that|this|what|when|who|how|if|to|for|in|on|at|of|all|any|and|which|you|your)[a-z-]+ )?(?:is|are|was|were|has|starts|ends|begins|opens|closes|runs|takes|costs|happens|needs|lives|sits|expires|must|can't|cannot)(?: |$)/u

const listenerQuestion =
  /^(?:(?:can|could|would|will|do|did|are|have|should) (?:you|we|i)\b|(?:i )?(?:want|need|would like|'d like) (?:you to|help)|i(?:'d| would| should) (?:like|love) (?:you|a |some|help|to (?:write|draft|ask|know|see|understand|compose|translate|compare|check))|(?:help|tell|show|give|write|remind) me\b|let me\b|let us\b|hit me\b)/iu

/**
 * True for a request that applies to all answers and is worded as a question: "would you use larger letters in future?"
 */
const isLastingWish = (text: string): boolean =>
  /^(?:please |so |and )*(?:can|could|would|will) you\b/iu.test(text) &&
  /\b(?:from now on|in (?:the )?future|every time|each time|always|whenever|by default|from here on|going forward)\b/iu.test(
    text
  )

/** A prohibition about the form of answers applies to all of them: "don't use emojis", "please no bullet points". */
const requestOrInstruct = (text: string): SpeechAct =>
  /\b(?:use|write|call|say|send|answer|reply|address|give me|suggest|put|add|keep|no)\b/iu.test(text)
    ? "instructs"
    : "requests"

/** Words for relatives that mean the speaker's own even without "my": "mum is 80", "aunt Jitka keeps bees". */
const relatives = setOf(relativesByPronoun.she, relativesByPronoun.he, "hubby wifey sis bro bestie")
/** Past forms at the start of a text that may be nouns or adjectives: "left knee". */
const otherForms = setOf("left set made lost put red bed")

const subjectOf = (words: ReadonlyArray<string>, original: ReadonlyArray<string>, text: string): Subject => {
  const [first = ""] = words
  if (relatives.has(first.replace(/'s$/u, ""))) return "own"
  if (/^turn(?:s|ed) out\b/iu.test(text)) return "it"
  if (words.length > 1 && pastForms.test(first) && !otherForms.has(first) && !/^(?:need|feed|speed)/u.test(first))
    return "omitted"
  if (omittedStart.test(text) && !speakerWords.has(first)) return "omitted"
  for (const [index, word] of words.slice(0, maxLead).entries()) {
    // "This week the meeting": neither word is the subject.
    if (index < 2 && thisPeriod.test(`${words[0]} ${words[1]}`)) continue
    if (speakerWords.has(word)) return "speaker"
    if (groupWords.has(word)) return "group"
    if (ownWords.has(word)) return "own"
    if (personWords.has(word)) return "pronoun"
    if (thingWords.has(word)) return "it"
    if (listenerWords.has(word)) return "listener"
    if (prepositions.has(word) || leadWords.has(word)) continue
    if (index > 0 && prepositions.has(words[index - 1]!)) continue
    if (determiners.has(word)) return leadsPhrase(words) ? subjectAfterComma(text) : "thing"
    if (/^\p{Lu}\p{Ll}/u.test(original[index]!) && !isOrdinary(word)) return "named"
    if (index === 0 && prepositions.has(words[0]!)) continue
    return leadsPhrase(words) ? subjectAfterComma(text) : "thing"
  }
  return "thing"
}
const thisPeriod =
  /^(?:this|next) (?:week|weekend|month|quarter|year|morning|afternoon|evening|(?:mon|tues|wednes|thurs|fri|satur|sun)day)$/u
/** Maximum words in which the subject is searched. */
const maxLead = 6

const leadsPhrase = (words: ReadonlyArray<string>): boolean => prepositions.has(words[0] ?? "")

/** The subject after a leading phrase: "in March we moved", "since the operation my knee hurts". */
const subjectAfterComma = (text: string): Subject => {
  for (const [word] of text.toLowerCase().matchAll(/[\p{L}']+/gu)) {
    if (speakerWords.has(word)) return "speaker"
    if (groupWords.has(word)) return "group"
    if (ownWords.has(word)) return "own"
    if (personWords.has(word)) return "pronoun"
  }
  return "thing"
}

/**
 * True if a word at the start of a sentence is an ordinary word, not a name: only its position makes it capitalised.
 */
const isOrdinary = (word: string): boolean => {
  const entry = lexicon.entries.get(stemOf(word))
  return (
    entry !== undefined || prepositions.has(word) || determiners.has(word) || requestWords.has(word) || word.length < 3
  )
}
