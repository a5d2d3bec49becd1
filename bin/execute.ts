import { accessSync } from "node:fs"
import { resolve } from "node:path"
import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Logger from "effect/Logger"
import { codeOf } from "../events/errors.js"
import { readPolicy } from "../layers/config.js"
import { layer } from "../layers/Default.js"
import { rerankerNamed } from "../layers/rerankers.js"
import { Daybook } from "../src/Daybook.js"
import { InvalidInput, TrustRequired } from "../src/model/errors.js"
import { Reranker } from "../src/ports/Reranker.js"
import { momentOf } from "../src/search/moment.js"
import type { Call } from "./commands/Command.js"
import { type Ended, type Outcome, outcomeOf, refused } from "./exit.js"
import type { Output } from "./output.js"
import { type GlobalOptions, type Parsed, parse } from "./program.js"

/** Carries out a command line, and closes everything that it opened. */
export const execute = (
  argv: ReadonlyArray<string>,
  write: (text: string) => void,
  outputOf: (globals: GlobalOptions) => Output
): Effect.Effect<Outcome> =>
  Effect.suspend(() => {
    const parsed = parse(argv, write)
    if (!("command" in parsed)) return Effect.succeed(parsed)
    return run(parsed, outputOf(parsed.globals))
  })

const run = ({ agentGiven, args, command, globals, options }: Parsed, out: Output): Effect.Effect<Outcome> =>
  Effect.gen(function* () {
    const { actor, agent, data, trust } = globals
    if (command.operator === true && trust !== "full")
      return yield* new TrustRequired({ what: command.usage.split(" ")[0]! })
    const { creates } = command
    const there = creates === true || (creates !== undefined && creates === args[0]) ? Effect.void : mustBeThere(data)
    const daybook = yield* Effect.cached(
      Effect.gen(function* () {
        yield* there
        const reranker = yield* "rerank" in options ? rerankerFor(data, String(options.rerank)) : Effect.succeed({})
        return Context.get(yield* Layer.build(layer({ folder: data, ...reranker })), Daybook)
      })
    )
    // A command is done in a moment: what it shows is recorded only where the call says so.
    const record = "record" in options && options.record === true
    const memory = Effect.flatMap(daybook, (one) => one.agent(agent, { trust, actor, record }))
    const call: Call = {
      agent,
      agentGiven,
      trust,
      policy: Effect.zipRight(there, readPolicy(data)),
      policyIn: (file) => readPolicy(data, { DAYBOOK_POLICY: file }),
      out,
      memory,
      // Asking for the memory checks the agent's name, which operators' calls take as it is.
      daybook: Effect.zipRight(memory, daybook),
      reader: (asOf) =>
        asOf === undefined
          ? memory
          : Effect.gen(function* () {
              const point = "version" in asOf ? asOf : { at: yield* momentIn(data)(asOf.at) }
              return yield* (yield* daybook).agent(agent, { trust, actor, asOf: point })
            }),
      momentOf: momentIn(data),
      again: (argv, out) =>
        execute(
          argv,
          () => {},
          () => out
        )
    }
    yield* command.run(call, options as never, args as never)
  }).pipe(
    Effect.scoped,
    // Answers own stdout.
    Effect.provide(Logger.replace(Logger.defaultLogger, Logger.withConsoleError(Logger.logfmtLogger))),
    Effect.exit,
    Effect.map(outcomeOf)
  )

/** A command that only reads does not create a folder. Any other problem with the path is reported where it is opened. */
const mustBeThere = (folder: string): Effect.Effect<void, Ended> =>
  Effect.suspend(() => {
    try {
      accessSync(folder)
    } catch (error) {
      if (codeOf(error) === "ENOENT") return refused(`no daybook at ${resolve(folder)}`)
    }
    return Effect.void
  })

/** Who looks at the first hits in place of the reranker of the policy. */
const rerankerFor = (folder: string, name: string) =>
  Effect.flatMap(readPolicy(folder), (policy) => rerankerNamed(name, policy)).pipe(
    Effect.map((reranker) => ({ reranker: reranker === null ? null : Layer.succeed(Reranker, reranker) })),
    Effect.catchTag("UnknownReranker", ({ message }) => new InvalidInput({ field: "--rerank", problem: message }))
  )

/** Words for a time are those of the folder's policy: it alone knows the zone. */
const momentIn =
  (folder: string): Call["momentOf"] =>
  (said) =>
    typeof said !== "string"
      ? Effect.succeed(said as never)
      : Effect.gen(function* () {
          const { search } = yield* readPolicy(folder)
          const at = momentOf(said, { now: yield* Clock.currentTimeMillis, zone: search.zone })
          return at ?? (yield* new InvalidInput({ field: "time", problem: "names no time in the zone of the policy" }))
        })
