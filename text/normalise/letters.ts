/**
 * Letters as they are compared: NFKC, without the marks and forms that people
 * leave out or write in several ways, as far as FTS5 does not see to it. It
 * takes care of case and of the accents of Latin letters alone.
 *
 * The same word gives the same letters wherever it stands: what is indexed and
 * what is looked for both go through here.
 */
export const folded = (text: string): string => {
  const letters = text
    .replace(heaped, "$1")
    .normalize("NFKC")
    .replace(joiners, "")
    .replace(nameDots, "")
    .replace(foldable, (found) => variants.get(found) ?? (greek.test(found) ? bare(found) : digitOf(found)))
  return arabicArticle.test(letters) ? letters.replace(arabicArticles, "") : letters
}

/**
 * Marks beyond the 30 that Unicode's Stream-Safe Text Format allows to a letter:
 * normalization puts them in order in the square of the time.
 */
const heaped = /(\p{M}{30})\p{M}+/gu

/** Letters that are written with others or without their mark. */
const variants = new Map([
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
  ["Þ", "TH"]
])

const ranges = {
  // Accents on their own, Cyrillic signs, points of Hebrew, vowel signs and the stretching stroke of Arabic, the dot
  // of Devanagari, what stands around symbols, variation selectors.
  marks:
    "\\u0300-\\u036f\\u0483-\\u0489\\u0591-\\u05bd\\u05bf\\u05c1\\u05c2\\u05c4\\u05c5\\u05c7\\u0610-\\u061a\\u0640\\u064b-\\u065f" +
    "\\u0670\\u06d6-\\u06dc\\u06df-\\u06e4\\u06e7\\u06e8\\u06ea-\\u06ed\\u08d3-\\u08e1\\u08e3-\\u08ff\\u093c\\u1ab0-\\u1aff" +
    "\\u1dc0-\\u1dff\\u20d0-\\u20f0\\ufe00-\\ufe0f\\ufe20-\\ufe2f",
  // Signs that nobody sees: where a word may be broken, which way it runs.
  unseen: "\\u00ad\\u061c\\u200e\\u200f\\u202a-\\u202e\\u2060-\\u2064\\u2066-\\u206f\\ufeff",
  digits: "٠-٩۰-۹०-९๐-๙",
  greek: "\\u0370-\\u03ff\\u1f00-\\u1fff"
}

const foldable = new RegExp(
  `[${[...variants.keys()].join("")}${ranges.marks}${ranges.unseen}${ranges.digits}]|[${ranges.greek}]+`,
  "gu"
)
const greek = new RegExp(`^[${ranges.greek}]`, "u")
const accents = /[\u0300-\u036f]/gu

/** Greek without its accents. */
const bare = (word: string): string => word.normalize("NFD").replace(accents, "").normalize("NFC")

/** A digit of another script as the usual one; nothing for a mark. Each script's ten stand in a row, after its zero. */
const digitOf = (sign: string): string => {
  const zero = zeros.findLast((first) => first <= sign)
  return zero === undefined || sign.charCodeAt(0) - zero.charCodeAt(0) > 9
    ? ""
    : String(sign.charCodeAt(0) - zero.charCodeAt(0))
}
const zeros = ["٠", "۰", "०", "๐"]

/** Inside of words only: between emoji a joiner means something. */
const joiners = /(?<=[\p{L}\p{M}])[\u200c\u200d]+(?=\p{L})/gu

/** Between the parts of foreign names, which are written without it as well: ジョン・スミス. */
const nameDots = /(?<=[ァ-ヶー])・(?=[ァ-ヶ])/gu

/** The article and what is written together with it, as long as a word is left: الكتاب, والكتاب, للكتاب. */
const arabicArticle = /ال|لل/u
const arabicArticles = /(?<![\p{L}\p{N}])(?:ال(?=[ء-ي]{2})|(?:[وفبك]ال|لل)(?=[ء-ي]{3}))/gu
