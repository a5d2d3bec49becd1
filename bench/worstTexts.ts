import type { TextStage } from "./textStages.js"

/** Fragments that were slow in the past. Each is repeated up to the largest text of a stage. */
const repeated = [
  ..."a_ $1, *a ﷺ ㌀ *a_ [a]( ![ password:. named㌀_ 三月M8ё<10:30 U.S.A.- aB1 #a @a α ά :𠳄] $ 𝟎 after:may ... a.b-c_d @me- a@b.c1- git@b.cd:ef".split(
    " "
  ),
  ..."a ( `a called,".split(" "),
  "東京都に住む友人が来週の水曜日に京都へ旅行する予定です。",
  "The harbour pilot met the crane operator near the old ferry dock at noon, and they agreed. ",
  "a\u0300\u0316",
  "word1 ",
  "- a\n",
  "a\n=\n",
  "> - a\n>   > b\n",
  "-\ta\n\t-\tb\n",
  "> a\nb\n",
  "---\na: b\n",
  "```\na\n",
  "[a]: b\n",
  "\n"
]

const filled = (unit: string, length: number): string =>
  unit
    .repeat(Math.ceil(length / unit.length))
    .slice(0, length)
    .replace(/[\ud800-\udbff]$/u, "")

/** Other shapes, by name. */
const shapes: Readonly<Record<string, (length: number) => string>> = {
  "a table of 100,000 rows": (length) => filled(`|a|b|\n|-|-|\n${"|1|2|\n".repeat(100_000)}`, length),
  "1,500 growing runs of backticks": (length) =>
    Array.from({ length: 1_500 }, (_, index) => `${"`".repeat(index + 1)}a`)
      .join("")
      .slice(0, length),
  "different words": (length) =>
    Array.from({ length: Math.ceil(length / 5) }, (_, index) => (index + 100_000).toString(36))
      .join(" ")
      .slice(0, length),
  "dots, then words": (length) => filled(`${".".repeat(length >> 1)}word `, length)
}

/** Returns the slow texts by name, each at the largest size of a stage. */
export const makeWorstCaseTexts = ({ size }: Pick<TextStage, "size">): Readonly<Record<string, string>> => ({
  ...Object.fromEntries(repeated.map((unit) => [JSON.stringify(unit), filled(unit, size)])),
  ...Object.fromEntries(Object.entries(shapes).map(([name, text]) => [name, text(size)]))
})
