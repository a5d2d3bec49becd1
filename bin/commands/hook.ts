import { existsSync } from "node:fs"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { countMissedPrompt } from "../../events/missedPrompts.js"
import { readPolicy } from "../../layers/config.js"
import { layer } from "../../layers/Default.js"
import { type HookEvent, type HookInput, hookEvents, readHookInput } from "../../layers/hosts/claudeCode/hookInput.js"
import { runHook } from "../../layers/hosts/claudeCode/runHook.js"
import { currentAgentName } from "../../layers/hosts/projectAgent.js"
import { Daybook } from "../../src/Daybook.js"
import { failureNames } from "../../src/model/failureNames.js"
import { refusalError, usageError } from "../exit.js"
import { isUnusedFolder } from "../unusedFolder.js"
import { awaitVectors } from "../vectors.js"
import { noRuleOptions } from "../withoutRules.js"
import type { Call, Command } from "./Command.js"

/** Milliseconds after the start of the process at which the prompt continues without its context. */
const promptMillis = 850

/** The process's age in milliseconds at the `timeout` of plugin/hooks/hooks.json. The host ignores later answers. */
const hostMillis = 975

export const hook: Command<object, readonly [event: string]> = {
  usage: "hook <event>",
  words: hookEvents,
  summary: "answer a Claude Code hook, whose JSON is read from stdin",
  creates: true,
  details: [
    `Events: ${hookEvents.join(", ")}`,
    "The agent is --agent, else $DAYBOOK_AGENT, else the name of the project's folder.",
    "The exit code is always 0, so that a failure does not stop the host."
  ],
  examples: ["hook session-start < hook.json", "--agent work hook stop < hook.json"],
  afterInterruption: "every stored turn is kept",
  run: (call, _, [name]) =>
    Effect.gen(function* () {
      const event = hookEvents.find((known) => known === name)
      if (event === undefined) return yield* usageError(`event: must be one of ${hookEvents.join(", ")}`)
      const input = readHookInput(yield* readStdin)
      if (input === undefined) return yield* refusalError("stdin must be the JSON object of a hook")
      if (input.session === undefined) return yield* refusalError("stdin: `session_id` must be a non-empty string")
      const isRead = isReadEvent(event)
      const { folder } = call
      // Without a data folder there is nothing to read, and reading does not create one.
      if (isRead && !existsSync(folder)) return
      const agent = call.agentWasPassed ? call.agent : yield* currentAgentName(input.folder ?? process.cwd())
      const prompt = event === "user-prompt" ? limitPrompt(call, folder, agent) : unlimited()
      yield* answer(call, event, input, agent).pipe(
        Effect.tapErrorCause((cause) =>
          Effect.sync(() => {
            prompt.problem = failureNames(cause)
          })
        )
      )
      prompt.problem = undefined
      if (!isRead) yield* awaitVectors({ ...call, agent })
    })
}

const isReadEvent = (event: HookEvent): boolean => event === "session-start" || event === "user-prompt"

/** The name of a field that the event needs but that is missing or not a string; undefined if there is none. */
const missingField = (event: HookEvent, { prompt, tool, transcript }: HookInput): string | undefined => {
  if (event === "user-prompt" && prompt === undefined) return "prompt"
  if (event === "post-tool" && tool === undefined) return "tool_name"
  return event === "stop" && transcript === undefined ? "transcript_path" : undefined
}

const answer = (call: Call, event: HookEvent, input: HookInput, agent: string) =>
  Effect.gen(function* () {
    const missing = missingField(event, input)
    if (missing !== undefined) return yield* refusalError(`stdin: \`${missing}\` must be a string`)
    if (isReadEvent(event) && (yield* isUnusedFolder(call.folder))) return
    const policy = yield* readPolicy(call.folder)
    const { trust } = call
    const daybook = yield* event === "user-prompt" ? readingDaybook(call.folder) : call.daybook
    const memory = yield* daybook.agent(agent, { trust, actor: "claude-code", session: input.session })
    const output = yield* runHook(event, { input, memory, policy })
    if (output !== undefined) call.out.jsonLine(output)
  })

const readingDaybook = (folder: string) =>
  Effect.map(Layer.build(layer({ folder, ...noRuleOptions })), (context) => Context.get(context, Daybook))

/** A prompt that waits for its context. */
interface WaitingPrompt {
  /** Why the prompt has no context; undefined once it is answered. */
  problem: string | undefined
}

const unlimited = (): WaitingPrompt => ({ problem: timeLimit })
const timeLimit = "time limit"

/**
 * Ends the process when the prompt has waited too long. Counts a prompt without an answer, and a prompt whose process
 * ended too late: the host waits until the process ends, and disk writes can delay that.
 */
const limitPrompt = ({ out }: Call, folder: string, agent: string): WaitingPrompt => {
  const prompt = unlimited()
  out.endProcessAt?.(promptMillis, (age) => {
    const reason = prompt.problem ?? (age > hostMillis ? timeLimit : undefined)
    if (reason !== undefined) countMissedPrompt(folder, agent, reason)
  })
  return prompt
}

/** Maximum bytes of a hook's input. The output of a tool may be long. */
const maxInputBytes = 64 << 20

const readStdin = Effect.tryPromise({
  try: async () => {
    const { stdin } = process
    if (stdin.isTTY) return ""
    const chunks: Array<Buffer> = []
    let bytes = 0
    for await (const chunk of stdin) {
      const piece = Buffer.from(chunk)
      bytes += piece.length
      if (bytes > maxInputBytes) return ""
      chunks.push(piece)
    }
    return Buffer.concat(chunks).toString("utf8")
  },
  catch: () => refusalError("stdin cannot be read")
})
