import { readdirSync, readFileSync } from "node:fs"
import { describe, expect, it } from "@effect/vitest"
import Database from "better-sqlite3"
import * as fc from "effect/FastCheck"
import * as TextIndex from "../projections/textIndex.js"
import { limits } from "../src/model/limits.js"
import { ftsExpressionOf } from "../src/search/ftsQuery.js"
import { parseQuery } from "../src/search/query.js"
import { bounds } from "../text/normalise/bounds.js"
import { neighbourCompounds } from "../text/normalise/compounds.js"
import { endingsOf } from "../text/normalise/endings.js"
import { formsOf, formsOfWord, telephonePattern } from "../text/normalise/forms.js"
import { ftsExpression, toIndexText } from "../text/normalise/indexText.js"
import { foldLetters } from "../text/normalise/letters.js"
import { isPlainAscii } from "../text/normalise/plainAscii.js"
import { durationOf, expectDuration, lawRuns } from "./support/size.js"

const folder = new URL("./fixtures/search/", import.meta.url)
const texts = readdirSync(folder).flatMap((file) =>
  Object.values<string>(JSON.parse(readFileSync(new URL(file, folder), "utf8")).texts)
)

/** An index that holds one text at a time: whether it matches. */
const matcher = () => {
  const db = new Database(":memory:")
  const index = TextIndex.make("", { text: 1 })
  db.exec(index.tables)
  const table = index.table("full")
  const holds = db.prepare(`SELECT 1 FROM ${table} WHERE ${table} MATCH ?`)
  return (text: string, made = toIndexText(text)) => {
    index.replace(db, 1, { born: 1, id: "x", openness: 0, columns: [made] }, false)
    return (match: string) => holds.get(match) !== undefined
  }
}
const indexOf = matcher()

/** Whether FTS5 takes a character for (a part of) a word: its tables are of an older Unicode. */
const known = (character: string): boolean => {
  if (!/[\p{L}\p{N}\p{M}]/u.test(character)) return true
  const before = asked.get(character)
  if (before !== undefined) return before
  const answer = indexOf(character, `x${character}`)(`"x${character}"`) && !indexOf(character, "x")(`"x${character}"`)
  asked.set(character, answer)
  return answer
}
const asked = new Map<string, boolean>()

/** Words as people and programs write them, and what stands between them. */
const words = texts.flatMap((text) => text.split(/\s+/u))
const pieces = [
  ...words,
  ..."a A 1 x9 - _ . , ' ’ / \\ : @ # + ++ ( ) $ é ß ı İ ł ё ς ά ー ・ の 東 京 ก ำ ् ़ ـ ً ال و ה서 울 에서 🚀 🇩 🇪 ‍ ‑ ½ ﬁ Å ö".split(
    " "
  )
]
const mixed: fc.Arbitrary<string> = fc.oneof(
  fc
    .array(fc.tuple(fc.constantFrom(...pieces), fc.constantFrom(" ", " ", "", "\n", "-", ". ", "\u00a0")), {
      maxLength: 20
    })
    .map((parts) => parts.flat().join("")),
  fc.string({ unit: "grapheme", maxLength: 60 }),
  fc.string({ unit: "binary", maxLength: 60 }).filter((text) => text.isWellFormed() && !text.includes("\0"))
)

