/** A program for each host, and the packages that it imports. Each compiles and runs without the packages of the others. */
export const hostPrograms: Readonly<Record<string, readonly [packages: ReadonlyArray<string>, program: string]>> = {
  "anthropic-memory": [
    [],
    `
import { memoryExecutor, memoryHandlers, type MemoryCommand } from "daybook/hosts/anthropic-memory"
const command: MemoryCommand = { command: "create", path: "/memories/a", file_text: "text" }
const host = async (memory: HostMemory): Promise<string> => {
  await memoryExecutor(memory)(command)
  return memoryHandlers(memory).view({ command: "view", path: "/memories/a" })
}`
  ],
  "ai-sdk": [
    ["ai"],
    `
import { wrapLanguageModel } from "ai"
import { MockLanguageModelV4 } from "ai/test"
import { memoryMiddleware, memoryTools } from "daybook/hosts/ai-sdk"
const host = async (memory: HostMemory): Promise<string> => {
  wrapLanguageModel({ model: new MockLanguageModelV4(), middleware: memoryMiddleware(memory, { session: "s" }) })
  return Object.keys(memoryTools(memory)).join()
}`
  ],
  "openai-agents": [
    ["@openai/agents"],
    `
import type { Session } from "@openai/agents"
import { memorySession } from "daybook/hosts/openai-agents"
const host = async (memory: HostMemory): Promise<string> => {
  const session: Session = memorySession(memory, { session: "s" })
  await session.addItems([{ type: "message", role: "user", content: "text" }])
  return JSON.stringify(await session.getItems())
}`
  ],
  langgraph: [
    ["@langchain/langgraph-checkpoint"],
    `
import type { BaseStore } from "@langchain/langgraph-checkpoint"
import { DaybookStore } from "daybook/hosts/langgraph"
const host = async (memory: HostMemory): Promise<string> => {
  const store: BaseStore = new DaybookStore(memory)
  await store.put(["a"], "k", { v: "text" })
  return JSON.stringify(await store.get(["a"], "k"))
}`
  ],
  "effect-ai": [
    ["@effect/ai"],
    `
import { Daybook } from "daybook"
import { layer, MemoryToolkit } from "daybook/hosts/effect-ai"
import { Effect, Layer } from "effect"
const tools = layer({ agent: "coop", trust: { user: "full", model: "inner" } }).pipe(Layer.provide(Daybook.layerMemory()))
const search = Effect.flatMap(MemoryToolkit, ({ handle }) => handle("memory_search", { query: "text" }))
const host = async (_: HostMemory): Promise<string> =>
  JSON.stringify(await Effect.runPromise(Effect.provide(search, tools)))
`
  ]
}

/** The packages of all hosts, or their scopes. */
export const hostPackages = [
  "@anthropic-ai",
  "@ai-sdk",
  "@langchain",
  "@openai",
  "@effect/ai",
  "ai",
  "langsmith",
  "openai"
]
