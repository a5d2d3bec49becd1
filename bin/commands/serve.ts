import * as Effect from "effect/Effect"
import { option, parseHostName, parseNonEmpty, repeatableOption, wholeNumberParser } from "../options.js"
import type { ServeCall } from "../server/serve.js"
import type { Command } from "./Command.js"

export const serve: Command<ServeCall> = {
  usage: "serve",
  summary: "serve the memory over HTTP and MCP, until a signal ends it",
  creates: true,
  isService: true,
  options: [
    option("--port <n>", "listen on this port (default: 8787)", wholeNumberParser(0, 65_535)),
    option("--host <address>", "listen on this address (default: 127.0.0.1)", parseNonEmpty),
    repeatableOption("--allow-host <name>", "permit requests to this host name", parseHostName)
  ],
  details: [
    "Without --agent it serves every agent. --agent limits it to one agent or a pattern, --trust to a maximum level.",
    "Clients need a token: see 'daybook token --help'."
  ],
  examples: ["serve", "serve --port 9000 --agent 'team-*' --trust inner"],
  run: (call, options) =>
    Effect.gen(function* () {
      // Loaded on demand. Only the larger program contains this module: see scripts/bundle.mjs.
      const { runServer } = yield* Effect.promise(() => import("../server/serve.js"))
      yield* runServer(call, options)
    })
}
