import { describe, expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { policyExtractorLayer } from "../layers/extractors.js"
import { hybrid, modelOnlyExtractor } from "../layers/modelExtractor.js"
import { ruleExtractor } from "../layers/RuleExtractor.js"
import {
  type ExtractedFact,
  type Extraction,
  Extractor,
  ExtractorError,
  type ExtractRequest
} from "../src/ports/Extractor.js"
import { decode } from "../src/ports/Policy.js"

const fact = (title: string, type: string, rule: string): ExtractedFact => ({
  title,
  type,
  people: [],
  tags: [],
  sources: [{ turn: 0, reason: "says so" }],
  rule,
  statedBy: "user"
})
const byRules = (sure?: boolean, ...facts: ReadonlyArray<ExtractedFact>) => ({
  name: "r",
  extract: (): Extraction => ({
    facts,
    by: { kind: "rule", name: "r" },
    ...(sure === undefined ? {} : { sure })
  })
})
const says = (...texts: ReadonlyArray<string>): ExtractRequest => ({
  context: [],
  turns: texts.map((text) => ({ role: "user", text, at: 0 })),
  recalled: []
})

/** A model that counts its calls. */
const counting = () => {
  const asked: Array<ExtractRequest> = []
  const ask = (request: ExtractRequest) =>
    Effect.sync((): Extraction => {
      asked.push(request)
      return { facts: [fact("The user lives in Harwick", "identity", "model")], by: { kind: "model", name: "m" } }
    })
  return { asked, model: { name: "m", ask } }
}

describe("a hybrid extractor", () => {
  const home = fact("The user lives in Harwick", "identity", "home")

  it.effect("asks the model once for all turns if the rules are not sure", () =>
    Effect.gen(function* () {
      const { asked, model } = counting()
      const request = says("I moved to Harwick last spring.", "We are very happy here, all of us.")
      const extractor = hybrid(byRules(), model)
      expect(extractor.name).toBe("r+m")
      expect((yield* extractor.ask!(request)).by.kind).toBe("model")
      expect((yield* hybrid(byRules(false, home), model).ask!(says("Harwick"))).by.kind).toBe("model")
      expect(asked).toEqual([request, says("Harwick")])
    })
  )

  it.effect("asks no model if the rules are sure, or if the user states nothing", () =>
    Effect.gen(function* () {
      const { asked, model } = counting()
      const sure = byRules(true, home)
      expect(yield* hybrid(sure, model).ask!(says("I moved to Harwick last spring."))).toEqual(sure.extract())
      const nothing = ["thanks, sounds good", "What did we decide yesterday?", "ok", "```\nlet port = 80;\n```", "Hm?"]
      for (const text of nothing) yield* hybrid(byRules(), model).ask!(says(text))
      yield* hybrid(byRules(), model).ask!({
        ...says("ok"),
        turns: [{ role: "assistant", text: "You could move to Harwick, for example.", at: 0 }]
      })
      expect(asked).toEqual([])
    })
  )

  it.effect("leaves the turns to the rules if the model fails", () =>
    Effect.gen(function* () {
      const error = new ExtractorError({ name: "m", reason: "invented", detail: "1 of 2 facts" })
      const model = { name: "m", ask: () => Effect.fail(error) }
      for (const compose of [hybrid, modelOnlyExtractor]) {
        const extractor = compose(byRules(false, home), model)
        const request = says("I moved to Harwick last spring.")
        expect(yield* Effect.flip(extractor.ask!(request))).toBe(error)
        expect(extractor.extract(request).facts).toEqual([home])
      }
      expect(error.message).toBe("extractor m: made a statement that no turn supports (1 of 2 facts)")
    })
  )
})

describe("the policy's extractor", () => {
  const nameOf = (policy: object) =>
    Effect.gen(function* () {
      const values = yield* decode(policy)
      const service = yield* Effect.provide(Extractor, policyExtractorLayer(values))
      return [service?.name ?? null, service?.ask !== undefined]
    })
  const model = { provider: "openai", model: "big", fast: { model: "small" } }

  it.effect("is rules without a model, and a hybrid with the fast model", () =>
    Effect.gen(function* () {
      expect(yield* nameOf({})).toEqual([ruleExtractor.name, false])
      expect(yield* nameOf({ model })).toEqual([`${ruleExtractor.name}+openai/small`, true])
      expect(yield* nameOf({ model, capture: { extractor: "rules" } })).toEqual([ruleExtractor.name, false])
      expect(yield* nameOf({ model, capture: { extractor: "model" } })).toEqual(["openai/small", true])
      expect(yield* nameOf({ capture: { extractor: "none" } })).toEqual([null, false])
      expect(yield* nameOf({ capture: { enabled: false } })).toEqual([null, false])
    })
  )

  it.effect("needs a model, and a mode that asks it, if a model extracts", () =>
    Effect.gen(function* () {
      const missing = yield* Effect.flip(nameOf({ capture: { extractor: "model" } }))
      expect(missing.message).toContain("model: is required, because `capture.extractor` is `model`")
      const mode = yield* Effect.flip(nameOf({ model, capture: { extractor: "model", mode: "turn" } }))
      expect(mode.message).toContain('capture.mode: must be "after" or "buffer"')
      const bounds = yield* Effect.flip(nameOf({ capture: { minTurnMessages: 0, tokens: 0, turns: 101, mode: "now" } }))
      for (const setting of ["minTurnMessages", "tokens", "turns", "mode"])
        expect(bounds.message).toContain(`capture.${setting}: `)
    })
  )
})
