// The AI SDK with Daybook's memory middleware. MockLanguageModelV4 replaces a real model.
import { generateText, wrapLanguageModel } from "ai"
import { MockLanguageModelV4 } from "ai/test"
import { memoryMiddleware, memoryTools, openMemory } from "daybook/hosts/ai-sdk"

const inputTokens = { total: 1, noCache: 1, cacheRead: 0, cacheWrite: 0 }
const usage = { inputTokens, outputTokens: { total: 1, text: 1, reasoning: 0 } }
const local = new MockLanguageModelV4({
  doGenerate: async ({ prompt }) => {
    const [earlier, message] = [JSON.stringify(prompt), prompt.at(-1).content.at(-1).text]
    const knows = message.includes("curry") && earlier.includes("Mira is allergic to peanuts")
    const text = knows ? "Not with peanuts: Mira is allergic." : "I will remember that."
    return { content: [{ type: "text", text }], finishReason: { unified: "stop" }, usage, warnings: [] }
  }
})

const memory = await openMemory({ folder: "./data", agent: "cook" })
const model = wrapLanguageModel({ model: local, middleware: memoryMiddleware(memory) })
const tools = memoryTools(memory)
for (const [session, prompt] of [
  ["monday", "My daughter Mira is allergic to peanuts."],
  ["friday", "What can I cook for Mira, a peanut curry?"]
]) {
  const { text } = await generateText({ model, tools, prompt, providerOptions: { daybook: { session } } })
  console.log(`${session}: ${text}`)
}
for (const { role, level, text } of await memory.run(memory.user.sessions.get("friday"))) console.log(role, level, text)
await memory.close()
