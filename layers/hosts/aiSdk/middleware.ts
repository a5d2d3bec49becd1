import type { LanguageModelMiddleware } from "ai"
import * as Effect from "effect/Effect"
import { InvalidInput } from "../../../src/model/errors.js"
import { checkAdapterOptions, checkMemory, type HostMemory, runOrElse, storeTurns } from "../HostMemory.js"
import { type Answer, answerTurn, type CallParams, commandIdOf, turnsOf } from "./turns.js"

/** Options of `memoryMiddleware`. */
export interface MiddlewareOptions {
  /**
   * The session in which turns are stored. A call can set another session: `providerOptions: { daybook: { session } }`.
   * Without a session, nothing is stored.
   */
  readonly session?: string | undefined
  /** The token budget of the context. Default: `prompt.tokens` of the policy. */
  readonly tokens?: number | undefined
}

/**
 * A middleware for `wrapLanguageModel`. It adds the memories that the user's message recalls. After the model's answer,
 * it stores the message, the tool calls and the answer. An error or an abort stores nothing. A repeated call (same
 * session, same messages) stores nothing twice. If the memory fails, the failure is logged and the call still returns
 * the model's answer. Throws `InvalidInput` for invalid options, and for a promise in place of the memory. A call with
 * invalid options rejects with `InvalidInput`.
 */
export const memoryMiddleware = (memory: HostMemory, options: MiddlewareOptions = {}): LanguageModelMiddleware => {
  checkMemory(memory)
  checkAdapterOptions(options, ["session", "tokens"])
  return middlewareOf(memory, options)
}

const middlewareOf = (memory: HostMemory, options: MiddlewareOptions): LanguageModelMiddleware => ({
  specificationVersion: "v4",
  wrapGenerate: async ({ model, params }) => {
    checkCallOptions(params)
    const result = await model.doGenerate(await withContext(memory, params, options))
    await storeTurn(memory, params, options, { content: result.content, finish: result.finishReason.unified })
    return result
  },
  wrapStream: async ({ model, params }) => {
    checkCallOptions(params)
    const result = await model.doStream(await withContext(memory, params, options))
    const content: Array<Answer[number]> = []
    let finish = "interrupted"
    const stream = result.stream.pipeThrough(
      new TransformStream({
        transform: (part, controller) => {
          if (part.type === "text-delta") addText(content, part.delta)
          if (part.type === "tool-call" || part.type === "tool-result") content.push(part)
          if (part.type === "finish" && finish !== "error") finish = part.finishReason.unified
          if (part.type === "error") finish = "error"
          controller.enqueue(part)
        },
        flush: () => storeTurn(memory, params, options, { content, finish })
      })
    )
    return { ...result, stream }
  }
})

const addText = (content: Array<Answer[number]>, delta: string): void => {
  const last = content.at(-1)
  if (last?.type === "text") content[content.length - 1] = { type: "text", text: last.text + delta }
  else content.push({ type: "text", text: delta })
}

/**
 * Adds the context to the parameters of a call: the stable parts after the program's own system messages, the recalled
 * memories before the user's last message.
 */
const withContext = async (memory: HostMemory, params: CallParams, options: MiddlewareOptions): Promise<CallParams> => {
  const { prompt } = params
  const { tokens } = options
  const asked = lastOfUser(prompt)
  const message = turnsOf(prompt.slice(asked, asked + 1))[0]?.text
  if (message === undefined) return params
  const session = sessionOf(params, options)
  const reader = session === undefined ? Effect.succeed(memory.user) : memory.inSession(session)
  const read = Effect.flatMap(reader, (user) => user.context({ message, tokens }))
  const context = await runOrElse(memory, "context", read, undefined)
  if (context === undefined) return params
  const start = prompt.findIndex(({ role }) => role !== "system")
  const system = context.system === "" ? [] : [{ role: "system" as const, content: context.system }]
  const recalled = context.user === "" ? [] : [{ type: "text" as const, text: context.user }]
  const messages = prompt.map((entry, index) =>
    index === asked && entry.role === "user" ? { ...entry, content: [...recalled, ...entry.content] } : entry
  )
  return { ...params, prompt: [...messages.slice(0, start), ...system, ...messages.slice(start)] }
}

/** Checks the options of a call, because a misspelt option `session` would silently store nothing. */
const checkCallOptions = ({ providerOptions }: CallParams): void => {
  const { daybook } = providerOptions ?? {}
  if (daybook === undefined) return
  const field = "providerOptions.daybook"
  if (typeof daybook !== "object" || daybook === null) {
    throw new InvalidInput({ field, problem: "must be an object such as { session }" })
  }
  checkAdapterOptions(Object(daybook), ["session", "turn"], `${field}.`)
}

/** The session of a call; undefined if nothing is stored. */
const sessionOf = ({ providerOptions }: CallParams, options: MiddlewareOptions): string | undefined => {
  const { session = options.session } = providerOptions?.daybook ?? {}
  return typeof session === "string" ? session : undefined
}

const lastOfUser = (prompt: CallParams["prompt"]): number => prompt.findLastIndex(({ role }) => role === "user")

/** Finish reasons that mean that the model's turn continues or was not completed. */
const unfinished: ReadonlySet<string> = new Set(["tool-calls", "error", "interrupted"])

const storeTurn = async (
  memory: HostMemory,
  params: CallParams,
  options: MiddlewareOptions,
  { content, finish }: { readonly content: Answer; readonly finish: string }
): Promise<void> => {
  const { abortSignal, prompt, providerOptions } = params
  const session = sessionOf(params, options)
  if (session === undefined || unfinished.has(finish) || abortSignal?.aborted === true) return
  const asked = lastOfUser(prompt)
  const turns = [...turnsOf(prompt.slice(Math.max(0, asked))), ...answerTurn(content)]
  const call = [session, providerOptions?.daybook?.turn ?? turnsOf(prompt.slice(0, asked + 1))]
  const stored = storeTurns(
    memory,
    turns.map((entry, index) => [{ session, ...entry }, { commandId: commandIdOf(call, index, entry) }])
  )
  await runOrElse(memory, "storing a turn", stored, undefined)
}
