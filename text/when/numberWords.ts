// English numbers in words: "twenty-five", "a dozen", "third".

const units = "one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen"
const ordinalUnits =
  "first second third fourth fifth sixth seventh eighth ninth tenth eleventh twelfth thirteenth fourteenth fifteenth sixteenth"
const tens = "twen thir for fif six seven eigh nine".split(" ").map((stem) => `${stem}ty`)

const cardinals: ReadonlyMap<string, number> = new Map([
  ...`${units} seventeen eighteen nineteen`.split(" ").map((word, index) => [word, index + 1] as const),
  ...tens.map((word, index) => [word, 10 * index + 20] as const),
  ["a", 1],
  ["an", 1],
  ["dozen", 12],
  ["hundred", 100]
])

const ordinals: ReadonlyMap<string, number> = new Map([
  ...`${ordinalUnits} seventeenth eighteenth nineteenth`.split(" ").map((word, index) => [word, index + 1] as const),
  ...tens.map((word, index) => [word.replace(/y$/, "ieth"), 10 * index + 20] as const)
])

/** Matches the tens before a smaller number, as in "twenty-five" and "thirty first". */
export const tensPrefix = "(?:(?:twen|thir|for|fif|six|seven|eigh|nine)ty[\\s-])"

/** Matches "3rd", "third", "twenty-first", and other words with the same endings. */
export const ordinalPattern = `(?:\\d{1,3}(?:st|nd|rd|th)|${tensPrefix}?[a-z]{1,8}(?:st|nd|rd|th))`

const valueIn = (values: ReadonlyMap<string, number>, phrase: string): number | undefined => {
  if (/^\d/.test(phrase)) return Number.parseInt(phrase, 10)
  const [first, second] = phrase.toLowerCase().split(/[\s-]/) as [string, string?]
  if (second === undefined) return values.get(first)
  const [ten, unit] = [cardinals.get(first), values.get(second)]
  return ten === undefined || unit === undefined || ten < 20 || ten > 90 || unit > 9 ? undefined : ten + unit
}

/** The value of "12", "twelve", "a" or "twenty-five"; undefined for another word. */
export const cardinalOf = (phrase: string): number | undefined => valueIn(cardinals, phrase)

/** The value of "12th", "twelfth" or "twenty-fifth"; undefined for another word, such as "last". */
export const ordinalOf = (phrase: string): number | undefined => valueIn(ordinals, phrase)
