import { isStopWord, setOf } from "../normalise/functionWords.js"
import { lazy } from "../normalise/lazy.js"
import { isPlaceholder } from "./placeholders.js"

// Secrets made of several words: spoken passphrases, and pairs of a login and its password.

/** Words that occur in sentences but not in passphrases, besides the English function words. */
const sentenceWords = setOf(
  "never always also still already currently using via per inside within without unless longer known needed behind among around beside",
  "everywhere somewhere anywhere nowhere else today tomorrow yesterday soon later ago minutes hours days weeks months",
  "sensitive valid invalid available visible required missing wrong outdated safe unsafe weak strong",
  "secure insecure public private different identical unique shared optional mandatory empty blank letters digits",
  "characters words please check contact name names backwards birthday",
  "nicht mehr noch nie nur immer sehr im in der die das dem den des ein eine einem auf unter bei von vom zu zum zur ist sind wird wurde und oder wie mit für",
  "dans le la les du de des sur sous est pas plus et ou en un une au aux toujours par pour",
  "el los las del por para con se es una está y o no muy"
)
/** Matches the first word of a description: "the passphrase is stored encrypted …". */
const participle = /(?:ed|ly|ing|able)$/
const word = lazy(() => /^\p{L}{2,14}$/u)

/**
 * Returns true if a passphrase follows: four or more words up to the end of the clause, none of them a function word,
 * as in "correct horse battery staple". In quotes, three words are enough.
 */
export const isSpokenPhrase = (after: string): boolean => {
  const [, quote, phrase] = /^(["'`“]?)([^"'`“”.,;:!?()\n]{8,120})(?=["'`”.,;:!?)\n]|$)/.exec(after) ?? []
  if (phrase === undefined) return false
  const words = phrase.trim().split(" ")
  const capitals = words.filter((word) => /\p{Lu}/u.test(word)).length
  return (
    words.length >= (quote === "" ? 4 : 3) &&
    words.length <= 12 &&
    capitals <= (/^\p{Lu}/u.test(words[0]!) ? 0 : 1) &&
    !participle.test(words[0]!) &&
    words.every((each) => word().test(each) && !isStopWord(each) && !sentenceWords.has(each.toLowerCase()))
  )
}

const purpose =
  /^(?:(?: [\p{L}\d-]{1,20}){1,2}(?=:\s)| (?:for|to|of|on|at|für|vom|von|zum|zur|du|de|del) [^.:;=\n|]{1,40}?(?=:| (?:is|are|ist|sind|es|est) ))?/u
const pair =
  /^(?:\s?[:=]\s?| (?:is|are|ist|sind|es|est|:=) | )["'`]?([A-Za-z][\w.@+-]{1,48})["'`]?(\s\/\s|\/|:\s?)["'`]?([^\s"'`]{5,64})/

/** Whether a login and its password follow: "admin / Gr4nite7", "ada:Blueb3rry". The password has letters and digits. */
export const hasLoginPair = (after: string): boolean => {
  const rest = after.slice(purpose.exec(after)![0].length)
  const [matched, user, separator, rawValue] = pair.exec(rest) ?? []
  if (matched === undefined) return false
  // Without a sign before it, or without spaces around the slash, "ada/notes2" may be a path.
  if (
    separator === "/" ||
    (/^ /.test(matched) && separator !== " / " && !/^ (?:is|are|ist|sind|es|est) /.test(matched))
  )
    return false
  const value = rawValue!.replace(/[.,;:!?)\]}]+$/, "")
  if (/^(?:https?|s?ftp|file|ssh|localhost)$/i.test(user!) || isPlaceholder(value) || value.includes("/")) return false
  return /\p{L}/u.test(value) && /\d|[!#$%^&*+=?~]/.test(value) && !/^v?\d+(?:[.:]\d+)*\p{L}{0,3}$/u.test(value)
}
