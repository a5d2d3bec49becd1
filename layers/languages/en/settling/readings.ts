import { functionWords, isStopWord, setOf } from "../../../../text/normalise/functionWords.js"
import { ownText } from "../../../../text/normalise/ownText.js"
import { sentencesOf } from "../../../../text/normalise/sentences.js"
import { stemOf } from "../../../../text/normalise/stem.js"

/** A parsed text: the words about the present state, and the words about ended states. */
export interface Reading {
  /** Lines and their clauses, each as lower-case words. A clause begins with its subject. */
  readonly clauses: ReadonlyArray<ReadonlyArray<string>>
  /** Stems of all content words. */
  readonly allStems: ReadonlySet<string>
  /** Stems of words about the present state. */
  readonly now: ReadonlySet<string>
  /** Stems of words about ended states. */
  readonly ended: ReadonlySet<string>
  /** Capitalised words within a sentence. */
  readonly names: ReadonlySet<string>
  /** Capitalised words at the start of the text. */
  readonly initial: ReadonlySet<string>
  /** Words in lower case. */
  readonly lowerCase: ReadonlySet<string>
  /** True if the text mentions a change. */
  readonly mentionsChange: boolean
}

const begin = "(?<![\\p{L}\\p{N}])"
const end = "(?![\\p{L}\\p{N}])"
/** Matches one word to its end, so that the pattern never backtracks. Includes dots in numbers and after "Dr". */
const word = "[^\\s,;:.!?()]+(?:[.,:](?=\\p{N})[^\\s,;:.!?()]+)*(?:\\.(?=\\s\\p{Lu}))?(?=[\\s,;:.!?()]|$)"
/** Matches up to seven words before the first of the stop words. */
const until = (stops: string): string => `((?:(?!${begin}(?:${stops})${end})${word}\\s*){1,7})`
const parts = "and|but|since|because|while|she|he|they|so"

/** Matches words that only say whether something changed. */
const changing = new RegExp(
  `${begin}(?:now|these days|from now on|as of \\S+(?: \\S+)?|from (?:today|this \\S+)(?: on)?|since (?:today|this \\S+)|` +
    `currently|any ?more|nowadays|still|already|as (?:before|planned|usual)|again|instead(?! of)|only)${end}`,
  "giu"
)

/** Phrases whose captured words name something that has ended. */
const departurePatterns: ReadonlyArray<RegExp> = [
  `(?:no longer|not|never|nobody|instead of|in place of|rather than|used to|formerly|previously|tired of|n't|n’t)\\s+${until(parts)}`,
  `(?:replac\\w+|swapp\\w+|trad(?:ed|es|ing)|exchang\\w+)\\s+${until(`${parts}|by|with|for|to|as`)}`,
  `(?:(?:left|leaves|leaving)(?!\\s+(?:on|at|for|from|in|to))|lost|gave up|given? up|giv\\w+ up|stopp\\w+|quit|sold|dropp\\w+|drops|clos(?:ed|es)|cancel\\w+|abandon\\w+|ended|parted with|moved out of|moved off|took over from|over from|scrap)\\s+${until(`${parts}|by|with|for|to|as|in`)}`,
  `from\\s+${until(`${parts}|to`)}(?:to|(?:she |he |they )?bec[ao]mes?)${end}`
].map((pattern) => new RegExp(`${begin}${pattern}`, "giu"))

/** Words that mention a change. */
const changePattern = new RegExp(
  `${begin}(?:now|no longer|any ?more|these days|from now on|as of|from today|since today|instead|in place of|rather than|not|never|` +
    "new|bec[ao]me|becoming|mov(?:ed|es)|switch\\w*|chang\\w+|replac\\w+|swapp\\w+|exchang\\w+|traded|migrat\\w+|ported|shifted|slipped|" +
    "postponed|promoted|transferr\\w+|convert\\w+|return\\w*|relocat\\w+|renamed|took over|taken? to|went (?:over|back)|gave up|given up|" +
    `left|quit|sold|dropp\\w+|drops|closed|cancel\\w+|abandon\\w+|ended|retired|lost|joined|started|parted|again)${end}`,
  "iu"
)

const months =
  "jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?|sep(?:t(?:ember)?)?|oct(?:ober)?|nov(?:ember)?|dec(?:ember)?"
const dayMonth = new RegExp(`(?<![\\p{L}\\p{N}.:])(\\d{1,2})(?:st|nd|rd|th)?\\s+(${months})${end}`, "giu")
const monthDay = new RegExp(`${begin}(${months})\\s+(\\d{1,2})(?:st|nd|rd|th)?(?![\\p{L}\\p{N}:.])`, "giu")
const clock = /(?<![\p{L}\p{N}.:])(\d{1,2})(?:[:.](\d{2}))?\s*([ap])\.?m\.?(?![\p{L}\p{N}])/giu

/** Writes days of a month as "may-3" and times of day as "15:00". */
const toPlainText = (text: string): string =>
  text
    .replace(dayMonth, (_, day: string, month: string) => `${month.slice(0, 3).toLowerCase()}-${day}`)
    .replace(monthDay, (_, month: string, day: string) => `${month.slice(0, 3).toLowerCase()}-${day}`)
    .replace(clock, (_, hour: string, minute: string | undefined, half: string) => {
      const hours = (Number(hour) % 12) + (half.toLowerCase() === "p" ? 12 : 0)
      return `${hours}:${minute ?? "00"}`
    })

