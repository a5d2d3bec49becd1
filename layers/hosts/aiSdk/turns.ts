import { createHash } from "node:crypto"
import type { LanguageModelMiddleware } from "ai"
import type { ToolCall } from "../../../events/Turn.js"
import type { TurnInput } from "../../../src/conversation/turnInput.js"
import { limits } from "../../../src/model/limits.js"
import { toStorableText } from "../storable.js"

type Generate = NonNullable<LanguageModelMiddleware["wrapGenerate"]>
/** The parameters of a model call. */
export type CallParams = Parameters<Generate>[0]["params"]
/** The answer of a model. */
export type Answer = Awaited<ReturnType<Generate>>["content"]
type Message = CallParams["prompt"][number]

/** A message as a turn without its session. */
export type MessageTurn = Pick<TurnInput, "text" | "toolCalls"> & { readonly role: "user" | "assistant" | "tool" }

/** Converts messages to turns. Skips system messages, and messages without text and tool calls. */
export const turnsOf = (prompt: ReadonlyArray<Message>): ReadonlyArray<MessageTurn> =>
  prompt.flatMap((message) => (message.role === "system" ? [] : turnOf(message.role, message.content)))

/** The turn of an answer; empty for an answer without text and tool calls. */
export const answerTurn = (answer: Answer): ReadonlyArray<MessageTurn> => turnOf("assistant", answer)

type Part = Exclude<Message, { readonly role: "system" }>["content"][number] | Answer[number]

const turnOf = (role: MessageTurn["role"], parts: ReadonlyArray<Part>): ReadonlyArray<MessageTurn> => {
  const text = toStorableText(parts.flatMap(textOf).join("\n\n"))
  const toolCalls = parts.flatMap(callOf).slice(0, limits.toolCalls)
  return text.trim() === "" && toolCalls.length === 0
    ? []
    : [{ role, text, ...(toolCalls.length === 0 ? {} : { toolCalls }) }]
}

const textOf = (part: Part): ReadonlyArray<string> =>
  part.type === "text" ? [part.text] : part.type === "file" ? [`[file ${part.mediaType}]`] : []

const callOf = (part: Part): ReadonlyArray<ToolCall> => {
  if (part.type !== "tool-call" && part.type !== "tool-result") return []
  const { toolCallId, toolName } = part
  const call = { id: toStorableText(toolCallId, limits.key), name: toStorableText(toolName, limits.key) }
  if (part.type === "tool-call") return [{ ...call, arguments: jsonOf(part.input) }]
  return [{ ...call, result: "output" in part ? outputText(part.output) : jsonOf(part.result) }]
}

const outputText = (output: object): string => jsonOf("value" in output ? output.value : output)

const jsonOf = (value: unknown): string =>
  toStorableText(typeof value === "string" ? value : (JSON.stringify(value) ?? ""))

/**
 * The command id of a turn. It makes a repeated call store nothing. Two calls count as the same if they have the same
 * session and the same messages up to the user's last message. If the program sets `turn`, it replaces the messages in
 * this comparison.
 */
export const commandIdOf = (call: ReadonlyArray<unknown>, index: number, turn: MessageTurn): string =>
  `ai-sdk-${createHash("sha256")
    .update(JSON.stringify([call, index, turn]))
    .digest("hex")}`
