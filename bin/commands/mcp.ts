import * as Effect from "effect/Effect"
import { oneOfParser, option } from "../options.js"
import type { Command } from "./Command.js"

interface McpCall {
  readonly tools: "all" | "core"
}

export const mcp: Command<McpCall> = {
  usage: "mcp",
  summary: "serve the memory to an MCP host over standard input and output",
  creates: true,
  isService: true,
  options: [
    option("--tools <set>", "offer all tools, or only the four core tools", oneOfParser(["all", "core"])).default("all")
  ],
  details: [
    "Tools read at --trust and write at level inner at most, because the model writes the text, not the user.",
    "core: memory_search, memory_timeline, memory_get and memory_write."
  ],
  examples: ["mcp --agent coop", "mcp --tools core --trust inner"],
  run: (call, options) =>
    Effect.gen(function* () {
      if (process.stdin.isTTY) call.out.note("waiting for an MCP host on stdin; press Ctrl-C to stop")
      // Loaded on demand. Only the larger program contains this module: see scripts/bundle.mjs.
      const { runMcp } = yield* Effect.promise(() => import("../server/mcp.js"))
      yield* runMcp(call, options)
    })
}
