import * as LanguageModel from "@effect/ai/LanguageModel"
import type * as Response from "@effect/ai/Response"
import { describe, expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Stream from "effect/Stream"
import { Daybook, Embedder } from "../layers/entry.js"
import { layer, MemoryToolkit } from "../layers/hosts/effectAi/index.js"

/** A model that gives answers in order, and the prompts that it got. */
const scripted = (answers: ReadonlyArray<ReadonlyArray<Response.PartEncoded>>) => {
  const prompts: Array<string> = []
  const model = LanguageModel.make({
    generateText: ({ prompt }) => Effect.sync(() => [...(answers[prompts.push(JSON.stringify(prompt)) - 1] ?? [])]),
    streamText: () => Stream.empty
  })
  return { prompts, layer: Layer.effect(LanguageModel.LanguageModel, model) }
}

const usage = { inputTokens: 1, outputTokens: 1, totalTokens: 2 }
const call = (name: string, params: unknown): ReadonlyArray<Response.PartEncoded> => [
  { type: "tool-call", id: `call-${name}`, name, params, providerExecuted: false },
  { type: "finish", reason: "tool-calls", usage }
]

describe("MemoryToolkit", () => {
  it.live("lets a model write, search, read and forget", () => {
    const model = scripted([
      call("memory_write", { title: "Deploys happen on Thursdays", facts: ["deploy day: Thursday"] }),
      call("memory_search", { query: "deploys" }),
      call("memory_forget", { id: "nothing000" })
    ])
    const ask = (prompt: string) => LanguageModel.generateText({ prompt, toolkit: MemoryToolkit })
    return Effect.gen(function* () {
      const written = yield* ask("Remember it")
      expect(written.toolResults).toMatchObject([
        { name: "memory_write", result: { outcome: "added" }, isFailure: false }
      ])
      const found = yield* ask("Search it")
      expect(found.toolResults).toMatchObject([{ result: [{ title: "Deploys happen on Thursdays" }] }])
      const forgotten = yield* ask("Forget it")
      expect(forgotten.toolResults).toMatchObject([{ result: { error: expect.stringContaining("nothing000") } }])
      const memory = yield* (yield* Daybook).agent("coop", { trust: "full" })
      const [row] = yield* memory.list()
      expect(yield* memory.get([row!.id])).toMatchObject([{ level: "inner", facts: ["deploy day: Thursday"] }])
    }).pipe(
      Effect.provide(Layer.merge(model.layer, layer({ agent: "coop" }))),
      Effect.provide(Daybook.layerMemory({ embedder: Embedder.layerHash }))
    )
  })

  it.live("reads and writes at the levels of its options", () =>
    Effect.gen(function* () {
      const memory = yield* (yield* Daybook).agent("coop", { trust: "full" })
      yield* memory.remember({ title: "The spare key is under the mat", store: "private" })
      const { handle } = yield* MemoryToolkit
      expect((yield* handle("memory_search", { query: "spare key" })).result).toEqual([])
      yield* handle("memory_write", { title: "The ferry leaves at noon" })
      const rows = yield* memory.list({ stores: ["social"] })
      expect(rows.map(({ title }) => title)).toEqual(["The ferry leaves at noon"])
    }).pipe(
      Effect.provide(layer({ agent: "coop", trust: { user: "familiar" } })),
      Effect.provide(Daybook.layerMemory({ embedder: Embedder.layerHash }))
    )
  )

  it.live("fails with a typed error on a wrong agent name", () =>
    Effect.gen(function* () {
      const error = yield* Effect.flip(Effect.provide(MemoryToolkit, layer({ agent: "" })))
      expect(error._tag).toBe("InvalidInput")
    }).pipe(Effect.provide(Daybook.layerMemory({ embedder: Embedder.layerHash })))
  )
})
