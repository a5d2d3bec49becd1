// Effect AI with Daybook's toolkit. A scripted LanguageModel replaces a real model.
import { LanguageModel } from "@effect/ai"
import { Daybook } from "daybook"
import { layer, MemoryToolkit } from "daybook/hosts/effect-ai"
import { Effect, Layer, Stream } from "effect"

const calls = [
  { name: "memory_write", params: { title: "Deploys happen on Thursdays", type: "decision" } },
  { name: "memory_search", params: { query: "when do we deploy" } }
]
const local = LanguageModel.make({
  generateText: () => Effect.sync(() => [{ type: "tool-call", id: "c", providerExecuted: false, ...calls.shift() }]),
  streamText: () => Stream.empty
})

const program = Effect.gen(function* () {
  for (const prompt of ["We deploy on Thursdays.", "When do we deploy?"]) {
    const { toolResults } = yield* LanguageModel.generateText({ prompt, toolkit: MemoryToolkit })
    for (const { name, result } of toolResults) console.log(name, JSON.stringify(result))
  }
})
const model = Layer.effect(LanguageModel.LanguageModel, local)
const tools = layer({ agent: "harbour" }).pipe(Layer.provide(Daybook.layer({ folder: "./data" })))
await Effect.runPromise(program.pipe(Effect.provide([model, tools])))
