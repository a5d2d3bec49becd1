import { bounds } from "./bounds.js"
import { lazy } from "./lazy.js"

/**
 * Normalises text for comparison: NFKC, without marks and variants that people omit or write in several ways. It
 * handles everything that FTS5 does not: FTS5 folds only case and the accents of Latin letters.
 *
 * Index and query both use this function, and a word gives the same result in any position. Text that becomes much
 * longer is cut.
 */
export const foldLetters = (text: string): string => {
  const normalised = composeLetters(text)
    .replace(joiners(), "")
    .replace(nameDots, "")
    .replace(foldable(), (match) => variants().get(match) ?? digitOf(match))
  return arabicArticle.test(normalised) ? normalised.replace(arabicArticles(), "") : normalised
}

/**
 * Matches marks after the first 30 of a letter, the maximum of Unicode's Stream-Safe Text Format. Normalisation sorts
 * marks in quadratic time.
 */
const excessMarks = lazy(() => /(\p{M}{30})\p{M}+/gu)

/** The text in Unicode's form NFKC. It is cut if NFKC makes it too long: see `isCutByComposing`. */
export const composeLetters = (text: string): string =>
  text.replace(excessMarks(), "$1").normalize("NFKC").slice(0, maxComposed(text))

/** True if `composeLetters` cuts the text. */
export const isCutByComposing = (text: string): boolean => composeLetters(text).length === maxComposed(text)

const maxComposed = ({ length }: string): number => bounds.growth * length + bounds.added

/** The blocks of Greek and of extended Greek. */
const greekLetters = Array.from({ length: 0x190 }, (_, index) =>
  String.fromCharCode(index < 0x90 ? 0x370 + index : 0x1f00 + index - 0x90)
)

/** Letters that people also write with other letters or without their mark. */
const variants = lazy(
  () =>
    new Map([
      ..."łl ŁL øo ØO đd ĐD ðd ÐD ıi İI ёе ЁЕ أا إا آا ٱا ؤو ئي ىي ةه یي کك ہه"
        .split(" ")
        .map(([from, to]) => [from!, to!] as const),
      ["ß", "ss"],
      ["ẞ", "SS"],
      ["æ", "ae"],
      ["Æ", "AE"],
      ["œ", "oe"],
      ["Œ", "OE"],
      ["þ", "th"],
      ["Þ", "TH"],
      ...greekLetters
        .map(
          (letter) =>
            [
              letter,
              letter
                .normalize("NFD")
                .replace(/[\u0300-\u036f]/gu, "")
                .normalize("NFC")
            ] as const
        )
        .filter(([letter, bare]) => letter !== bare)
    ])
)

const ranges = {
  // Combining accents, Cyrillic signs, Hebrew points, vowel signs and the tatweel of Arabic, the dot of Devanagari,
  // enclosing marks of symbols, variation selectors.
  marks:
    "\\u0300-\\u036f\\u0483-\\u0489\\u0591-\\u05bd\\u05bf\\u05c1\\u05c2\\u05c4\\u05c5\\u05c7\\u0610-\\u061a\\u0640\\u064b-\\u065f" +
    "\\u0670\\u06d6-\\u06dc\\u06df-\\u06e4\\u06e7\\u06e8\\u06ea-\\u06ed\\u08d3-\\u08e1\\u08e3-\\u08ff\\u093c\\u1ab0-\\u1aff" +
    "\\u1dc0-\\u1dff\\u20d0-\\u20f0\\ufe00-\\ufe0f\\ufe20-\\ufe2f",
  // Invisible characters: soft hyphens, word joiners, direction marks.
  unseen: "\\u00ad\\u061c\\u200e\\u200f\\u202a-\\u202e\\u2060-\\u2064\\u2066-\\u206f\\ufeff",
  digits: "٠-٩۰-۹०-९๐-๙"
}

const foldable = lazy(
  () => new RegExp(`[${[...variants().keys()].join("")}${ranges.marks}${ranges.unseen}${ranges.digits}]`, "gu")
)

/** The ASCII digit for a digit of another script; empty for a mark. The ten digits of a script follow its zero. */
const digitOf = (character: string): string => {
  const zero = zeros.findLast((candidate) => candidate <= character)
  return zero === undefined || character.charCodeAt(0) - zero.charCodeAt(0) > 9
    ? ""
    : String(character.charCodeAt(0) - zero.charCodeAt(0))
}
const zeros = ["٠", "۰", "०", "๐"]

/** Matches joiners inside words. Between emoji, a joiner has a meaning and stays. */
const joiners = lazy(() => /(?<=[\p{L}\p{M}])[\u200c\u200d]+(?=\p{L})/gu)

/** The dot between the parts of foreign names, which is optional: ジョン・スミス. */
const nameDots = /(?<=[ァ-ヶー])・(?=[ァ-ヶ])/gu

/** The Arabic article and prefixes attached to it. They are removed if a word remains: الكتاب, والكتاب, للكتاب. */
const arabicArticle = /ال|لل/u
const arabicArticles = lazy(() => /(?<![\p{L}\p{N}])(?:ال(?=[ء-ي]{2})|(?:[وفبك]ال|لل)(?=[ء-ي]{3}))/gu)
