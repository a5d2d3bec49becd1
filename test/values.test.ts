import { convert, type Unit as KnownUnit } from "convert"
import fc from "fast-check"
import { describe, expect, it } from "vitest"
import { expansionOf, type TextWord } from "../layers/languages/en/values/abbreviations.js"
import { countItemsAmong, listIn } from "../layers/languages/en/values/lists.js"
import { valuesIn } from "../layers/languages/en/values/readValues.js"
import { compareValues } from "../layers/languages/en/values/relation.js"
import type { Value } from "../layers/languages/en/values/Value.js"
import { lawRuns } from "./support/size.js"

/** A Monday. */
const saidAt = Date.UTC(2026, 4, 4, 9)
const values = (text: string, at = saidAt): ReadonlyArray<Value> => valuesIn(text, at).map(({ value }) => value)
const only = (text: string, at = saidAt): Value => {
  const [value, ...others] = values(text, at)
  if (value === undefined || others.length > 0) throw new Error(`"${text}" has ${others.length + 1} values`)
  return value
}
const relation = (a: string, b: string, at = saidAt) => compareValues(only(a), only(b, at))

describe("values of two texts", () => {
  it.each([
    ["six feet", "183 cm", "equal"],
    ["8 ft 6 in", "2.70 m", "differs"],
    [`3'-0" wide`, "914 mm", "equal"],
    ["ten stone", "63.5 kg", "equal"],
    ["one and a half litres", "1500 ml", "equal"],
    ["12.5 kg", "12500 grams", "equal"],
    ["70 °F", "21 °C", "equal"],
    ["60 mph", "97 km/h", "equal"],
    ["90s", "9000 ms", "differs"],
    ["an hour and a half", "90 minutes", "equal"],
    ["a fortnight", "14 days", "equal"],
    ["1h30", "90 min", "equal"],
    ["1536m", "1.5 GiB", "equal"],
    ["message.max.bytes=1048576", "1 MiB", "equal"],
    ["timeout = 5400   # seconds", "an hour and a half", "equal"],
    ["2^15", "32768", "equal"],
    ["3e-5", "0.00003", "equal"],
    ["0xff", "255", "equal"],
    ["half a dozen", "six", "equal"],
    ["2 grand", "2,000", "equal"],
    ["$1.2M", "1,200,000 dollars", "equal"],
    ["€ 29,90", "29.90 EUR", "equal"],
    ["3,000 dollars", "£3,000", "differs"],
    ["three hundred and ten", "310", "equal"],
    ["10 to 20 kg", "10-20 kg", "equal"],
    ["10 to 20 kg", "15 kg", "finer"],
    ["10 kg", "10 metres", "apart"],
    ["50%", "half a metre", "apart"],
    ["13:15", "a quarter past one in the afternoon", "equal"],
    ["17:45", "a quarter to six", "equal"],
    ["20.00 h", "8 pm", "equal"],
    ["half past seven", "7:30 am", "equal"],
    ["noon", "12:00", "equal"],
    ["two o'clock", "3 pm", "differs"],
    ["2026-06-05", "Friday the 5th of June", "equal"],
    ["10.07.2026", "10 July 2026", "equal"],
    ["09/04/2026", "the ninth of April this year", "equal"],
    ["31.12.27", "31 Dec 2027", "equal"],
    ["Wed 11/3", "11 March 2026", "equal"],
    ["9 April 2026", "10 April 2026", "differs"],
    ["April 2026", "9 April 2026", "finer"],
    ["2026-05-24", "the 24th", "equal"],
    ["9 April 2026", "April", "coarser"],
    ["3.11.2", "3.11", "coarser"],
    ["v1.2.3", "1.2.4", "differs"],
    ["Mondays", "every Monday", "equal"]
  ])("%s, %s: %s", (a, b, expected) => {
    expect(relation(a, b)).toBe(expected)
  })

  it.each([
    ["tomorrow", "2026-05-05"],
    ["the day after tomorrow", "2026-05-06"],
    ["in ten days", "2026-05-14"],
    ["two weeks from today", "2026-05-18"],
    ["a week tomorrow", "2026-05-12"],
    ["a week from Friday", "2026-05-15"],
    ["this Friday", "2026-05-08"],
    ["this coming Sunday", "2026-05-10"],
    ["Tuesday of next week", "2026-05-12"],
    ["last Sunday", "2026-05-03"],
    ["three days ago", "2026-05-01"],
    ["yesterday", "2026-05-03"]
  ])("a date that depends on the time of its statement: %s, on 4 May 2026, is %s", (text, day) => {
    expect(relation(day, text)).toBe("equal")
    expect(relation(day, text, saidAt + 300 * 86_400_000)).toBe("differs")
  })

  it.each([
    ["ticket #12, 4d1357, 3rdparty, eu-central-1", []],
    ["they march on and may sat down", []],
    ["12 guests in room 4", [12, 4]],
    ["10 to 20 kg", [10]]
  ])("numbers in names are no values: %s", (text, amounts) => {
    expect(values(text).map(({ amount }) => amount)).toEqual(amounts)
  })
})

