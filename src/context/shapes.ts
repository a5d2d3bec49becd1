import type { PromptContext } from "./ContextReader.js"

/** A chat message for OpenAI's chat API and the `Prompt` of @effect/ai. */
export interface ChatMessage {
  readonly role: "system" | "user" | "assistant"
  readonly content: string
}

/** The system prompt and the messages of Anthropic's API. */
export interface AnthropicPrompt {
  readonly system: ReadonlyArray<{
    readonly type: "text"
    readonly text: string
    /** Tells the provider to cache this part, because it stays the same all day. */
    readonly cache_control?: { readonly type: "ephemeral" }
  }>
  readonly messages: ReadonlyArray<{ readonly role: "user" | "assistant"; readonly content: string }>
}

/** The whole context as one text: the part for the system prompt, the conversation, and the recalled memories. */
export const text = ({ parts, summary, system, user }: PromptContext): string =>
  joined([system, summary, parts.find(({ name }) => name === "turns")?.text ?? "", user])

/**
 * The context as messages, for OpenAI's chat API and @effect/ai. `message` is the user's new message; the recalled
 * memories come before it in the same message. Without `message`, the last turn takes its place if the user said it.
 */
export const messages = (context: PromptContext, message?: string): ReadonlyArray<ChatMessage> => [
  ...systemTextsOf(context).map((content) => ({ role: "system" as const, content })),
  ...conversationOf(context, message)
]

/**
 * The context for Anthropic's API. The system prompt is marked for the provider's cache. Neighbouring messages of one
 * role are joined, and the first is the user's, as the API requires.
 */
export const anthropic = (context: PromptContext, message?: string): AnthropicPrompt => {
  const merged: Array<{ role: "user" | "assistant"; content: string }> = []
  for (const { content, role } of conversationOf(context, message)) {
    const last = merged.at(-1)
    if (last?.role === role) last.content = joined([last.content, content])
    else merged.push({ role, content })
  }
  if (merged[0]?.role === "assistant") merged.unshift({ role: "user", content: "(Earlier turns are left out.)" })
  return {
    system: systemTextsOf(context).map((text) =>
      text === context.system ? { type: "text", text, cache_control: { type: "ephemeral" } } : { type: "text", text }
    ),
    messages: merged
  }
}

const systemTextsOf = ({ summary, system }: PromptContext) => [system, summary].filter((part) => part !== "")

const conversationOf = ({ turns, user }: PromptContext, message: string | undefined) => {
  const last = turns.at(-1)
  const continues = message === undefined && last?.role === "user" && !last.isQuoted
  const earlier = continues ? turns.slice(0, -1) : turns
  const question = joined([user, message ?? (continues ? last.text : "")])
  return [
    ...earlier.map(({ role, text }) => ({ role, content: text })),
    ...(question === "" ? [] : [{ role: "user" as const, content: question }])
  ]
}

const joined = (texts: ReadonlyArray<string>): string => texts.filter((part) => part !== "").join("\n\n")
