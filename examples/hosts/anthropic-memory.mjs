// Anthropic's memory tool on Daybook, through @anthropic-ai/sdk. A local server replaces the real model.
import { createServer } from "node:http"
import { Anthropic } from "@anthropic-ai/sdk"
import { betaMemoryTool } from "@anthropic-ai/sdk/helpers/beta/memory"
import { memoryHandlers, openMemory } from "daybook/hosts/anthropic-memory"

const path = "/memories/deploys.md"
const commands = [
  { command: "create", path, file_text: "Deploys happen on Tuesdays" },
  { command: "str_replace", path, old_str: "Tuesdays", new_str: "Thursdays" },
  { command: "view", path: "/memories" }
]
const server = createServer(async (request, response) => {
  for await (const _ of request);
  const input = commands.shift()
  const content = input ? [{ type: "tool_use", id: "t", name: "memory", input }] : [{ type: "text", text: "Noted." }]
  response.setHeader("content-type", "application/json")
  const stop_reason = input ? "tool_use" : "end_turn"
  const usage = { input_tokens: 1, output_tokens: 1 }
  response.end(JSON.stringify({ id: "m", type: "message", role: "assistant", content, stop_reason, usage }))
})
await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve))

const memory = await openMemory({ folder: "./data", agent: "coop" })
const client = new Anthropic({ apiKey: "none", baseURL: `http://127.0.0.1:${server.address().port}` })
const answer = await client.beta.messages.toolRunner({
  model: "claude-opus-4-1",
  max_tokens: 1000,
  messages: [{ role: "user", content: "We deploy on Thursdays now, not on Tuesdays." }],
  tools: [betaMemoryTool(memoryHandlers(memory))]
})
console.log(answer.content[0].text)
const [file] = await memory.run(memory.user.notes.list({ tags: ["anthropic-memory"] }))
for (const { actor, memory: { narrative }, type } of await memory.run(memory.user.history(file.id))) {
  console.log(type, "by", actor, JSON.stringify(narrative))
}
await memory.close()
server.close()
