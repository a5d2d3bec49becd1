import fc from "fast-check"

/** Fragments that readers of text look at closely. */
const fragments = [
  ..."a b A 1 0 9 . , ; : ! ? - _ / \\ | * ` ~ # @ & < > = + ( ) [ ] { } ' \" $ % ^".split(" "),
  ..."the and not is was if at in of to no I you".split(" "),
  ..."*a_ `a [a]( ](b) ![ [a]: <b <!-- --> &amp; ** __ ~~ ``` --- |a|b| |-|-| > - 1. ## http://a.b/ www. a@b.c".split(
    " "
  ),
  ..."10:30 2024-01-02 5pm 3rd 1,234 +49 12.5 € $1, 1/2/24 4111 555-0100 DE89 3704 sk- AKIA ghp_ key= password: Bearer eyJ -----BEGIN".split(
    " "
  ),
  ..."yesterday last next monday may week days ago since until before after every first half quarter past 2024 christmas to".split(
    " "
  ),
  ..."Street St. Rd calle rue straße Postfach 10115 P.O.Box decided todo still yet need have to don't can't I'm it's".split(
    " "
  ),
  ..."now longer moved from replaced instead used called named also Mr. Dr. U.S.A. v1.2.3 camelCase XMLHttp snake_case kebab-case a1b2 #tag @me C++ node.js".split(
    " "
  ),
  ...'type: after: before: title: -x +y AND OR NOT a* "a'.split(" "),
  ..."é ß İ ё الكتاب للكتاب ﷺ ﬃ ㌀ ㍿ ½ ① ａ １ 東京 東 カタカナー ー 서울 ไทย שלום β ̀ ְ ् َ ‍ ­ 👨‍👩‍👧 🇩🇪 🏽 😀 上周 三月 去年 。 、 ・".split(
    " "
  ),
  ..."\u00a0 \u200b \u200d \u0344 \u0390 \ufdfa \u1e9e \u0130 \u{1d7ce}".split(" "),
  " ",
  "  ",
  "\n",
  "\n\n",
  "\t",
  "\n- ",
  "\n> ",
  "\n    ",
  "\n|a|b|\n|-|-|\n",
  "\n[a]: b\n",
  "\n# a\n",
  "\n```\n",
  "\n1. ",
  "\n===\n",
  "<div>\n",
  "a".repeat(30),
  "1".repeat(20),
  "A1b2".repeat(10)
]

const fragment = fc.oneof(
  { weight: 6, arbitrary: fc.constantFrom(...fragments) },
  { weight: 1, arbitrary: fc.string({ minLength: 1, maxLength: 3 }) },
  { weight: 1, arbitrary: fc.fullUnicodeString({ minLength: 1, maxLength: 2 }) }
)

/** How fragments become a text. `grow` makes longer and longer runs, `nest` opens n times and then closes n times. */
interface Part {
  readonly shape: "repeat" | "grow" | "nest" | "number" | "run"
  readonly fragments: ReadonlyArray<string>
  readonly separator: string
  /** Its share of the text. */
  readonly share: number
}

export type Recipe = ReadonlyArray<Part>

const part: fc.Arbitrary<Part> = fc.record({
  shape: fc.constantFrom("repeat", "repeat", "repeat", "grow", "nest", "number", "run"),
  fragments: fc.array(fragment, { minLength: 1, maxLength: 5 }),
  separator: fc.constantFrom("", "", " ", "\n", ",", ".", "-"),
  share: fc.constantFrom(1, 4, 16, 64)
})

export const recipes: fc.Arbitrary<Recipe> = fc.array(part, { minLength: 1, maxLength: 4 })

/** A mutation: parts exchanged with those of another recipe, or one field of one part replaced. */
export const mutations: fc.Arbitrary<(recipe: Recipe) => Recipe> = fc
  .record({ other: recipes, index: fc.nat(), kind: fc.nat(7), place: fc.nat(), fragment })
  .map(({ fragment, index, kind, other, place }) => (recipe) => {
    const at = index % recipe.length
    const [added] = other
    const replace = (change: Partial<Part>) => recipe.with(at, { ...recipe[at]!, ...change })
    const { fragments } = recipe[at]!
    const where = place % fragments.length
    if (kind === 0) return recipe.with(at, added!)
    if (kind === 1) return recipe.length < 4 ? recipe.toSpliced(at, 0, added!) : recipe
    if (kind === 2) return recipe.length > 1 ? recipe.toSpliced(at, 1) : recipe
    if (kind === 3) return replace({ shape: added!.shape })
    if (kind === 4) return replace({ separator: added!.separator, share: added!.share })
    if (kind === 5) return replace({ fragments: fragments.with(where, fragment) })
    if (kind === 6) return replace({ fragments: fragments.toSpliced(where, 0, fragment).slice(0, 6) })
    return replace({ fragments: fragments.length > 1 ? fragments.toSpliced(where, 1) : fragments })
  })

/** The text of a recipe, cut to a length and well formed. */
export const textOf = (recipe: Recipe, length: number): string => {
  const shares = recipe.reduce((sum, { share }) => sum + share, 0)
  return recipe
    .map((part) => textOfPart(part, Math.ceil((length * part.share) / shares)))
    .join("")
    .slice(0, length)
    .replaceAll("\0", " ")
    .toWellFormed()
}

const textOfPart = ({ fragments, separator, shape }: Part, length: number): string => {
  const unit = fragments.join(separator) + separator || " "
  const filled = (pieces: (index: number) => string): string => {
    const texts: Array<string> = []
    for (let index = 1, size = 0; size < length; index++) {
      const piece = pieces(index) || " "
      texts.push(piece)
      size += piece.length
    }
    return texts.join("")
  }
  if (shape === "grow")
    return filled((index) => fragments[0]!.repeat(index) + (fragments.slice(1).join("") || separator || " "))
  if (shape === "number") return filled((index) => fragments.join(index.toString(36)) + index.toString(36) + separator)
  if (shape === "nest") {
    const times = Math.max(1, Math.floor(length / (2 * unit.length)))
    return fragments[0]!.repeat(times) + fragments.slice(1, -1).join(separator) + fragments.at(-1)!.repeat(times)
  }
  if (shape === "run") return fragments[0]!.repeat(Math.ceil(length / fragments[0]!.length)) + unit
  return unit.repeat(Math.ceil(length / unit.length))
}
