import { statSync } from "node:fs"
import { resolve } from "node:path"
import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Layer from "effect/Layer"
import * as Logger from "effect/Logger"
import { errorCodeOf, type StorageError, storageError } from "../events/errors.js"
import { makeFolder } from "../events/folder.js"
import { findPolicyFile, readPolicy } from "../layers/config.js"
import { layer } from "../layers/Default.js"
import { rerankerNamed } from "../layers/rerankers.js"
import { Daybook } from "../src/Daybook.js"
import { InvalidInput, InvalidPolicy, TrustRequired } from "../src/model/errors.js"
import { defaults } from "../src/ports/Policy.js"
import { Reranker } from "../src/ports/Reranker.js"
import { parseInstant } from "../src/search/parseInstant.js"
import type { AnyCommand, Call } from "./commands/Command.js"
import { type CommandEnded, exitCodes, type Outcome, outcomeOf, refusalError } from "./exit.js"
import { noteMissingAgent } from "./noteMissingAgent.js"
import { type Output, stderrLogger } from "./output.js"
import { type GlobalOptions, type ParsedCommandLine, parse } from "./program.js"
import { isUnusedFolder, temporaryDataFolder } from "./unusedFolder.js"
import { noRuleOptions } from "./withoutRules.js"
import { withTrace } from "./withTrace.js"

/** Runs a command line, then closes everything that it opened. `onCommand` receives the command before it runs. */
export const execute = (
  argv: ReadonlyArray<string>,
  write: (text: string) => void,
  outputOf: (globals: GlobalOptions) => Output,
  onCommand: (command: AnyCommand) => void = () => {}
): Effect.Effect<Outcome> =>
  Effect.suspend(() => {
    const parsed = parse(argv, write)
    if (!("command" in parsed)) return Effect.succeed(parsed)
    onCommand(parsed.command)
    return run(parsed, outputOf(parsed.globals))
  })

const run = (parsed: ParsedCommandLine, out: Output): Effect.Effect<Outcome> => {
  const { agentWasPassed, args, command, dataWasPassed, globals, options, trustWasPassed } = parsed
  return Effect.gen(function* () {
    const { actor, agent, data, trust } = globals
    if (command.operator === true && trust !== "full")
      return yield* new TrustRequired({ what: command.usage.split(" ")[0]! })
    const { creates } = command
    const mayCreate = creates === true || (creates !== undefined && creates === args[0])
    const checkFolder = mayCreate ? Effect.void : requireFolder(data)
    const daybook = yield* Effect.cached(
      Effect.gen(function* () {
        yield* checkFolder
        const reranker = yield* "rerank" in options ? rerankerFor(data, String(options.rerank)) : Effect.succeed({})
        const policy = command.toleratesPolicy === true ? yield* policyOrDefaults(data) : {}
        const rules = command.needsNoRules === true ? noRuleOptions : {}
        const folder = !mayCreate && (yield* isUnusedFolder(data)) ? yield* temporaryDataFolder : data
        return Context.get(yield* Layer.build(layer({ folder, ...reranker, ...policy, ...rules })), Daybook)
      })
    )
    // The process of a command ends immediately, so recalls are recorded only with --record.
    const record = "record" in options && options.record === true
    const memory = Effect.flatMap(daybook, (opened) => opened.agent(agent, { trust, actor, record }))
    const call: Call = {
      agent,
      actor,
      agentWasPassed,
      dataWasPassed,
      trust,
      trustWasPassed,
      folder: data,
      checkFolder: Effect.as(checkFolder, data),
      policyFile: (file) => findPolicyFile(data, file),
      out,
      memory,
      // Opening the agent's memory validates the agent's name; operator calls do not validate it.
      daybook: Effect.zipRight(memory, daybook),
      reader: (asOf) =>
        Effect.gen(function* () {
          yield* noteMissingAgent(call)
          if (asOf === undefined) return yield* memory
          const point = "version" in asOf ? asOf : { at: yield* momentIn(data)(asOf.at) }
          return yield* (yield* daybook).agent(agent, { trust, actor, asOf: point })
        }),
      resolveTime: momentIn(data),
      runCommandLine: (argv, out) =>
        execute(
          argv,
          () => {},
          () => out
        )
    }
    yield* command.run(call, options as never, args as never)
  }).pipe(
    Effect.scoped,
    (running) => withTrace(command, { folder: globals.data, out }, running),
    Effect.catchTag("InvalidPolicy", (error) => Effect.flatMap(withFile(error, globals.data), Effect.fail)),
    // Only answers go to stdout; logs go to stderr.
    Effect.provide(Logger.replace(Logger.defaultLogger, stderrLogger(out))),
    Effect.interruptible,
    Effect.exit,
    Effect.map((exit) =>
      command.isService === true && Exit.isInterrupted(exit)
        ? { code: exitCodes.ok }
        : outcomeOf(exit, command.afterInterruption)
    )
  )
}

/** Returns the default policy if the folder's policy cannot be read; otherwise no option. */
const policyOrDefaults = (folder: string) =>
  readPolicy(folder).pipe(
    Effect.as({}),
    Effect.catchAll(({ message }) =>
      Effect.as(Effect.logWarning(`${message}; the default policy is used`), { policy: defaults })
    )
  )

/**
 * Adds the file's path to a policy error that has none. The engine finds such an error only when it uses the invalid
 * part of the policy.
 */
const withFile = (error: InvalidPolicy, folder: string): Effect.Effect<InvalidPolicy> =>
  Effect.map(findPolicyFile(folder), ({ file }) =>
    error.file === undefined && file !== undefined ? new InvalidPolicy({ problems: error.problems, file }) : error
  )

/** Fails if the data folder is missing or cannot be used. A command that only reads does not create it. */
const requireFolder = (folder: string): Effect.Effect<void, CommandEnded | StorageError> =>
  Effect.suspend((): Effect.Effect<void, CommandEnded | StorageError> => {
    try {
      statSync(folder)
    } catch (error) {
      if (errorCodeOf(error) === "ENOENT")
        return refusalError(`no data folder at ${resolve(folder)}: pass --data, or create it with 'daybook remember'`)
    }
    return Effect.try({ try: () => makeFolder(folder), catch: storageError(folder) })
  })

/** The reranker that `--rerank` names. It replaces the policy's reranker. */
const rerankerFor = (folder: string, name: string) =>
  Effect.flatMap(readPolicy(folder), (policy) => rerankerNamed(name, policy)).pipe(
    Effect.map((reranker) => ({ reranker: reranker === null ? null : Layer.succeed(Reranker, reranker) })),
    // An unknown name is a bad call. A missing key is not: the same call works once the key is set.
    Effect.catchTag("UnknownReranker", ({ message }) => new InvalidInput({ field: "--rerank", problem: message }))
  )

/** Resolves times written in words, in the time zone of the folder's policy. */
const momentIn =
  (folder: string): Call["resolveTime"] =>
  (time) =>
    typeof time !== "string"
      ? Effect.succeed(time as never)
      : Effect.gen(function* () {
          const { search } = yield* readPolicy(folder)
          const instant = parseInstant(time, { now: yield* Clock.currentTimeMillis, zone: search.zone })
          return (
            instant ??
            (yield* new InvalidInput({
              field: "time",
              problem: 'must be an ISO 8601 time, or words such as "last week"'
            }))
          )
        })