describe("a text is found", () => {
  it("by each of its words", () => {
    expect([...new Set(foldLetters(texts.join("")))].filter((character) => !known(character))).toEqual([])
    fc.assert(
      fc.property(mixed, (text) => {
        const words = text.split(/\s+/u).filter((word) => [...foldLetters(word)].every(known))
        const matches = indexOf(text)
        for (const word of words) {
          const match = ftsExpression(word)
          if (match !== null && !matches(match)) throw new Error(`${JSON.stringify(word)} is not found: ${match}`)
        }
      }),
      { numRuns: lawRuns({ quick: 300, full: 3_000 }), seed: 7 }
    )
  })

  it("by every few of its words in quotes", () => {
    for (const text of texts) {
      const matches = indexOf(text)
      const all = text.split(/\s+/u)
      for (let at = 0; at + 2 < all.length; at++) {
        const match = ftsExpression(all.slice(at, at + 3).join(" "))
        expect([text, at, match === null || matches(match)]).toEqual([text, at, true])
      }
    }
  })

  it("by the parts around a change between letters, digits and capitals", () => {
    const name = fc.stringMatching(/^[A-Z][a-z]{2,7}$/)
    const number = fc.stringMatching(/^[1-9]\d{0,3}$/)
    fc.assert(
      fc.property(fc.array(fc.tuple(name, name, number), { minLength: 1, maxLength: 2 }), (some) => {
        const parts = some.flat()
        const matches = indexOf(`see ${parts.join("")}, please`)
        for (const part of parts) expect([part, matches(ftsExpression(part)!)]).toEqual([part, true])
        for (const between of ["_", "-"]) expect(matches(ftsExpression(parts.join(between))!)).toBe(true)
      }),
      { numRuns: lawRuns({ quick: 100, full: 500 }) }
    )
  })
})

describe("a text is not found", () => {
  const others: ReadonlyArray<readonly [string, ReadonlyArray<string>]> = [
    ["parse HTTP, and mira", ["src/parseHTTP/mira.ts", "https://a.example/parseHTTP", "mira@example.org"]],
    ["version 2.1.3 of 2.1", ["2.10", "v2.1.30", "2.3.1", "21.3"]],
    ["vitamin C, the net and an env", ["C++", "C#"]],
    ["9fceb02d", ["9fceb03", "9fceb02f"]],
    ["5km and 171 2345678", ["5mk", "+49 171 2345687"]],
    ["1,250.50", ["1250.05", "12505"]],
    ["東に京はない", ["東京"]],
    ["서쪽 울음", ["서울"]],
    ["Москит", ["Москва"]]
  ]
  it("by other words", () => {
    for (const [text, words] of others)
      for (const word of words) expect([text, word, indexOf(text)(ftsExpression(word)!)]).toEqual([text, word, false])
  })
})

describe("other written forms", () => {
  it("are few for an everyday text", () => {
    const ascii = fc
      .array(
        fc.constantFrom(
          ..."a b Z QQ s The of 1 12 345 2024 0 7 . , - _ ' # @ + ( ) / : ; $ \\ \" ! ? ~ * = & % js NET v".split(" "),
          " ",
          " ",
          "\n",
          "\t"
        ),
        { maxLength: 14 }
      )
      .map((parts) => parts.join(""))
    let everyday = 0
    fc.assert(
      fc.property(fc.oneof(ascii, fc.string({ maxLength: 20 })), (text) => {
        if (!isPlainAscii(text)) return
        everyday++
        expect([text, formsOf(text)]).toEqual([text, []])
        expect(toIndexText(text)).toBe(text)
      }),
      { numRuns: lawRuns({ quick: 2_000, full: 20_000 }) }
    )
    expect(everyday).toBeGreaterThan(lawRuns({ quick: 300, full: 3_000 }))
    expect(isPlainAscii('On Monday, 3 May, she\'s off to the U N; "why?" (40% of us asked) - well.')).toBe(true)
  })

  it("are few, and short", () => {
    const cases: ReadonlyArray<readonly [string, ReadonlyArray<string>]> = [
      ["parseHTTPResponse", ["parse HTTP Response"]],
      ["parse_http-response", ["parsehttpresponse"]],
      ["OAuth2Token", ["O Auth 2 Token", "OAuth 2 Token"]],
      ["APIs and PDFs", []],
      ["v2.10.3-rc.1", ["2 10 3 rc 1"]],
      ["2.10.3", []],
      ["9fceb02d0ae598e95dc970b74767f19372d61af8", []],
      ["9FCEB02D", []],
      ["AaaAaa1", ["Aaa Aaa 1"]],
      ["550e8400-e29b-41d4-a716-446655440000", ["550e8400e29b41d4a716446655440000"]],
      ["10-20", []],
      ["$1,250.50", ["1250.50"]],
      ["1.250,50", ["1250,50"]],
      ["+49 (0)171 2345678", ["tel12345678"]],
      ["C++, C# and .NET", ["dotNET", "Cplusplus", "Csharp"]],
      ["mira@example.org", []],
      ["#1234 @mira", ["hashtag1234", "mentionmira"]],
      ["Müller", ["Mueller"]],
      ["x".repeat(90), []],
      ["a-".repeat(60), []]
    ]
    for (const [text, forms] of cases) expect([text, formsOf(text)]).toEqual([text, forms])
  })

  it("of any long narrative are found quickly", () => {
    let slowest = 0
    for (const part of [
      "a",
      "A",
      "aB",
      "a1",
      "1",
      "0 ",
      "+1(",
      "a-",
      "a_B",
      "a.",
      ".a",
      "#",
      "@a ",
      "1,000",
      "'",
      "é",
      "ä",
      "aä",
      "о",
      "서",
      "東",
      "ーア",
      "ال",
      "א",
      "\u0301",
      "🚀",
      "\u200d",
      "1:"
    ]) {
      const text = part.repeat(Math.ceil(limits.narrative / part.length))
      for (const one of [text, `${text}é`]) {
        slowest = Math.max(
          slowest,
          durationOf(() => toIndexText(one))
        )
      }
      slowest = Math.max(
        slowest,
        durationOf(() => parseQuery(text))
      )
    }
    expectDuration("slowest text of one repeated part", slowest, 200)
  })
})

