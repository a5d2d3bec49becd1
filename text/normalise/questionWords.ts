import { functionWords, setOf } from "./functionWords.js"
import { lazy } from "./lazy.js"

/** Words of questions by language: words for times and for speakers, and words that say nothing about the subject. */

const edges = lazy(() => /^[^\p{L}\p{N}]+|[^\p{L}\p{N}]+$/gu)

/** Whether a word may be a month, a day or a season, but may also have another meaning. */
export const isAmbiguousTime = (word: string): boolean => ambiguous.test(word)

const ambiguous = /^\P{L}*(?:may|march|mon|wed|sat|sun|spring|fall)\P{L}*$/iu

/** Whether a text names a time by its distance from now: "two weeks ago", "last year", "最近". */
export const isRelativeTime = (text: string): boolean => relativeTime.test(text)

const relativeTime = /\b(?:ago|last|past|previous|next|earlier|later)\b|前|最近|过去|過去/iu

/**
 * Returns true for a word of a time expression that the text of a memory does not contain, such as "last" or
 * "yesterday".
 */
export const isRelativeWord = (word: string): boolean => relativeWord.test(word.replace(edges(), ""))

const relativeWord = new RegExp(
  `^(?:${[
    "last|next|this|past|previous|ago|since|until|till|before|after|between|from|to|and|on|in|at|of|the|a|an|early|mid|late",
    "earlier|later|than|half|fortnights?|centur(?:y|ies)",
    "yesterday|today|tonight|tomorrow|weekend|(?:hour|day|week|month|quarter|year|decade)s?",
    "morning|noon|afternoon|evening|night|midnight|one|two|three|four|five|six|seven|eight|nine|ten|few|couple|several",
    "[今昨前去上下本这這过過最近个個几幾一二三四五六七八九十两兩天日周週月年早晚上中午下半夜以来之]+"
  ].join("|")})$`,
  "iu"
)

/** Returns true for a word of a question that says nothing about its subject, such as "happened" in "what happened". */
export const isFillerWord = (word: string): boolean => frame.test(word.replace(edges(), ""))

const frame = new RegExp(
  `^(?:${[
    "happen(?:s|ed|ing)?|occur(?:s|red)?|going|went|gone|done|new|newest|latest|news|recent(?:ly)?|everybody|everyone|anyone",
    "anything|everything|something|things?|stuff|events?|memor(?:y|ies)|notes?|entr(?:y|ies)|turns?|messages?",
    "show|list|give|tell|get|find|know|known?|remember(?:ed)?|recall|recorded|noted|stored|saved|please",
    "say|says|said|talk(?:ed)?|discuss(?:ed)?|summar(?:y|i[sz]e)|recap|overview|back",
    "wr(?:ite|ote|itten|iting)|jot(?:ted)?|put|sets?|entered|logged|came|comes?|coming|see|saw|seen|bring|brought",
    "due|deadlines?|upcoming|ahead|scheduled|exactly|left"
  ].join("|")})$`,
  "iu"
)

/**
 * The times of a memory that a question asks for. `any`: when the memory happened, or when it was written if it is
 * about a later time.
 */
export type TimeReading = "happened" | "written" | "due" | "any"

export const timeReadingOf = (text: string): TimeReading =>
  dueWords.test(text) ? "due" : writtenWords.test(text) ? "written" : happenedWords.test(text) ? "happened" : "any"

const dueWords =
  /\b(?:due|deadlines?|upcoming|coming up|comes up|ahead of (?:me|us)|expir(?:es?|ing)|(?:has|have|had|need|needs|got) to (?:be done|do|get done)|left to do|to-?dos?)\b/iu
const writtenWords =
  /\b(?:wr(?:ite|ote|itten|iting)|noted|note down|jot(?:ted)? down|saved?|stor(?:ed?|ing)|recorded|logged|entered|put (?:down|on)|add(?:ed)?|remembered)\b/iu
const happenedWords = /\b(?:happen(?:s|ed|ing)?|occur(?:s|red)?|(?:took|take|taking) place|went on|going on)\b/iu

/** The types of memories that a word of a question names: "decisions", "decided". */
export const typesNamedBy = (word: string): ReadonlyArray<string> => {
  const bare = word.toLowerCase().replace(edges(), "")
  return typeWords.flatMap(([pattern, ...types]) => (pattern.test(bare) ? types : []))
}