/** Units that the library and Daybook know, by dimension. */
const units: ReadonlyArray<ReadonlyArray<KnownUnit>> = [
  ["mm", "cm", "m", "km", "mile", "yard", "foot", "inch"],
  ["mg", "g", "kg", "lb", "ounce", "stone", "tonne"],
  ["ml", "cl", "litre", "gallon", "pint", "tbsp", "tsp"],
  ["ms", "second", "minute", "hour", "day", "week"],
  ["celsius", "fahrenheit"],
  ["hectare", "acre", "m²"],
  ["KiB", "MiB", "GiB", "TiB", "byte"],
  ["bar", "psi", "hPa"],
  ["J", "kWh", "Wh"],
  ["W", "kW", "MW", "hp"]
]
const unitPairs = fc
  .constantFrom(...units)
  .chain((dimension) => fc.tuple(fc.constantFrom(...dimension), fc.constantFrom(...dimension)))
const amounts = fc.integer({ min: 1, max: 99_999 }).map((number) => number / 10)

describe("laws of values", () => {
  it("an amount equals itself in any other unit of its dimension, by another library's factors", () => {
    fc.assert(
      fc.property(unitPairs, amounts, ([from, to], amount) => {
        const converted = (convert as (amount: number, unit: KnownUnit) => { to: (unit: KnownUnit) => number })(
          amount,
          from
        ).to(to)
        fc.pre(converted > 1e-3 && converted < 1e12)
        const text = `${Number(converted.toPrecision(12)).toLocaleString("en-US", { useGrouping: false, maximumFractionDigits: 9 })} ${to}`
        expect(relation(`${amount} ${from}`, text)).toBe("equal")
        expect(relation(text, `${amount} ${from}`)).toBe("equal")
      }),
      { numRuns: lawRuns({ quick: 200, full: 10_000 }) }
    )
  })

  it("an amount that is a tenth larger is another one, in any unit", () => {
    fc.assert(
      fc.property(unitPairs, fc.integer({ min: 20, max: 9_999 }), ([from, to], amount) => {
        fc.pre(to !== "celsius" && to !== "fahrenheit")
        const converted = (convert as (amount: number, unit: KnownUnit) => { to: (unit: KnownUnit) => number })(
          1.1 * amount,
          from
        ).to(to)
        fc.pre(converted > 20 && converted < 1e12)
        expect(relation(`${amount} ${from}`, `${Math.round(converted)} ${to}`)).toBe("differs")
      }),
      { numRuns: lawRuns({ quick: 200, full: 10_000 }) }
    )
  })

  it("a comparison is symmetric, and equal amounts are transitive in units of one scale", () => {
    const texts = fc.oneof(
      fc
        .tuple(amounts, fc.constantFrom("m", "cm", "feet", "kg", "lb", "minutes", "%", ""))
        .map(([n, unit]) => `${n} ${unit}`),
      fc.constantFrom(
        "about 300 g",
        "10 to 20 kg",
        "tomorrow",
        "2026-05-05",
        "May 2026",
        "Friday",
        "half past six",
        "18:30"
      )
    )
    const turned = { equal: "equal", finer: "coarser", coarser: "finer", differs: "differs", apart: "apart" } as const
    fc.assert(
      fc.property(texts, texts, (a, b) => {
        for (const x of values(a))
          for (const y of values(b)) expect(compareValues(y, x)).toBe(turned[compareValues(x, y)])
      }),
      { numRuns: lawRuns({ quick: 300, full: 10_000 }) }
    )
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 9_999 }), (number) => {
        const texts = [`${number} m`, `${number * 100} cm`, `${number / 1000} km`, `${number * 1000} mm`]
        for (const a of texts) for (const b of texts) expect(relation(a, b), `${a}, ${b}`).toBe("equal")
      }),
      { numRuns: lawRuns({ quick: 50, full: 10_000 }) }
    )
  })

  it("a day is one day in all written forms", () => {
    const names = "January February March April May June July August September October November December".split(" ")
    fc.assert(
      fc.property(fc.integer({ min: -150, max: 200 }), (offset) => {
        const date = new Date(saidAt + offset * 86_400_000)
        const [year, month, day] = [date.getUTCFullYear(), date.getUTCMonth(), date.getUTCDate()]
        const two = (number: number) => String(number).padStart(2, "0")
        const name = names[month]!
        const forms = [
          date.toISOString().slice(0, 10),
          `${day} ${name} ${year}`,
          `${name} ${day}, ${year}`,
          `${day} ${name.slice(0, 3)} '${String(year).slice(2)}`,
          `${day}.${month + 1}.${year}`,
          `${two(day)}.${two(month + 1)}.${String(year).slice(2)}`,
          `${two(day)}/${two(month + 1)}/${year}`,
          `${two(month + 1)}/${two(day)}/${year}`,
          `${day} of ${name} ${year}`
        ]
        for (const a of forms) for (const b of forms) expect(relation(a, b), `${a}, ${b}`).toBe("equal")
      }),
      { numRuns: lawRuns({ quick: 60, full: 10_000 }) }
    )
  })

  it("a time of day is one time in both clocks", () => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 1439 }), (minutes) => {
        const [hour, minute] = [Math.floor(minutes / 60), String(minutes % 60).padStart(2, "0")]
        const half = `${hour % 12 === 0 ? 12 : hour % 12}:${minute} ${hour < 12 ? "am" : "pm"}`
        expect(relation(`${hour}:${minute}`, half)).toBe("equal")
        expect(relation(`${(hour + 1) % 24}:${minute}`, half)).toBe("differs")
      }),
      { numRuns: lawRuns({ quick: 100, full: 10_000 }) }
    )
  })
})

