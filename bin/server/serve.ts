import * as Effect from "effect/Effect"
import * as TokenFile from "../../layers/access/TokenFile.js"
import * as Background from "../../layers/background.js"
import { readPolicy } from "../../layers/config.js"
import { serve } from "../../layers/http/serve.js"
import { Daybook } from "../../src/Daybook.js"
import type { Call } from "../commands/Command.js"

export interface ServeCall {
  readonly port?: number
  readonly host?: string
  readonly allowHost?: ReadonlyArray<string>
}

/** Runs the server and the background work until it is interrupted. */
export const runServer = (call: Call, { allowHost, host, port }: ServeCall) =>
  Effect.gen(function* () {
    const { agent, agentWasPassed, out, trust } = call
    const daybook = yield* call.daybook
    const folder = yield* call.checkFolder
    const policy = yield* readPolicy(folder)
    yield* Effect.gen(function* () {
      const background = yield* Background.make({ policy })
      const agents = agentWasPassed ? agent : undefined
      const { url } = yield* serve({ folder, host, port, agents, trust, hostNames: allowHost, background })
      if (!/^http:\/\/(?:127\.|\[::1\])/.test(url))
        out.warn(`daybook: warning: other machines can reach ${url}, and the connection is not encrypted`)
      if ((yield* TokenFile.open(folder).list).length === 0)
        out.note("no token exists yet: add one with 'daybook token add --agent NAME --trust LEVEL'")
      yield* out.show({ url }, () => `listening on ${url}`)
      return yield* Effect.never
    }).pipe(Effect.provideService(Daybook, daybook))
  })
