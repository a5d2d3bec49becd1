import { isStopWord } from "../../text/normalise/stopWords.js"

/** A text taken apart: what it says is so, and what it says is so no longer. */
export interface Reading {
  /** Its lines, and the parts of them, each as words in lower case; what a part is about stands at its beginning. */
  readonly clauses: ReadonlyArray<ReadonlyArray<string>>
  /** The stems of all words that say something, of those of what is so, and of those of what is over. */
  readonly all: ReadonlySet<string>
  readonly now: ReadonlySet<string>
  readonly over: ReadonlySet<string>
  /** Words that are written as names within a sentence; those that begin one; and what is written small. */
  readonly names: ReadonlySet<string>
  readonly initial: ReadonlySet<string>
  readonly small: ReadonlySet<string>
  /** Whether it says of itself that something changed. */
  readonly marks: boolean
}

const begin = "(?<![\\p{L}\\p{N}])"
const end = "(?![\\p{L}\\p{N}])"
/** A word up to its end: a part of one would be tried again and again. Points and commas within numbers, and after "Dr". */
const word = "[^\\s,;:.!?()]+(?:[.,:](?=\\p{N})[^\\s,;:.!?()]+)*(?:\\.(?=\\s\\p{Lu}))?(?=[\\s,;:.!?()]|$)"
/** Up to so many words behind a word that ends something, until another part of the sentence begins. */
const until = (stops: string): string => `((?:(?!${begin}(?:${stops})${end})${word}\\s*){1,7})`
const parts = "and|but|since|because|while|she|he|they|so"

/** Words that only say that something changed, or did not. */
const changing = new RegExp(
  `${begin}(?:now|these days|from now on|as of \\S+(?: \\S+)?|from (?:today|this \\S+)(?: on)?|since (?:today|this \\S+)|` +
    `currently|any ?more|nowadays|still|already|as (?:before|planned|usual)|again|instead(?! of)|only)${end}`,
  "giu"
)

/** What is said not to be so any longer. */
const leaving: ReadonlyArray<RegExp> = [
  `(?:no longer|not|never|nobody|instead of|in place of|rather than|used to|formerly|previously|tired of|n't|n’t)\\s+${until(parts)}`,
  `(?:replac\\w+|swapp\\w+|trad(?:ed|es|ing)|exchang\\w+)\\s+${until(`${parts}|by|with|for|to|as`)}`,
  `(?:(?:left|leaves|leaving)(?!\\s+(?:on|at|for|from|in|to))|lost|gave up|given? up|giv\\w+ up|stopp\\w+|quit|sold|dropp\\w+|drops|clos(?:ed|es)|cancel\\w+|abandon\\w+|ended|parted with|moved out of|moved off|took over from|over from|scrap)\\s+${until(`${parts}|by|with|for|to|as|in`)}`,
  `from\\s+${until(`${parts}|to`)}(?:to|(?:she |he |they )?bec[ao]mes?)${end}`
].map((pattern) => new RegExp(`${begin}${pattern}`, "giu"))

/** What a text has that tells of a change. */
const tellsChange = new RegExp(
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

/** A day of a month and a time of day in one way each. */
const plain = (text: string): string =>
  text
    .replace(dayMonth, (_, day: string, month: string) => `${month.slice(0, 3).toLowerCase()}-${day}`)
    .replace(monthDay, (_, month: string, day: string) => `${month.slice(0, 3).toLowerCase()}-${day}`)
    .replace(clock, (_, hour: string, minute: string | undefined, half: string) => {
      const hours = (Number(hour) % 12) + (half.toLowerCase() === "p" ? 12 : 0)
      return `${hours}:${minute ?? "00"}`
    })

const wordsIn = (text: string): ReadonlyArray<string> =>
  text.match(/['’]s(?![\p{L}\p{N}])|[\p{L}\p{M}\p{N}]+(?:[.:,'’-](?!s(?![\p{L}\p{N}]))[\p{L}\p{M}\p{N}]+)*/gu) ?? []

const articles = new Set(["a", "an", "the", "dr", "mr", "mrs", "ms", "prof"])
const stays = new Set(["remains", "stays", "remain", "stay"])
const lower = (word: string): string => {
  const small = word.toLowerCase().replaceAll("’", "'")
  return stays.has(small) ? "is" : small
}
const clauseOf = (words: ReadonlyArray<string>): ReadonlyArray<string> =>
  words.map(lower).filter((word) => !articles.has(word))

/** A word of content as it is compared: one and many are the same. */
export const stemOf = (word: string): string =>
  word.length > 3 && word.endsWith("s") && !word.endsWith("ss") ? word.slice(0, -1) : word

