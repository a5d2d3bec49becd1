import { months } from "../when/dateWords.js"
import { lazy } from "./lazy.js"

/**
 * Given names and role names that are also everyday English words. The list contains common given names that questions
 * often use as ordinary words. A name outside this list matches with or without capitals.
 */
const words = new Set(
  `admin agent amber angel art assistant ash autumn bay bill bishop blue bob bot brook brooks buck bud
  caller carol chance chase chat chip christian cliff client coach coral customer daisy dale dawn dean deacon destiny
  doctor don drew driver duke earl editor eve faith fern fisher flora forest frank gene glen grace grant guest
  guide guy harmony hazel heath heather helper holly honor hope host hunter iris ivy jack jade jasmine jay jean jet
  jewel job josh joy judge king lance lane laurel liberty lily love manager mark mason max may melody merry miles
  mike moderator narrator nick norm nova nurse olive operator page parker pat pearl penny piper poppy porter
  precious prince princess queen ray red reed rich river rob robin rock rose ruby rusty sage sandy saint
  scout server sky skip speaker star stone storm sue summer sunny support system teacher team terry tester tiger
  user violet wade warren west will willow winter wolf worker you`.split(/\s+/)
)
const monthNames = new Set(months.map((month) => month.toLowerCase()))

/** Whether a word of a name, in lower case, is also an everyday word. */
export const isEverydayName = (word: string): boolean => words.has(word) || monthNames.has(word)

/**
 * Whether the word at an offset is written as a name: capitalised in a sentence that has lower-case words, with "'s",
 * or next to a verb of speech ("did Will", "Will said"). A capital alone does not make a month a name.
 */
export const looksLikeName = (text: string, index: number, length: number): boolean => {
  const [before, word, after] = [text.slice(0, index), text.slice(index, index + length), text.slice(index + length)]
  if (/^['’]s(?!\p{L})/u.test(after) || speechAfter.test(after) || verbBefore().test(before)) return true
  if (monthNames.has(word.toLowerCase())) return false
  return /^\p{Lu}\p{M}*\p{Ll}/u.test(word) && insideSentencePattern.test(before) && lowerCaseWordPattern().test(text)
}

const speechAfter =
  /^\s+(?:say|says|said|tell|tells|told|ask|asks|asked|think|thinks|thought|mention|mentions|mentioned|write|writes|wrote|suggest|suggests|suggested|answer|answers|answered|reply|replies|replied)(?![\p{L}\p{N}])/iu
const verbBefore = lazy(() => /(?:^|[^\p{L}\p{N}])(?:did|does|do|has|have|had|tell|told|ask|asked|with)\s+$/iu)
/** Matches a lower-case word that is long enough to be capitalised in a title. */
export const lowerCaseWordPattern = lazy(() => /(?<![\p{L}\p{N}])\p{Ll}\p{L}{3}/u)
export const insideSentencePattern = /[^\s.?!:;"'“”‘’(]["'“”‘’(]*\s+["'“”‘’(]*$/u
