import * as Effect from "effect/Effect"
import type { CommandError } from "../../../src/actor/Actor.js"
import type { Memory } from "../../../src/Memory.js"
import type { SummarizeError } from "../../../src/maintenance/SessionSummaries.js"
import type { InvalidInput } from "../../../src/model/errors.js"
import type { ReadError } from "../../../src/model/filters.js"
import { limits } from "../../../src/model/limits.js"
import type { ObserveToolRefusal } from "../../../src/notes/observeTool.js"
import type { PolicyValues } from "../../../src/ports/Policy.js"
import { modelLevel } from "../../access/modelLevel.js"
import { toStorableText } from "../storable.js"
import type { HookEvent, HookInput } from "./hookInput.js"
import { toolRunOf } from "./toolRun.js"
import { readTurns } from "./transcript.js"

/** One call of a hook. */
export interface HookCall {
  readonly input: HookInput
  /** The memory of the agent, with the session of the call. */
  readonly memory: Memory
  readonly policy: PolicyValues
}

export type HookError = CommandError | InvalidInput | ReadError | ObserveToolRefusal | SummarizeError

/** Text that a hook adds to the conversation, in the form that Claude Code reads from stdout. */
export interface HookOutput {
  readonly hookSpecificOutput: { readonly hookEventName: string; readonly additionalContext: string }
}

/** If the answer is a string, the hook adds it to the conversation. Any other answer is not shown. */
type Handler = (call: HookCall & { readonly session: string }) => Effect.Effect<unknown, HookError>

/** Runs a hook and returns its output, if any. Does nothing without a session. */
export const runHook = (event: HookEvent, call: HookCall): Effect.Effect<HookOutput | undefined, HookError> => {
  const { session } = call.input
  if (session === undefined || session.length > limits.key) return Effect.succeed(undefined)
  return Effect.map(handlers[event]({ ...call, session }), (context) => {
    const hookEventName = event === "session-start" ? "SessionStart" : "UserPromptSubmit"
    return typeof context === "string"
      ? { hookSpecificOutput: { hookEventName, additionalContext: context } }
      : undefined
  })
}

/** Maximum characters of a context. Claude Code shows only a part of a longer context. */
const maxCharacters = 10_000

/** Maximum memories and tokens for one prompt. A session has many prompts, and its context keeps all recalled text. */
const recalled = { k: 10, tokens: 2_000 } as const

/** The stable part of a context: the model keeps it for the whole session. */
const atStart: Handler = Effect.fnUntraced(function* ({ memory, policy, session }) {
  for (let tokens: number = policy.prompt.tokens; tokens > 0; ) {
    const { parts, system } = yield* memory.context({ session, tokens })
    if (!parts.some(({ place }) => place === "system")) return
    if (system.length <= maxCharacters) return system
    tokens = Math.floor((tokens * maxCharacters * 0.95) / system.length)
  }
})

const atPrompt: Handler = Effect.fnUntraced(function* ({ input: { prompt = "" }, memory, session }) {
  // A search reads only this much of a message.
  const message = prompt.slice(0, limits.queryBytes)
  const { parts, user } = yield* memory.context({ session, message, parts: "recalled", ...recalled })
  if (parts.some(({ memories }) => memories.length > 0)) return user.slice(0, maxCharacters)
})

const observeTool: Handler = Effect.fnUntraced(function* ({ input: { tool }, memory, session }) {
  const run = tool && toolRunOf(tool)
  if (run === undefined) return
  const commandId = tool?.id === undefined ? undefined : commandIdOf(tool.id)
  const [input, output] = [run.input, run.output].map((text) => (text === undefined ? undefined : toStorableText(text)))
  yield* memory.observeTool({ ...run, input, output, session }, { commandId })
})

/**
 * Stores the turns of the transcript that are not stored yet, and captures memories from them. The command id of a turn
 * contains the id of its entry, so each turn is stored once even if two hooks run at once.
 */
const storeTurns: Handler = Effect.fnUntraced(function* ({ input: { transcript }, memory, policy, session }) {
  if (transcript === undefined) return
  const known = yield* memory.sessions.get(session, { last: maxKnownTurns })
  const turns = yield* readTurns(transcript, known.at(-1)?.occurredAt)
  const stored = new Set(known.map(({ occurredAt, role, text }) => keyOf(role, occurredAt, text)))
  const fresh = turns.filter(({ at, role, text }) => !stored.has(keyOf(role, at, toStorableText(text))))
  for (let from = 0; from < fresh.length; from += turnsPerWrite) {
    yield* memory.sessions.appendAll(
      fresh.slice(from, from + turnsPerWrite).map(({ at, id, role, text }) => [
        {
          ...{ session, role, at, channel: "claude-code", text: toStorableText(text) },
          ...(role === "assistant" ? { level: modelLevel } : {})
        },
        { commandId: commandIdOf(id), extract: true }
      ])
    )
  }
  yield* memory.sessions.extract(session, { due: !isExtractedAtOnce(policy) })
})

const maxKnownTurns = 1_000
const turnsPerWrite = 250

const keyOf = (role: string, at: number, text: string): string => `${role} ${at} ${text}`

const commandIdOf = (id: string): string => `claude-code:${id}`.slice(0, limits.key)

/** True if each turn is extracted at once. With a model, turns wait by default, so that there are fewer model calls. */
const isExtractedAtOnce = ({ capture, model }: PolicyValues): boolean =>
  (capture.mode ?? (model === undefined || capture.extractor === "rules" ? "turn" : "after")) === "turn"

/** Stores the turns, then writes the summary of the session. A session without turns has no summary. */
const summarizing =
  (write: (sessions: Memory["sessions"], session: string) => Effect.Effect<unknown, SummarizeError>): Handler =>
  (call) =>
    Effect.zipRight(
      storeTurns(call),
      Effect.catchTag(Effect.asVoid(write(call.memory.sessions, call.session)), "SessionNotFound", () => Effect.void)
    )

const handlers: Readonly<Record<HookEvent, Handler>> = {
  "session-start": atStart,
  "user-prompt": atPrompt,
  "post-tool": observeTool,
  "pre-compact": summarizing((sessions, session) => sessions.summarize(session)),
  stop: storeTurns,
  "session-end": summarizing((sessions, session) => sessions.end(session))
}
