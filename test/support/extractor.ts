import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import {
  type ExtractedFact,
  type Extraction,
  Extractor,
  ExtractorError,
  type ExtractorService,
  type ExtractRequest
} from "../../src/ports/Extractor.js"
import { sentencesOf } from "../../text/normalise/sentences.js"

const by = { kind: "rule", name: "tiny-rules" } as const

/** What a sentence of a user states, by two rules, and what it ends. */
const statementsIn = (sentence: string, turn: number): Partial<ExtractedFact> & { readonly ends?: string } => {
  const [, liked] = /^I like (.+?)\.?$/.exec(sentence) ?? []
  if (liked !== undefined) return { title: `The user likes ${liked}`, type: "preference", rule: "likes" }
  const [, what, value] = /^My (.+?) is (.+?)\.?$/.exec(sentence) ?? []
  if (what !== undefined) return { title: `The user's ${what} is ${value}`, type: "identity", rule: "is" }
  const [, accepted] = /^(Yes), exactly\.?$/.exec(sentence) ?? []
  if (accepted !== undefined) return { rule: "accepts", sources: [{ turn: turn - 1, reason: "was proposed" }] }
  const [, ended] = /^I no longer like (.+?)\.?$/.exec(sentence) ?? []
  return ended === undefined ? {} : { ends: `The user likes ${ended}` }
}

/** A small extractor for tests: `I like …`, `My … is …`, `I no longer like …`. */
export const extract = ({ turns }: ExtractRequest): Extraction => {
  const facts: Array<ExtractedFact> = []
  const archive: Array<{ readonly title: string; readonly reason: string }> = []
  for (const [turn, { role, text }] of turns.entries()) {
    for (const sentence of role === "user" || role === "assistant" ? sentencesOf(text) : []) {
      const { ends, rule, title, type } = statementsIn(sentence, turn)
      if (ends !== undefined) archive.push({ title: ends, reason: "no longer" })
      if (title === undefined || type === undefined || rule === undefined) continue
      facts.push({
        title,
        type,
        people: [],
        tags: [],
        rule,
        statedBy: role as "user",
        sources: [{ turn, reason: "says it" }]
      })
    }
  }
  return { facts, by, ...(archive.length === 0 ? {} : { archive }) }
}

export const tiny: ExtractorService = { name: "tiny-1", extract }

/** A model that answers as the function says, over the same rules. */
export const asking = (ask: NonNullable<ExtractorService["ask"]>): ExtractorService => ({
  name: "tiny-1+model",
  extract,
  ask
})

/** Models that cannot be used, by what is wrong with them. */
export const brokenModels: Readonly<Record<string, NonNullable<ExtractorService["ask"]>>> = {
  fails: () => Effect.fail(new ExtractorError({ name: "tiny-1+model", reason: "failed" })),
  throws: () => {
    throw new Error("no answer")
  },
  dies: () => Effect.dieMessage("no answer"),
  hangs: () => Effect.never,
  "names an unknown turn": (request) =>
    Effect.succeed({ facts: [{ ...factOf("It snows"), sources: [{ turn: request.turns.length, reason: "" }] }], by }),
  "answers nonsense": () => Effect.succeed({ facts: [{ title: 7 }] } as never),
  "writes a book": () => Effect.succeed({ facts: [factOf("x".repeat(10_000))], by })
}

const factOf = (title: string): ExtractedFact => ({
  ...{ title, type: "discovery", people: [], tags: [], rule: "model", statedBy: "user" },
  sources: [{ turn: 0, reason: "" }]
})

export const layerOf = (service: ExtractorService): Layer.Layer<Extractor> => Layer.succeed(Extractor, service)

export const tinyLayer = layerOf(tiny)