describe("the index text is limited", () => {
  const wordsOf = (text: string) => text.match(/[\p{L}\p{N}]+/gu) ?? []

  it("in characters, also if normalisation expands them", () => {
    expect(toIndexText("tea ".repeat(limits.narrative)).length).toBeLessThanOrEqual(bounds.indexedBytes)
    const length = limits.narrative
    expect(foldLetters("\ufdfa".repeat(length)).length).toBeLessThanOrEqual(bounds.growth * length + bounds.added)
    expect(wordsOf(foldLetters("\ufdfa"))).toHaveLength(4)
  })

  it("in occurrences of one word, with and without accents, but not in other words", () => {
    const text = `${"a Á ".repeat(bounds.occurrences)} harbour`
    const indexed = wordsOf(toIndexText(text))
    expect(indexed.filter((word) => word !== "harbour")).toHaveLength(bounds.occurrences)
    expect(indexed).toContain("harbour")
    const rare = "tea harbour ".repeat(bounds.occurrences / 2)
    expect(toIndexText(rare)).toBe(rare)
  })

  it.each([
    ["a phrase", '"tea harbour"', "tea harbour ".repeat(250)],
    ["a chain", "a_a_a", "a_".repeat(500)],
    ["signs", "$1", "$1,".repeat(300)],
    ["characters", "東京", Array.from({ length: 300 }, (_, index) => String.fromCodePoint(0x4e00 + index)).join("")],
    ["ligatures", "ﷺ", "\ufdfa".repeat(300)]
  ])("the words that a query compares: %s", (_, short, long) => {
    const most = bounds.alternatives * (bounds.phraseWords + 2)
    expect(wordsOf(ftsExpression(long) ?? "").length).toBeLessThanOrEqual(most)
    expect(parseQuery(long.length > 1_000 ? `"${long.slice(0, 1_000)}"` : long).hints).toContain(
      `only the first ${bounds.phraseWords} words of a phrase are compared`
    )
    expect(parseQuery(short).hints).toEqual([])
  })

  it("in the words of a query, and the repetitions of one", () => {
    const phrases = Array.from({ length: 40 }, (_, index) => `"${`w${index} `.repeat(12)}"`).join(" ")
    const { hints, must } = parseQuery(phrases)
    expect(wordsOf(must.join(" ")).length).toBeLessThanOrEqual(limits.queryWords + bounds.phraseWords)
    expect(hints).toContainEqual(`only the first ${limits.queryWords} words are searched`)
    expect(ftsExpressionOf(parseQuery("tea ".repeat(32)))).toBe('"tea" OR "tea"')
    expect(ftsExpressionOf(parseQuery("+tea ".repeat(32)))).toBe('"tea"')
  })
})

