const daytimes = /(?:上午|下午|晚上|早上|凌晨|中午|傍晚|晚)(?=[\d一二两三四五六七八九十]+[点:])/gu
/** Matches numerals before a unit. Weekdays and ordinals keep their numerals, and "一个" is an article. */
const numerals =
  /(?<!周|星期|礼拜|第)(?!一[个家人次名只本件条层楼杯间辆份])([零〇一二两三四五六七八九十百千万]{1,7})(?=[点时月日号秒分小天周年岁元块米公斤克升度个台人次名只本件条层楼杯家间辆美欧%])/gu
const digits = new Map([..."零一二三四五六七八九"].map((character, digit) => [character, digit]))
const powers = new Map([..."十百千"].map((character, index) => [character, 10 ** (index + 1)]))

/** Replaces numerals before units with digits in a Chinese text. Removes 下午 and similar words before an hour. */
export const withDigits = (text: string): string =>
  text
    .replace(daytimes, "")
    .replace(/(\d+(?:\.\d+)?)\s*([万亿])/gu, (_, count: string, power: string) =>
      String(Number((Number(count) * (power === "万" ? 1e4 : 1e8)).toPrecision(12)))
    )
    .replace(numerals, (numeral) => String(numberOf(numeral)))

const numberOf = (numeral: string): number => {
  let [sum, part, last] = [0, 0, 0]
  for (const character of numeral) {
    const power = powers.get(character)
    if (power !== undefined) [part, last] = [part + (last || 1) * power, 0]
    else if (character === "万") [sum, part, last] = [(sum + part + last) * 10_000, 0, 0]
    else last = character === "两" ? 2 : (digits.get(character) ?? 0)
  }
  return sum + part + last
}
