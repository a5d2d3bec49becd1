import { isCodeLine } from "../../../../text/normalise/gate.js"
import { sentencesOf } from "../../../../text/normalise/sentences.js"
import { withSpelling } from "./spelling.js"

/** A part of a sentence that can be read as a statement of its own, in the words of its turn. */
export interface Piece {
  readonly text: string
  /** The index of its sentence in the turn. */
  readonly sentence: number
  /** The piece comes directly before the question mark of its sentence. */
  readonly isAsked: boolean
  /** The piece continues the previous piece: it begins with "it" or "which", or has no subject of its own. */
  readonly continues: boolean
  /** The piece is a question of the assistant that the user affirmed, as a statement. */
  readonly isAffirmed?: boolean
  /** For an item of a list: the heading above the list. */
  readonly heading?: string
}

/** Maximum characters and pieces that are read from a turn, and maximum characters of a piece. */
const limits = { characters: 4_000, pieces: 60, pieceCharacters: 500 }

const codeBlock = /(```|~~~)[\s\S]*?(?:\1|$)/gu
/** Lines of forwarded mail, tables and logs. */
const foreignLine =
  /^\s*(?:>|\|.*\||[-+|=]{4,}|(?:\[?\d{4}-\d\d-\d\d[T ]|\[?\d\d:\d\d:\d\d)|at \S+ ?\(|(?:From|To|Cc|Subject|Sent|Date):\s|(?:DETAIL|HINT|CONTEXT|STATEMENT|ERROR|WARN(?:ING)?|INFO|DEBUG|FATAL|TRACE|NOTICE|LOG):\s(?!.*\b(?:[Ii]|[Mm]y|[Ww]e|[Oo]ur)\b)|File ".*", line \d|\p{Lu}\p{Ll}{2} +\d{1,2} \d\d:\d\d:\d\d |(?:Traceback|Caused by:|npm ERR!|error\[?\w*\]?:|warning:|\$ |>>> )|[\w.$]*(?:Error|Exception):\s)/u
/** A source location with a line number, or program output. Both occur in error reports. */
const reported =
  /\b[\w./-]+\.[a-z]{1,4}:\d+(?::\d+)?\b|\bpanicked at\b|^\s*(?:[\w.]*(?:Error|Exception|Warning)|FAIL(?:ED)?|fatal|panic|exit (?:code|status))\b.*[:(]|\b\w*(?:Error|Exception): |: (?:fatal )?error: |\b\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d\S* \[?(?:ERROR|WARN(?:ING)?|INFO|DEBUG|FATAL)\b|\b\w+\.\w*error\w*: |\bCannot (?:read|find|set|access|resolve) [a-z]+ |\bis not (?:a function|iterable|defined|assignable)\b/u
const columns = /\S(?: {3,}|\t)\S.*(?: {3,}|\t)\S|\S +\| +\S.* \| +\S.* \| +\S/u

/** Text in quotation marks. Single quotation marks count only at the edges of words. */
const quotation = /"([^"]{1,600})"|(?<=[\s(]|^)'([^']{1,600})'(?=[\s.,!?)]|$)/gu
/** Minimum words of a quotation of somebody's words; shorter quoted text is a name. */
const minQuotedWords = 3
/** Replaces words that were quoted. */
export const quotePlaceholder = "“…”"

/** The prose lines of a text, without code, tables, logs and forwarded mail. */
const proseOf = (text: string): string =>
  text
    .slice(0, limits.characters)
    .replace(codeBlock, "\n")
    .replaceAll(/[’‘]/gu, "'")
    .replaceAll(/[“”„«»]/gu, '"')
    .split("\n")
    .filter((line) => !foreignLine.test(line) && !columns.test(line) && !isCodeLine(line))
    .join("\n")
    .replaceAll(/[ \t]+/gu, " ")
    .replace(quotation, (whole, double: string | undefined, single: string | undefined) =>
      (double ?? single ?? "").trim().split(" ").length < minQuotedWords ? whole : quotePlaceholder
    )

const bullet = /^\s*(?:[-*•]|\d{1,2}[.)])\s+(?:\[[ x]\]\s+)?/u
const abbreviated = /(?:^|\s)(?:\p{Lu}|St|Dr|Mr|Mrs|Ms|Prof|no|approx|ca|vs|etc|e\.g|i\.e|p\.m|a\.m|incl|max|min)\.$/u
/** An emoticon or a laugh ends a sentence too. */
const smileyEnd = /(?<=\p{Extended_Pictographic}\uFE0F?|\s[:;]-?[)(DP]|\s(?:lol|haha+|lmao|rofl))(?=\s+\S)/giu
const moreEnd = /(?<=\S)\s+(?:[-–—]{1,2}|…)\s+|\s*(?:;|—|\.{3,}|…)\s+/u

const pronouns = "[Ii]|[Ww]e|[Hh]e|[Ss]he|[Tt]hey|it|there|you|this|that"
const finite =
  "is|are|was|were|has|have|had|will|would|can|could|must|should|does|do|did|isn't|aren't|wasn't|won't|can't|doesn't|don't|didn't|[a-z]{3,}(?:s|ed)|came|went|got|left|took|gave|said|told|lost|bought|sold|broke|died|made|found"
/** The first words of a clause: a pronoun, or a name or a noun phrase before a verb. */
const subject = `(?:(?:${pronouns})(?:'\\w+)?|(?:im|ive|its|thats|hes|shes|theyre)|(?:my|our|his|her|their|the)\\s+[\\w'-]+(?:\\s+[\\w'-]+){0,2}?\\s+(?:${finite})|\\p{Lu}[\\p{Ll}'-]+(?:'s)?\\s+(?:${finite}))(?=[\\s,]|$)`
/** After "while": somebody's absence, which limits the time of the statement before it. */
const absence =
  "\\s+\\S+(?:\\s+\\S+){0,4}?\\s+(?:away|abroad|off|out|ill|sick|gone|recovering|travell?ing|on (?:\\w+ )?(?:leave|holiday|vacation|honeymoon)|in hospital)\\b"
/**
 * Patterns for the start of a clause within a sentence, each with an example. They also cut off remarks after a
 * statement.
 */
const clauseStarts = [
  // …, although I like it
  `(?:,\\s+|\\s+(?<=(?:\\S+\\s+){3}))(?:although|though|so|whereas|while(?!${absence}))\\s+(?=${subject})`,
  // … and I moved to Ghent; not "and it works now"
  `,?\\s+and\\s+(?:now\\s+|then\\s+|so\\s+)?(?<=(?:\\S+\\s+){4})(?!(?:it|that|this|everything|all|the \\w+|they)(?:'s|'re)? (?:\\w+ )?(?:works?|worked|passes|passed|gone|went|fixed|solved|disappeared|stopped|fine|builds?|green|back)\\b)(?=${subject})`,
  // …, my knee hurts
  `,\\s+(?=${subject})`,
  // …, Monday's class
  `,\\s+(?=(?:Mon|Tues|Wednes|Thurs|Fri|Satur|Sun)day's\\s)`,
  // … but she left; not "but it was cancelled"
  `,?\\s+but\\s+(?!it(?:'s| is| was| has| got)(?: now| just| since)? (?:been )?(?:\\w+ed|off|put off)\\b)`,
  // … and also I am tired
  `,?\\s+and also\\s+(?=${subject})`,
  // …, so pray for me
  `,\\s+so\\s+(?=(?:pray|wish|pity|sorry|fingers)\\s)`,
  // … or Denise kills me
  `,?\\s+or\\s+(?=(?:[\\w']+\\s+){1,3}(?:kills?|murders?|divorces?|haunts?|eats?)\\s+(?:me|us)(?:\\s|$))`,
  // …, last time you …
  `,\\s+(?=last time\\s)`,
  // … and if somebody breaks one …
  `(?:,|,?\\s+and)\\s+(?=if\\s+(?:${subject}|some(?:body|one)\\s))`,
  // … so at least …
  `,?\\s+(?=so at least\\s)`,
  // …, and please no …
  `,\\s+and\\s+(?=please\\s)`,
  // …, which means we …
  `,\\s+(?:except|only|which means|meaning)(?: that)?\\s+(?=${subject})`,
  // …: I …
  `:\\s+(?=(?:[Ii]|we|my|our|the|it)(?:'\\w+)?\\s)`
]
const clauseStart = new RegExp(clauseStarts.join("|"), "u")
const dependent =
  /^(?:it|its|it's|they|that|that's|this|these|those|which|who|where|there|there's|because|same)(?![\p{L}\p{N}-])/iu

const splitWith = (pattern: RegExp) => (text: string) => text.split(pattern)

/** Splits the prose of a turn into pieces, in text order. `rewrite` changes the prose before it is split. */
export const piecesOfTurn = (
  text: string,
  rewrite: (prose: string) => string = (prose) => prose
): ReadonlyArray<Piece> => {
  const pieces: Array<Piece> = []
  let sentence = 0
  let heading: string | undefined
  for (const rawLine of rewrite(withSpelling(proseOf(text))).split("\n")) {
    const isBullet = bullet.test(rawLine)
    const line = rawLine.replace(bullet, "").trim()
    if (!isBullet) heading = line.endsWith(":") ? line.slice(0, -1) : undefined
    if (line === "" || (!isBullet && heading !== undefined)) continue
    for (const sentenceText of joined(sentencesOf(line).flatMap(splitWith(smileyEnd)))) {
      takeSentence(pieces, sentenceText, sentence++, isBullet ? heading : undefined)
      if (pieces.length >= limits.pieces) return pieces
    }
  }
  return pieces
}

const takeSentence = (pieces: Array<Piece>, text: string, sentence: number, heading: string | undefined) => {
  if (foreignLine.test(text) || reported.test(text)) return
  const isQuestion = /\?[)"'\s!?]*$/u.test(text)
  const parts = withTopics(text.split(moreEnd).flatMap(splitWith(clauseStart)))
    .flatMap((part) => (isQuestion && !tagQuestion.test(part) ? part.split(questionStart) : [part]))
    .map((part) => part.trim().replace(/^[,:;]+\s*|[,:;]+$/gu, ""))
    .filter((part) => /[\p{L}\p{N}]/u.test(part))
    .slice(0, Math.max(0, limits.pieces - pieces.length))
    .map((part) => part.slice(0, limits.pieceCharacters))
  for (const [index, part] of parts.entries()) {
    const isTagged = tagQuestion.test(part)
    pieces.push({
      text: part.replace(tagQuestion, ""),
      sentence,
      isAsked: isQuestion && !isTagged && index === parts.length - 1,
      continues: index > 0 && dependent.test(part),
      ...(heading === undefined ? {} : { heading })
    })
  }
}

/** A question after a statement: "we're going to Lyon in May, can I use data there?" */
const questionStart =
  /,\s+(?:so\s+|and\s+)?(?=(?:(?:can|could|do|does|did|is|are|will|would|should|shall|have|has)\s+(?:i|you|we|he|she|it|they|there|the|that|this|my)|what|which|where|when|how|who|why|any)\s)/iu

/**
 * Joins a topic with the clause about it: "Temi's brother, he's four" becomes "Temi's brother is four". Joins a time that
 * limits a clause with that clause: "this week, the meeting is on Tuesday".
 */
const withTopics = (parts: ReadonlyArray<string>): ReadonlyArray<string> => {
  const result: Array<string> = []
  for (const part of parts) {
    const last = result.at(-1)
    const [, ending = ""] = /^(?:he|she|they|it)('s|'re|'ve)?(?=\s)/iu.exec(part) ?? []
    if (last !== undefined && topic.test(last) && /^(?:he|she|they|it)(?:'|\s)/iu.test(part))
      result[result.length - 1] = last + (written[ending] ?? "") + part.replace(/^\S+/u, "")
    else if (last !== undefined && leadingLimit.test(last)) result[result.length - 1] = `${last} ${part}`
    else if (last !== undefined && restated.test(last) && /^it(?:'s| is| should)/iu.test(part))
      result[result.length - 1] = `${last}, ${part}`
    else result.push(part)
  }
  return result
}
const leadingLimit =
  /^(?:(?:but|and|so|ok(?:ay)?|no|sorry|well|oh)[,\s]+)*(?:(?:just |only |for )*(?:(?:this|next|this coming) (?:week|weekend|month|quarter|year|(?:mon|tues|wednes|thurs|fri|satur|sun)day)|today|tonight|tomorrow|once|now|the time being)|exceptionally|(?:until|till|while) [^,]{2,40}),?$/iu
/** "I said 11 May": the correct value follows. */
const restated =
  /(?:^|[\s,])i (?:said|wrote|told you|typed) [^,]{1,40},?$|^(?:it|that|he|she)(?:'s| is) not (?:in|at|with|on|the|an?|my) [^,]{1,40},?$/iu

const topic = new RegExp(
  `^(?!\\S+(?:'s| is) (?:my|our|an?|the) )(?:(?:and|oh|also|so)[,\\s]+)?(?:[Mm]y|[Oo]ur|[Hh]is|[Hh]er|[Tt]heir|[Tt]he|\\p{Lu}[\\p{L}-]+(?:'s)?)(?:\\s+(?!(?:${finite})(?:\\s|$))[\\p{L}-]+){0,3},?$`,
  "u"
)
const written: Readonly<Record<string, string>> = { "'s": " is", "'re": " are", "'ve": " have" }

/** "…, did I say?", "…, right?" */
const tagQuestion =
  /,\s*(?:(?:did|do|does|is|are|was|were|have|has|can|could|will|would)(?:n't)?\s+(?:i|you|he|she|it|they|we|that)(?:\s+\w+)?|right|ok(?:ay)?|correct|eh|huh|no|yes|remember|you know)\?+$/iu

/** Joins sentences that were split at the full stop of an abbreviation. */
const joined = (sentences: ReadonlyArray<string>): ReadonlyArray<string> => {
  const result: Array<string> = []
  for (const sentence of sentences) {
    const last = result.at(-1)
    if (last !== undefined && abbreviated.test(last)) result[result.length - 1] = `${last} ${sentence}`
    else result.push(sentence)
  }
  return result
}
