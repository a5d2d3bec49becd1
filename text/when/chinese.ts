import { rangeAtDistance } from "./amounts.js"
import { dayFields } from "./calendar.js"
import { type Clock, rangeOfDays, shift, type TimeRange, type Unit, unitAt } from "./clock.js"
import type { TimeExpression } from "./expression.js"
import { hoursOfPart } from "./parts.js"
import { dayOfWeek, monthsOfYear } from "./recurring.js"

// Needed because chrono's Chinese parser does not support 上周, 去年 or 最近三天, and reduces other ranges to instants.

const digits = "零一二三四五六七八九"
const number = "(\\d{1,4}|[一二两三四五六七八九十]{1,3}|几)"

/** The range of a number: 3, 三, 十二 and 二十五 are exact; 几 is 2 to 5. */
const numberOf = (digitsOrWords: string): readonly [number, number] => {
  if (digitsOrWords === "几") return [2, 5]
  if (/^\d+$/.test(digitsOrWords)) return [Number(digitsOrWords), Number(digitsOrWords)]
  const [tens, ones] = digitsOrWords.replace("两", "二").split("十") as [string, string | undefined]
  const digitValue = (digit: string) => Math.max(0, digits.indexOf(digit))
  const value =
    ones === undefined
      ? digitValue(tens)
      : 10 * (tens === "" ? 1 : digitValue(tens)) + (ones === "" ? 0 : digitValue(ones))
  return [value, value]
}

const units: { readonly [unit: string]: Unit } = {
  秒: "second",
  分: "minute",
  小: "hour",
  钟: "hour",
  天: "day",
  日: "day",
  周: "week",
  星: "week",
  礼: "week",
  月: "month",
  季: "quarter",
  年: "year"
}
const unit = "(秒钟?|分钟|个?小时|个?钟头|天|日|周|个?(?:星期|礼拜)|个?月|个?季度|年)"
const unitOf = (phrase: string): Unit => units[phrase.replace("个", "")[0]!]!

const dayNames: { readonly [day: string]: number } = { 大前天: -3, 前天: -2, 昨: -1, 今: 0, 明: 1, 后天: 2 }
const yearNames: { readonly [year: string]: number } = { 前年: -2, 去年: -1, 今年: 0, 明年: 1 }
const parts: { readonly [part: string]: string } = {
  早: "morning",
  上: "morning",
  中: "noon",
  下: "afternoon",
  晚: "evening",
  夜: "night"
}
const offsetOf = (phrase: string): number =>
  (/[上]/.test(phrase) ? -1 : /[下]/.test(phrase) ? 1 : 0) * phrase.replace("个", "").length

type Read = Omit<TimeExpression, "index" | "end"> | undefined
const strongRange = (range: TimeRange, kind: TimeExpression["kind"] = "span"): Read => ({ kind, weak: false, range })
const year = (clock: Clock, number: number): Read => ({
  ...strongRange(rangeOfDays(clock, [number, 1], [number + 1, 1]), "year")!,
  occurrence: { period: "year", number }
})

const readers: ReadonlyArray<readonly [RegExp, (match: RegExpMatchArray, clock: Clock) => Read]> = [
  [
    /大前天|前天|昨[天日]?(?=晚|夜|早|天|日)[天日]?|今(?:天|日|(?=晚|早))|明(?:天|日|(?=晚|早))|后天/g,
    ([phrase], clock) =>
      strongRange(unitAt(clock, clock.askedAt, "day", dayNames[phrase] ?? dayNames[phrase[0]!]!), "day")
  ],
  [
    /早上|早晨|上午|中午|下午|晚上|夜里|晚|早(?!就)/g,
    ([phrase]) => ({ kind: "clock", weak: true, hours: hoursOfPart(parts[phrase[0]!]!) })
  ],
  [/前年|去年|今年|明年/g, ([phrase], clock) => year(clock, clock.year + yearNames[phrase]!)],
  [/((?:19|20)\d\d)\s*年/g, ([, phrase], clock) => year(clock, Number(phrase))],
  [
    /(?<![\d个零一二三四五六七八九十])(1[0-2]|0?[1-9]|十[一二]?|[一二三四五六七八九])\s*月(?!\d?个)(?:份|\s*(\d{1,2}|[一二三四五六七八九十]{1,3})\s*[日号])?(?!天)/g,
    ([, month, day], clock) => {
      const [monthNumber] = numberOf(month!)
      if (day === undefined) return { kind: "month", weak: false, cycle: monthsOfYear(clock, monthNumber, 1) }
      const [date] = numberOf(day)
      return dayFields({ year: undefined, month: monthNumber, first: date, last: date }, clock)
    }
  ],
  [
    /(上+个?|下+个?|[这本]个?)(周末|周|星期|礼拜|月|季度)(?:([一二三四五六日天末])(?!月))?/g,
    ([, direction, name, day], clock) => {
      const weekend = name === "周末" || day === "末"
      if (day !== undefined && name === "月") return undefined
      const unit = weekend ? "weekend" : unitOf(name!)
      if (day === undefined || weekend) {
        const occurrence =
          unit === "week" ? { occurrence: { period: "week" as const, number: offsetOf(direction!) } } : {}
        return { ...strongRange(unitAt(clock, clock.askedAt, unit, offsetOf(direction!)))!, ...occurrence }
      }
      const occurrence = dayOfWeek(clock, "一二三四五六日".indexOf(day.replace("天", "日"))).occurrence(
        offsetOf(direction!)
      )
      return occurrence && strongRange(occurrence, "day")
    }
  ],
  [
    /(?<![上下这本]个?)(?:周|星期|礼拜)([一二三四五六日天])(?![个])/g,
    ([, day], clock) => ({
      kind: "weekday",
      weak: false,
      cycle: dayOfWeek(clock, "一二三四五六日".indexOf(day!.replace("天", "日")))
    })
  ],
  [
    new RegExp(`${number}\\s*${unit}(?:之|以)?前`, "g"),
    ([, phrase, name], clock) => {
      const [min, max] = numberOf(phrase!)
      const unit = unitOf(name!)
      return strongRange(
        rangeAtDistance(clock, clock.askedAt, { amount: [{ unit, min, max }], side: -1 }),
        /day|week/.test(unit) ? "day" : "span"
      )
    }
  ],
  [
    new RegExp(`(?:最近|过去)的?这?${number}\\s*${unit}`, "g"),
    ([, phrase, name], clock) =>
      strongRange({ from: shift(clock, clock.askedAt, unitOf(name!), -numberOf(phrase!)[1]), to: clock.askedAt })
  ],
  [
    /(?<=年的?)(春|夏|秋|冬)[天季]/g,
    ([, season], clock) => ({
      kind: "season",
      weak: true,
      cycle: monthsOfYear(clock, 3 * ("春夏秋冬".indexOf(season!) + 1), 3)
    })
  ]
]

/** The time expressions of a Chinese text, unordered; they may overlap. Empty for texts without Chinese characters. */
export const chineseExpressions = (text: string, clock: Clock): ReadonlyArray<TimeExpression> =>
  /\p{Script=Han}/u.test(text)
    ? readers.flatMap(([pattern, read]) =>
        [...text.matchAll(pattern)].flatMap((match) => {
          const expression = read(match, clock)
          return expression === undefined
            ? []
            : [{ ...expression, index: match.index, end: match.index + match[0].length }]
        })
      )
    : []