const typeWords: ReadonlyArray<readonly [RegExp, ...ReadonlyArray<string>]> = [
  [/^(?:decisions?|decided?|deciding)$/u, "decision"],
  [/^(?:tasks?|to-?dos?|jobs?|chores?|deadlines?|due)$/u, "task"],
  [/^(?:plans?|planned|planning)$/u, "plan"],
  [/^(?:preferences?|preferred)$/u, "preference"],
  [/^(?:people|persons?)$/u, "person"],
  [/^(?:solutions?|fix(?:es|ed)|solved)$/u, "solution"],
  [/^(?:discover(?:y|ies|ed)|learn(?:ed|t))$/u, "discovery"],
  [/^(?:settings?|config(?:uration)?s?|configured)$/u, "config", "configuration"]
]

/** Whether a question mentions its asker ("I", "my"). `words` are its words in lower case. */
export const mentionsAsker = (text: string, words: ReadonlySet<string>): boolean =>
  [...firstPerson].some((word) => words.has(word)) || firstPersonInside.test(text)

const firstPerson = setOf(functionWords.speaker, "mine")
/** Matches Chinese "I", and Japanese "I" before a particle. Does not match "we", "ego" or "our country". */
const firstPersonInside = /(?<!自)我(?![们們国國々らが])|[私僕俺](?=[はがのをにもと])/u

/** Whether "may" is a month in this text: next to a number or a preposition of time. */
export const mentionsMonthMay = (text: string): boolean =>
  /\b(in|of|since|until|last|this|next|\d{1,2}(st|nd|rd|th)?) may\b|\bmay,? \d/i.test(text)

/** The days of a month that a text names: "8", "8th". */
export const daysNamedIn = (text: string): ReadonlyArray<number> =>
  [...text.matchAll(/\b(\d{1,2})(?:st|nd|rd|th)?\b/giu)].map(([, day]) => Number(day))

const articles = setOf(functionWords.articles)

/** Whether a word in lower case is an article. */
export const isArticle = (word: string): boolean => articles.has(word)

/**
 * The character ranges of a query that only introduce the request: "tell me what you know of", "do you remember which".
 * `to` is exclusive.
 */
export const requestPhraseRanges = (text: string): ReadonlyArray<readonly [from: number, to: number]> =>
  [...text.matchAll(frames)].map(({ 0: { length }, index }) => [index, index + length])

/** A query without the phrases that only introduce it; the query itself if nothing else remains. */
export const withoutRequestPhrases = (text: string): string => {
  const content = text.replace(frames, " ")
  return /[\p{L}\p{N}]/u.test(content) ? content.replace(/\s+/gu, " ").trim() : text
}

const recalling = "(?:know|remember|recall|recollect|think\\s+of)"
const asking =
  "(?:which|what|who|whom|whose|when|where|why|how|if|whether|that|about|of|from|anything|everything|something)"
const someone = "(?:you|we|i)"

const frames = new RegExp(
  [
    "^\\s*(?:(?:please|hey|hi|ok|okay|so|and|well),?\\s+)?(?:(?:can|could|will|would)\\s+you\\s+)?(?:please\\s+)?" +
      "(?:(?:show|tell|give|remind|find|get)\\s+(?:me|us)(?:\\s+again)?|search\\s+for|look\\s+(?:for|up)|" +
      "(?:list|show)\\s+(?:all|every)|let\\s+me\\s+know|help\\s+me\\s+(?:to\\s+)?(?:find|remember|recall))(?=\\s)",
    "\\b(?:everything|anything|something|all)\\s+(?:about|on|of)(?=\\s)",
    `\\b(?:(?:do|did|can|could|would|should)\\s+)${someone}\\s+(?:still\\s+|perhaps\\s+|happen\\s+to\\s+)?${recalling}(?=\\s+${asking}\\b)`,
    `\\b(?:what|everything|all|anything|something)\\s+(?:do\\s+|that\\s+)?${someone}\\s+(?:still\\s+)?${recalling}(?:\\s+(?:about|of|on))?(?=\\s)`,
    `\\b(?:i\\s+(?:want|need|would\\s+like)|i['’]d\\s+like)\\s+to\\s+know(?=\\s)`,
    `\\b(?:what\\s+)?(?:can|could)\\s+you\\s+(?:please\\s+)?tell\\s+me(?:\\s+(?:about|of))?(?=\\s)`,
    `\\b(?:i\\s+(?:wonder|forgot|forget|was\\s+wondering)|i\\s+(?:can['’]?t|cannot|don['’]?t)\\s+(?:quite\\s+)?${recalling}|any\\s+idea|refresh\\s+my\\s+memory(?:\\s+(?:on|about|of))?)(?=\\s)`,
    `\\b(?:is|was|are|were)\\s+there\\s+(?:anything|something)(?=\\s)`
  ].join("|"),
  "giu"
)