const wordsIn = (text: string): ReadonlyArray<string> =>
  text.match(/['’]s(?![\p{L}\p{N}])|[\p{L}\p{M}\p{N}]+(?:[.:,'’-](?!s(?![\p{L}\p{N}]))[\p{L}\p{M}\p{N}]+)*/gu) ?? []

const articlesAndTitles = setOf(functionWords.articles, "dr mr mrs ms prof")
const stayVerbs = new Set(["remains", "stays", "remain", "stay"])
const lower = (word: string): string => {
  const small = word.toLowerCase().replaceAll("’", "'")
  return stayVerbs.has(small) ? "is" : small
}
const clauseOf = (words: ReadonlyArray<string>): ReadonlyArray<string> =>
  words.map(lower).filter((word) => !articlesAndTitles.has(word))

/** True if a word has content: no article, no function word, no single letter. */
export const isContentWord = (word: string): boolean => {
  let isContent = contentWords.get(word)
  if (isContent !== undefined) return isContent
  if (contentWords.size >= cacheSize) contentWords.clear()
  isContent =
    word !== "'s" && !articlesAndTitles.has(word) && (word.length > 1 || /\p{N}/u.test(word)) && !isStopWord(word)
  contentWords.set(ownText(word), isContent)
  return isContent
}
const contentWords = new Map<string, boolean>()

/** The stems of the content words. */
export const stemsOf = (words: Iterable<string>): ReadonlySet<string> =>
  new Set([...words].filter(isContentWord).map(stemOf))

const isCapital = (word: string): boolean => /^\p{Lu}/u.test(word)
const subjectPronouns = new Set(["she", "he", "they", "it", "who"])
const possessivePronouns = new Set(["her", "his", "their", "its", "whose"])
const between = /\s*[;:,()]+(?:\s+|$)|\s+(?:and|but|so|because|while)\s+/u

const joining = /^\s*(?:and|but|so|because|while)\s+/u

/** Cached readings by text, because the nightly run reads most texts more than once. */
const readings = new Map<string, Reading>()
const cacheSize = 20_000
/** Maximum characters of a text; a longer text is cut. */
const maxChars = 1_000

/** Parses the lines of a memory. Cached. */
export const readingOf = (text: string): Reading => {
  const start = text.slice(0, maxChars)
  const cached = readings.get(start)
  if (cached !== undefined) return cached
  if (readings.size >= cacheSize) readings.clear()
  const key = ownText(start)
  const reading = read(key)
  readings.set(key, reading)
  return reading
}

const read = (text: string): Reading => {
  const clauses: Array<ReadonlyArray<string>> = []
  const [names, initial, lowerCase] = [new Set<string>(), new Set<string>(), new Set<string>()]
  const [now, ended, allStems] = [new Set<string>(), new Set<string>(), new Set<string>()]
  for (const [row, raw] of text.split("\n").entries()) {
    const line = toPlainText(raw)
    let current = line.replace(changing, " ")
    let formerLine = ""
    for (const pattern of departurePatterns) {
      current = current.replace(pattern, (_, phrase: string) => {
        formerLine += ` ${phrase}`
        return " "
      })
    }
    for (const stem of stemsOf(clauseOf(wordsIn(current)))) now.add(stem)
    for (const stem of stemsOf(clauseOf(wordsIn(formerLine)))) ended.add(stem)
    for (const stem of stemsOf(clauseOf(wordsIn(line)))) allStems.add(stem)
    for (const [at, word] of wordsIn(line).entries()) {
      if (!isCapital(word)) lowerCase.add(lower(word))
      else if (at > 0 && !isStopWord(word)) names.add(lower(word))
      // Only the first line counts, because facts rarely begin with a name.
      else if (at === 0 && row === 0 && !isStopWord(word)) initial.add(lower(word))
    }
    clauses.push(...clausesOf(current))
  }
  for (const stem of now) ended.delete(stem)
  return { clauses, allStems, now, ended, names, initial, lowerCase, mentionsChange: changePattern.test(text) }
}

/** The complete line and its clauses. Pronouns are replaced by the subject; "x: y" is also read as "x is y". */
const clausesOf = (line: string): ReadonlyArray<ReadonlyArray<string>> => {
  const clauses = [clauseOf(wordsIn(line))]
  const pieces = sentencesOf(line)
    .flatMap((sentence) => sentence.split(between))
    .map((piece) => wordsIn(piece.replace(joining, "")))
    .filter((words) => words.length > 0)
  let subject: ReadonlyArray<string> = []
  if (pieces.length > 1) {
    for (const words of pieces) {
      const name = leadingName(words)
      const first = words[0]!.toLowerCase()
      if (name.length > 0) subject = name
      if (subjectPronouns.has(first)) clauses.push(clauseOf([...subject, ...words.slice(1)]))
      else if (possessivePronouns.has(first)) clauses.push(clauseOf([...subject, "'s", ...words.slice(1)]))
      else clauses.push(clauseOf(name.length > 0 || isCapital(words[0]!) ? words : [...subject, ...words]))
    }
  }
  const colon = /^([^:]{3,60}):\s+(\S.{0,60})$/u.exec(line)
  if (colon !== null) clauses.push(clauseOf([...wordsIn(colon[1]!), "is", ...wordsIn(colon[2]!)]))
  return clauses.filter(({ length }) => length > 2 && length <= maxClauseWords)
}
const maxClauseWords = 16

/** The name at the start of a clause, at most three words. */
const leadingName = (words: ReadonlyArray<string>): ReadonlyArray<string> => {
  let count = 0
  while (count < words.length && count < 3 && isCapital(words[count]!) && !isStopWord(words[count]!)) count++
  return words.slice(0, count)
}