describe("a text built to be slow", () => {
  const long = (part: string, length: number = limits.narrative) => part.repeat(Math.ceil(length / part.length))
  const shapes: Readonly<Record<string, string>> = {
    "a long word before a hyphen": `${long("a")}.b-c`,
    "long words between hyphens": `${long("a", 30_000)}-${long("b", 30_000)}.c`,
    "a hyphen in front": `b-c.${long("a")}`,
    "a long name with a dot": `${long("a")}.é`,
    "initials without end": `${long("a.")}1`,
    "digits in a compound": `${long("1")}.b-c`,
    "hyphens in a compound with dots": `${long("a-b.")}c`,
    "groups of three digits": `1 ${long("000 ")}1`,
    "groups of three digits before a letter": `1${long(",000")}x`,
    "groups with dots": `1${long(".000")},x`,
    decimals: `1,000.${long("5")}x`,
    "a telephone number without end": `+4${long(" ().")}${long("1 (")}`,
    "digits with blanks": `0${long("1 ")}x`,
    "digits alone": `${long("1")}x`,
    signs: `a${long("!")}a`,
    "signs and marks": `a${long("#@+")}é`,
    "an umlaut at the end": `${long("a")}ä b`,
    "letters after an umlaut": `ä${long("a")}1`,
    "a Russian word": `${long("а")}1`,
    "a Russian word with endings": long("иями"),
    "a Greek word": long("οα"),
    "a Korean word": long("에서"),
    "a Hebrew word": `${long("ב")}a`,
    "an Arabic word": long("وال"),
    "marks in the wrong order": `a${long("\u0301\u0323")}`,
    "marks by their order": `a${long("\u0301", 32_000)}${long("\u0323", 32_000)}`,
    joiners: `a${long("\u200d")}1`,
    "joiners between letters": long("a\u200c"),
    "dots between katakana": long("ア・"),
    "signs of length": `アア${long("ー")}`,
    "letters that become many": long("\ufdfa"),
    "emoji with joiners": long("🚀\u200d"),
    blanks: `a${long(" ")}a`,
    "an address": `${long("a+")}://${long("?#")}`
  }
  const functions: Readonly<Record<string, (text: string) => unknown>> = {
    indexed: toIndexText,
    expression: ftsExpression,
    folded: foldLetters,
    formsOf,
    formsOfWord,
    endingsOf,
    telephone: (text) => [...text.matchAll(telephonePattern())]
  }
  for (const [name, run] of Object.entries(functions)) {
    it(name, () => {
      const slow = Object.entries(shapes).flatMap(([shape, text]) => {
        const before = process.cpuUsage()
        run(text)
        const took = process.cpuUsage(before).user / 1_000
        return took < 500 ? [] : [`${shape}: ${took} ms`]
      })
      expect(slow).toEqual([])
    })
  }

  it("still has the forms that somebody may type", () => {
    expect(formsOf("x.rate-limit 1 000 000 of 200,300,400.5 a:b_c")).toEqual([
      "ratelimit",
      "bc",
      "1000000",
      "200300400.5"
    ])
    expect(foldLetters(`e${"\u0301".repeat(3)}`)).toBe("é")
  })
})

describe("queries", () => {
  it("keep a telephone number whole, and join words that may be one", () => {
    expect(parseQuery("call +49 171 2345678 today").should.map(({ text }) => text)).toEqual([
      "call",
      "+49 171 2345678",
      "today"
    ])
    expect(parseQuery("+49 171 2345678").must).toEqual([])
    const together = (text: string) => neighbourCompounds(parseQuery(text).should).map((pair) => pair.joined)
    expect(together("rate limit of rest")).toEqual(['"ratelimit"'])
    expect(together('"rate limit" +rate limit title:x y')).toEqual([])
    for (const query of ['word OR "a b" OR "c d"', 'word OR other OR "a b"', '"a b" OR word OR "c d" more'])
      expect([query, parseQuery(query).required]).toEqual([query, [query.replace(" more", "").replaceAll('"', "")]])
    expect(parseQuery('word OR "a b" OR "c d" more').should.map(({ text }) => text)).toEqual(["more"])
    expect(parseQuery(`${"0 ".repeat(limits.queryBytes)}`).should.length).toBeLessThanOrEqual(limits.queryTerms)
  })
})
