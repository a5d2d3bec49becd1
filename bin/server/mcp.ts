import * as Effect from "effect/Effect"
import * as Background from "../../layers/background.js"
import { readPolicy } from "../../layers/config.js"
import { type StdioOptions, serveStdio } from "../../layers/mcp/stdio.js"
import { Daybook } from "../../src/Daybook.js"
import type { Call } from "../commands/Command.js"

/** Serves one agent's memory, and runs the background work, until the input ends or a signal comes. */
export const runMcp = (call: Call, { tools }: Pick<StdioOptions, "tools">) =>
  Effect.gen(function* () {
    const { agent, trust } = call
    const daybook = yield* call.daybook
    const policy = yield* readPolicy(yield* call.checkFolder)
    yield* Effect.gen(function* () {
      yield* Background.make({ policy })
      yield* serveStdio({ agent, trust, tools })
    }).pipe(Effect.provideService(Daybook, daybook))
  })
