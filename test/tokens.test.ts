import { readFileSync } from "node:fs"
import { describe, expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import type * as Layer from "effect/Layer"
import * as fc from "fast-check"
import { encode } from "gpt-tokenizer/encoding/o200k_base"
import { Daybook, Policy, TokenCounter } from "../layers/entry.js"
import { estimateTokens } from "../text/normalise/countTokens.js"

const exact = (text: string): number => encode(text, { allowedSpecial: new Set(), disallowedSpecial: new Set() }).length

interface Sample {
  readonly kind: string
  readonly text: string
}

/** Texts of 40 to 700 characters that the vocabulary was not tuned on: prose of six languages, code, URLs and JSON. */
const samples: ReadonlyArray<Sample> = readFileSync(new URL("fixtures/tokens.jsonl", import.meta.url), "utf8")
  .trim()
  .split("\n")
  .map((line) => JSON.parse(line))

describe("the estimate of tokens", () => {
  for (const kind of new Set(samples.map((sample) => sample.kind))) {
    it(`is within 15 % of o200k for each text: ${kind}`, () => {
      const ratios = samples
        .filter((sample) => sample.kind === kind)
        .map(({ text }) => ({ text, ratio: estimateTokens(text) / exact(text) }))
      expect(ratios.length).toBeGreaterThanOrEqual(7)
      expect(ratios.filter(({ ratio }) => Math.abs(ratio - 1) > 0.15)).toEqual([])
    })
  }

  it("is within 5 % for all samples together", () => {
    const sum = (count: (text: string) => number) => samples.reduce((total, { text }) => total + count(text), 0)
    expect(Math.abs(sum(estimateTokens) / sum(exact) - 1)).toBeLessThan(0.05)
  })

  it("counts a long word and a URL as several tokens", () => {
    expect(estimateTokens("안녕하세요반갑습니다")).toBeGreaterThan(3)
    expect(estimateTokens("https://shop.example.org/a/watering-can?c=42")).toBeGreaterThan(10)
    expect([estimateTokens(""), estimateTokens("tea"), estimateTokens("=".repeat(80))]).toEqual([0, 1, 2])
  })

  it("of a long text is near to the sum of its parts, and takes no longer than its samples", () => {
    const page = samples.map(({ text }) => text).join("\n")
    const long = page.repeat(30)
    expect(long.length).toBeGreaterThan(200_000)
    expect(Math.abs(estimateTokens(long) / (30 * estimateTokens(page)) - 1)).toBeLessThan(0.1)
  })

  it("of a character by itself is exact, in every script and for emoji", () => {
    // No part of a pair, and no control character, which the pattern of the encoding joins to others.
    const all = Array.from({ length: 0x20000 - 0x80 }, (_, index) => String.fromCodePoint(index + 0x80))
    const signs = all.filter((sign, index) => index % 37 === 0 && !/[\p{C}\p{Z}]/u.test(sign))
    expect(signs.length).toBeGreaterThan(1_500)
    expect(signs.filter((sign) => estimateTokens(sign) !== exact(sign))).toEqual([])
    expect(estimateTokens("🮪ᱸ㋍")).toBe(exact("🮪ᱸ㋍"))
  })

  it("of a rare sign is not less before a line break", () => {
    expect(estimateTokens(" 𝧰\n ")).toBeGreaterThanOrEqual(estimateTokens(" 𝧰"))
  })

  it.prop(
    "is between one and the bytes of the text, and two parts cost as much as the whole",
    [
      fc.string({ unit: "grapheme", minLength: 1, maxLength: 200 }),
      fc.string({ unit: "grapheme", minLength: 1, maxLength: 200 })
    ],
    ([a, b]) => {
      const [one, other] = [estimateTokens(a), estimateTokens(b)]
      expect(one).toBeGreaterThanOrEqual(1)
      expect(one).toBeLessThanOrEqual(Buffer.byteLength(a))
      const both = estimateTokens(`${a}\n${b}`)
      expect(both).toBeLessThanOrEqual(one + other + 2)
      expect(both).toBeGreaterThanOrEqual(Math.max(one, other) - 2)
    }
  )
})

describe("the counter of tokens", () => {
  const counted = <E>(layer: Layer.Layer<TokenCounter.TokenCounter, E>) =>
    Effect.provide(
      Effect.map(TokenCounter.TokenCounter, ({ count }) => count("Watering cans: <|endoftext|>")),
      layer
    )

  it.effect("is a tokenizer by the name of an encoding or a model, and reads control tokens as text", () =>
    Effect.gen(function* () {
      const text = exact("Watering cans: <|endoftext|>")
      expect(yield* counted(TokenCounter.layerTokenizer("o200k_base"))).toBe(text)
      expect(yield* counted(TokenCounter.layerTokenizer("gpt-4o-mini"))).toBe(text)
      expect(yield* counted(TokenCounter.layerMixed)).toBe(3)
    })
  )

  it.effect("is refused if its name is unknown", () =>
    Effect.gen(function* () {
      const refused = yield* Effect.flip(Effect.provide(Effect.void, TokenCounter.layerTokenizer("abacus")))
      expect(refused.problems).toEqual([
        "tokens.counter: must be estimate, mixed, o200k_base, cl100k_base or an OpenAI model"
      ])
    })
  )

  for (const [counter, tokens] of [
    ["estimate", estimateTokens],
    ["mixed", () => 1],
    ["gpt-4o", exact]
  ] as const) {
    it.scoped(`comes from the policy: ${counter}`, () =>
      Effect.gen(function* () {
        const daybook = yield* Daybook
        const memory = yield* daybook.agent("a", { trust: "full" })
        const { id } = yield* memory.remember({ title: "Donaudampfschifffahrtsgesellschaft" })
        const [found] = yield* memory.get([id])
        expect(found?.tokens).toBe(tokens("Donaudampfschifffahrtsgesellschaft"))
      }).pipe(
        Effect.provide(Daybook.layerMemory({ policy: Either.getOrThrow(Policy.decode({ tokens: { counter } })) }))
      )
    )
  }
})
