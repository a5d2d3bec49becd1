/**
 * Contractions that are often written without their apostrophe. A form that is also another word ("were", "ill") is not
 * in the list.
 */
const contractions: Readonly<Record<string, string>> = {
  im: "I'm",
  ive: "I've",
  lets: "let's",
  thats: "that's",
  theres: "there's",
  whats: "what's",
  hes: "he's",
  shes: "she's",
  theyre: "they're",
  theyve: "they've",
  youre: "you're",
  weve: "we've",
  isnt: "isn't",
  arent: "aren't",
  wasnt: "wasn't",
  werent: "weren't",
  dont: "don't",
  doesnt: "doesn't",
  didnt: "didn't",
  cant: "can't",
  couldnt: "couldn't",
  wouldnt: "wouldn't",
  shouldnt: "shouldn't",
  wont: "won't",
  hasnt: "hasn't",
  havent: "haven't",
  hadnt: "hadn't"
}
const bare = new RegExp(
  `(?<![\\p{L}\\p{N}'._/-])(?:${Object.keys(contractions).join("|")})(?![\\p{L}\\p{N}'._/(=-])`,
  "giu"
)
/** "i" before another word or a contraction, but not as the name of a variable. */
const lowerFirst = /(?<![\p{L}\p{N}'"._/=<>+*-]|\bfor )i(?='(?:m|ve|ll|d)(?!\p{L})|\s+(?!in(?:\s|$))[\p{L}'])/gu
/** "In march": the name of a month that is also a verb. */
const lowerMonth =
  /\b(in|since|until|till|by|from|of|next|last|early|late|mid|end of) (march|may)\b(?! (?:not|be|have|well|as)\b)/gu

/** A name with the person's relation to the speaker: "Milo's my stepson". */
const introduced = /(?<![\p{L}'])(\p{L}{2,})'s (?=(?:my|our) \p{L})/giu

/** A lower-case "u" for "you", after an auxiliary, a question word or the like. */
const shortYou =
  /\b([Cc]an|[Cc]ould|[Ww]ill|[Ww]ould|[Dd]o|[Dd]id|[Aa]re|if|when|[Tt]hank|[Ww]hat|[Hh]ow) u(?= [a-z]|$|[,.!?])/gu
/** Spoken forms: "I wanna go", "I'm gonna go", "I gotta go". */
const spokenForms = /(?<![\p{L}\p{N}'._/-])(?:wanna|gonna|(?<=\b(?:[Ii]|[Ww]e|[Yy]ou|[Tt]hey) )gotta)(?= \p{L})/gu
const spokenForm = (form: string): string => (form === "wanna" ? "want to" : form === "gonna" ? "going to" : "have to")

/**
 * Writes contractions with their apostrophe, spoken and shortened forms in full, "i" as "I", "in march" as "in March", and
 * "Milo's my son" as "Milo is my son".
 */
export const withSpelling = (prose: string): string =>
  prose
    .replace(bare, (word) => {
      const written = contractions[word.toLowerCase()]!
      return /^\p{Lu}/u.test(word) ? written.charAt(0).toUpperCase() + written.slice(1) : written
    })
    .replace(shortYou, "$1 you")
    .replace(spokenForms, spokenForm)
    .replace(introduced, "$1 is ")
    .replace(lowerFirst, "I")
    .replace(
      lowerMonth,
      (_, before: string, month: string) => `${before} ${month.charAt(0).toUpperCase()}${month.slice(1)}`
    )
