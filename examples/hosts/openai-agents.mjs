// The OpenAI Agents SDK with a session that Daybook stores. ScriptedModel replaces a real model.
import { Agent, Runner } from "@openai/agents"
import { assistantMessage, ScriptedModel } from "@openai/agents/testing"
import { memorySession, openMemory } from "daybook/hosts/openai-agents"

const model = new ScriptedModel([
  [assistantMessage("Noted: your sister lives in Lyon.")],
  [assistantMessage("In Lyon.")]
])
const agent = new Agent({ name: "helper", model })
const runner = new Runner({ tracingDisabled: true })

const memory = await openMemory({ folder: "./data", agent: "helper" })
const session = memorySession(memory, { session: "monday" })
await runner.run(agent, "My sister Alice lives in Lyon.", { session })
const { finalOutput } = await runner.run(agent, "Where does Alice live?", { session })
console.log(finalOutput)
console.log((await session.getItems()).map(({ role }) => role).join(" "))
await session.popItem()
await session.popItem()
console.log((await session.getItems()).length, "items after two pops")
for (const { title } of await memory.run(memory.user.list())) console.log("captured:", title)
await memory.close()
