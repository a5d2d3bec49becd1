import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import fc from "fast-check"
import type { DefaultOptions } from "../../layers/Default.js"
import { Embedder } from "../../layers/entry.js"
import type { HostMemory, HostOptions } from "../../layers/hosts/HostMemory.js"
import { openMemory } from "../../layers/hosts/openMemory.js"
import { newFolder } from "./cli.js"

const opened: Array<HostMemory> = []

/** An agent's memory in a folder of its own; `closeMemories` closes it. */
export const newMemory = async (options: Partial<HostOptions & DefaultOptions> = {}) => {
  const memory = await openMemory({ folder: newFolder(), agent: "coop", embedder: Embedder.layerHash, ...options })
  opened.push(memory)
  return memory
}

export const closeMemories = async () => {
  for (const memory of opened.splice(0)) await memory.close()
}

/** Values as they arrive in a JSON text, which a provider writes without negative zeros. */
export const jsonValue = (maxDepth: number) =>
  fc.jsonValue({ maxDepth }).map((value) => JSON.parse(JSON.stringify(value)))

/** A block of a model's answer in Anthropic's API. */
export type AnthropicBlock =
  | { readonly type: "text"; readonly text: string }
  | { readonly type: "tool_use"; readonly id: string; readonly name: string; readonly input: unknown }

/** A server that speaks Anthropic's Messages API and gives the answers in order. `requests` are the bodies that it got. */
export const anthropicServer = async (answers: ReadonlyArray<ReadonlyArray<AnthropicBlock>>) => {
  const requests: Array<{ readonly messages: ReadonlyArray<{ readonly content: unknown }> }> = []
  const server = createServer(async (request, response) => {
    let body = ""
    for await (const chunk of request) body += chunk
    requests.push(JSON.parse(body))
    const content = answers[requests.length - 1] ?? [{ type: "text", text: "done" }]
    const stop_reason = content.some(({ type }) => type === "tool_use") ? "tool_use" : "end_turn"
    const usage = { input_tokens: 1, output_tokens: 1 }
    response.setHeader("content-type", "application/json")
    response.end(
      JSON.stringify({ id: "m", type: "message", role: "assistant", model: "local", content, stop_reason, usage })
    )
  })
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
  const close = () => new Promise((resolve) => server.close(resolve))
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, requests, close }
}