describe("abbreviations", () => {
  const wordsOf = (text: string): ReadonlyArray<TextWord> =>
    text.split(" ").map((form) => ({
      form,
      canon: form,
      isFunctionWord: /^(?:and|of|the|at)$/.test(form),
      amount: /^\d+$/.test(form) ? Number(form) : undefined
    }))
  const expansion = (short: string, text: string) =>
    expansionOf({ form: short, canon: short }, { words: wordsOf(text), definitions: new Map() }, new Map())

  it.each([
    ["ent", "the ear nose and throat department", ["ear", "nose", "throat"]],
    ["mttr", "mean time to recovery", ["mean", "time", "to", "recovery"]],
    ["k8s", "the kubernetes cluster", ["kubernetes"]],
    ["i18n", "work on internationalization", ["internationalization"]],
    ["b3", "sleeps in bed 3", ["bed"]],
    ["b3", "sleeps in bed 13", undefined],
    ["appt", "the appointment is fixed", ["appointment"]],
    ["mgr", "ask the manager", ["manager"]],
    ["temp", "take the temperature", ["temperature"]],
    ["ent", "the dental department", undefined],
    ["cat", "contact the owner", undefined]
  ])("%s in: %s", (short, text, expected) => {
    expect(expansion(short, text)).toEqual(expected)
  })

  it("learns a definition only if its expansion is in the text", () => {
    const learnt = new Map([["kc", ["keycloak"]]])
    const sequence = (text: string) => ({ words: wordsOf(text), definitions: new Map() })
    expect(expansionOf({ form: "kc", canon: "kc" }, sequence("keycloak does the login"), learnt)).toEqual(["keycloak"])
    expect(expansionOf({ form: "kc", canon: "kc" }, sequence("authentik does the login"), learnt)).toBeUndefined()
  })
})

describe("lists", () => {
  const tokensOf = (text: string) =>
    (text.match(/[a-z]+|[,:.]/g) ?? []).map((word) => {
      const isMark = /[,:.]/.test(word)
      return { canon: isMark || word === "and" ? "" : word, mark: isMark ? word : undefined, isJoint: word === "and" }
    })

  it("finds the items after a colon", () => {
    const list = listIn(tokensOf("paid for may: nele, ulrich and sunita"))!
    expect([...list.key]).toEqual(["paid", "for", "may"])
    expect(list.items.map((item) => [...item])).toEqual([["nele"], ["ulrich"], ["sunita"]])
    expect(countItemsAmong(list.items, new Set(["nele", "sunita", "greta"]))).toBe(2)
  })

  it("finds none in a sentence", () => {
    expect(listIn(tokensOf("nele paid for the coffee in may."))).toBeUndefined()
  })
})
