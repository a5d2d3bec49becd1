import * as Effect from "effect/Effect"
import { oneOf, option } from "../options.js"
import type { Command } from "./Command.js"

interface McpCall {
  readonly tools: "all" | "core"
}

export const mcp: Command<McpCall> = {
  usage: "mcp",
  summary: "serve the memory to an MCP host over standard input and output",
  creates: true,
  isService: true,
  options: [option("--tools <set>", "offer all tools, or core (four tools)", oneOf(["all", "core"])).default("all")],
  details: [
    "Tools read at --trust and write at level inner at most, because the user has not said it.",
    "core: memory_search, memory_timeline, memory_get and memory_write."
  ],
  examples: ["mcp --agent coop", "mcp --tools core --trust inner"],
  run: (call, options) =>
    Effect.gen(function* () {
      if (process.stdin.isTTY) call.out.note("waiting for an MCP host on stdin; Ctrl-C ends it")
      // Loaded late. The everyday program does not even contain it: see scripts/bundle.mjs.
      const { runMcp } = yield* Effect.promise(() => import("../server/mcp.js"))
      yield* runMcp(call, options)
    })
}
