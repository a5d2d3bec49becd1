import { foldLetters } from "../../text/normalise/letters.js"
import { german } from "../languages/de/words.js"
import { spanish } from "../languages/es/words.js"
import { french } from "../languages/fr/words.js"

/** True if a text contains a negation, such as "not" or "never". */
export const hasNegation = (text: string): boolean => denials.test(folded(text))

/** True if a text contains a negation, or a word with a negative meaning, such as "avoids" or "cancelled". */
export const hasNegativeMeaning = (text: string): boolean => negatives.test(folded(text))

const folded = (text: string): string => foldLetters(text).toLowerCase().replaceAll("’", "'")

/** Matches any of the phrases, which are separated by commas. `*` matches any ending. */
const phrasePattern = (lists: ReadonlyArray<string>, others: string): RegExp => {
  const phrases = folded(lists.join(","))
    .split(",")
    .map((phrase) =>
      phrase
        .trim()
        .replace(/[.*+?^${}()|[\]\\]/g, "\\$&")
        .replaceAll("\\*", "\\p{L}*")
    )
    .filter((phrase) => phrase !== "")
  return new RegExp(`(?<!\\p{L})(?:${phrases.join("|")})(?!\\p{L})|${others}`, "u")
}

const languages = [german, french, spanish]
const denied = [
  "not, cannot, no, never, none, nobody, nothing, neither, nor, without",
  ...languages.map(({ cues }) => cues.not ?? "")
]
const deniedOther = "n't(?!\\p{L})|[不没沒未无無非]|别(?!的)"
const denials = phrasePattern(denied, deniedOther)
const negatives = phrasePattern(
  [
    ...denied,
    `avoid*, stop*, quit*, refus*, dislik*, hat*, loath*, detest*, allerg*, intoleran*, cancel*, declin*, reject*, forbid*, forbidden,
    except*, instead, former*, ex, end, ended, ends, lack*, miss, missing, missed, fail*, free, vegan*, vegetarian*, unable, unlike,
    un*, out, off, rather, drop*, leav*, left, gone, hardly, less, only, prevent*, disab*, remov*, skip*, ban, banned, worse, bad`,
    ...languages.map(({ cues }) => cues.ended ?? "")
  ],
  deniedOther
)