/** Whether a word says something. */
export const tells = (word: string): boolean => {
  let known = telling.get(word)
  if (known !== undefined) return known
  if (telling.size >= mostTaken) telling.clear()
  known = word !== "'s" && !articles.has(word) && (word.length > 1 || /\p{N}/u.test(word)) && !isStopWord(word)
  telling.set(word, known)
  return known
}
const telling = new Map<string, boolean>()

export const stemsOf = (words: Iterable<string>): ReadonlySet<string> => new Set([...words].filter(tells).map(stemOf))

const isCapital = (word: string): boolean => /^\p{Lu}/u.test(word)
const others = new Set(["she", "he", "they", "it", "who"])
const theirs = new Set(["her", "his", "their", "its", "whose"])
const between = /\s*[;:,!?()]+(?:\s+|$)|\.\s+(?=\p{Lu})|\s+(?:and|but|so|because|while)\s+/u

const joining = /^\s*(?:and|but|so|because|while)\s+/u

/** Texts that were taken apart: most come up night after night. */
const taken = new Map<string, Reading>()
const mostTaken = 20_000
/** Characters of a text that are read: what has a value is said in a sentence. */
const mostRead = 1_000

/** Takes the lines of a memory apart. */
export const readingOf = (text: string): Reading => {
  const before = taken.get(text)
  if (before !== undefined) return before
  if (taken.size >= mostTaken) taken.clear()
  const reading = read(text.slice(0, mostRead))
  taken.set(text, reading)
  return reading
}

const read = (text: string): Reading => {
  const clauses: Array<ReadonlyArray<string>> = []
  const [names, initial, small] = [new Set<string>(), new Set<string>(), new Set<string>()]
  const [now, over, all]: Array<Set<string>> = [new Set(), new Set(), new Set()]
  for (const [row, raw] of text.split("\n").entries()) {
    const line = plain(raw)
    let left = line.replace(changing, " ")
    let gone = ""
    for (const pattern of leaving) {
      left = left.replace(pattern, (_, one: string) => {
        gone += ` ${one}`
        return " "
      })
    }
    for (const stem of stemsOf(clauseOf(wordsIn(left)))) now!.add(stem)
    for (const stem of stemsOf(clauseOf(wordsIn(gone)))) over!.add(stem)
    for (const stem of stemsOf(clauseOf(wordsIn(line)))) all!.add(stem)
    for (const [at, one] of wordsIn(line).entries()) {
      if (!isCapital(one)) small.add(lower(one))
      else if (at > 0 && !isStopWord(one)) names.add(lower(one))
      // What a fact begins with is seldom a name.
      else if (at === 0 && row === 0 && !isStopWord(one)) initial.add(lower(one))
    }
    clauses.push(...clausesOf(left))
  }
  for (const stem of now!) over!.delete(stem)
  return { clauses, all: all!, now: now!, over: over!, names, initial, small, marks: tellsChange.test(text) }
}

/** A line, and its parts: each says of whom it is, and what stands before a colon is what stands behind it. */
const clausesOf = (line: string): ReadonlyArray<ReadonlyArray<string>> => {
  const found = [clauseOf(wordsIn(line))]
  const pieces = line
    .split(between)
    .map((piece) => wordsIn(piece.replace(joining, "")))
    .filter((words) => words.length > 0)
  let subject: ReadonlyArray<string> = []
  if (pieces.length > 1) {
    for (const words of pieces) {
      const leading = leadingOf(words)
      const first = words[0]!.toLowerCase()
      if (leading.length > 0) subject = leading
      if (others.has(first)) found.push(clauseOf([...subject, ...words.slice(1)]))
      else if (theirs.has(first)) found.push(clauseOf([...subject, "'s", ...words.slice(1)]))
      else found.push(clauseOf(leading.length > 0 || isCapital(words[0]!) ? words : [...subject, ...words]))
    }
  }
  const colon = /^([^:]{3,60}):\s+(\S.{0,60})$/u.exec(line)
  if (colon !== null) found.push(clauseOf([...wordsIn(colon[1]!), "is", ...wordsIn(colon[2]!)]))
  return found.filter(({ length }) => length > 2 && length <= longest)
}
const longest = 16

/** The name that a part begins with. */
const leadingOf = (words: ReadonlyArray<string>): ReadonlyArray<string> => {
  let count = 0
  while (count < words.length && count < 3 && isCapital(words[count]!) && !isStopWord(words[count]!)) count++
  return words.slice(0, count)
}
