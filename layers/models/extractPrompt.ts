import { createHash } from "node:crypto"
import type { ToolCall } from "../../events/Turn.js"
import type { ExtractRequest, ExtractTurn } from "../../src/ports/Extractor.js"
import { maskCredentials } from "../../text/personal/maskCredentials.js"
import { dataNotice, dataSection, isoTime, nullable, strictObject, text, texts } from "./promptParts.js"

/** The version number of this prompt, for people. The digest identifies the prompt exactly. */
export const extractPromptVersion = 1

/**
 * Limits in UTF-16 units. Texts of users are never cut. Long texts of others are cut in the middle. A prompt above its
 * limit is not sent.
 */
const bounds = { prompt: 60_000, context: 1_000, assistant: 4_000, toolCalls: 8, toolArguments: 600, toolResult: 1_200 }

/** The types of facts that a model may name. There is no type for credentials, because the model sees them masked. */
export const factTypes = [
  "identity",
  "person",
  "preference",
  "decision",
  "solution",
  "event",
  "plan",
  "task",
  "config",
  "state",
  "technical",
  "conversation",
  "temp",
  "debug"
] as const

/** The system prompt. It never contains texts of turns. */
export const extractInstructions = `You keep the long-term memory of an assistant. You get one JSON document between the lines BEGIN DATA and END DATA. It holds the "turns" of a conversation, numbered by "turn", and before them as "context" earlier turns with negative numbers, which were read before. Write down the facts of "turns" that will still matter in later conversations. Most turns hold none: then "facts" is empty.

What to keep: who the user is, what belongs to the user's life and work, people and what is said of them, preferences, decisions with their reason, solutions that worked, plans, appointments, tasks, configuration, states that changed.

What not to keep:
- questions, guesses, hypotheses, examples, jokes, small talk, thanks, anything that holds for this conversation only;
- what the assistant proposes or explains, unless the user accepts it; then the sources name both turns;
- what somebody else said as if it were the user's own: say who said it, with "statedBy" "other";
- what a later turn takes back or corrects: keep the correction only;
- passwords, keys and other credentials. They are masked as [credential]; no fact may be about a masked text.

Each fact:
- "title" is one sentence that stands alone: it names its subject, not "I", "he" or "it". What a user says of a third person is about that person. Call the user by the name in "speaker", or "the user".
- "type" is one of: ${factTypes.join(", ")}. "temp" and "debug" are what is forgotten within days.
- "narrative" says more where that is needed; "facts" lists single details; both may be null.
- "project" and "topic" name what it belongs to, in words of the turns, or are null. "tags" are words of the turns. "people" are the names of the people whom it is about.
- "importance" is between 0 and 1, or null.
- Times: "at" is when a turn was said. In texts, write dates absolute and in full ("Thursday 7 May 2026" for "on Thursday"). "occurred" is when it happened or will happen, "expires" when it stops to matter, in ISO 8601, or null.
- "sources" are the turns that say it, each with a short reason: also the turn that tells who is meant, and the turn in which the user accepts a proposal. At least one is of "turns".
- "statedBy" is "user", "assistant" or "tool", the role of the one who states it, or "other" for somebody whom they quote.

Each fact is checked against the turns that it names, and one wrong fact spoils the whole answer:
- Write in the language of the turns and use their own words. Copy names, numbers, units and times of day letter by letter; besides absolute dates, add none.
- Keep every "not", "never", "no longer" and "without". Say nothing that the turns do not say.

"archive" lists what the turns say to hold no longer with nothing in its place ("forget what I said about the gym"): "title" says what held so far, in the words of the turns. "summary" is one sentence on what the turns were about, in their words, or null.

${dataNotice}

Answer with one JSON object and nothing else, of this form:
{"facts": [{"title": string, "type": string, "narrative": string or null, "facts": [string, ...] or null, "project": string or null, "topic": string or null, "importance": number or null, "occurred": string or null, "expires": string or null, "people": [string, ...], "tags": [string, ...], "sources": [{"turn": number, "reason": string}, ...], "statedBy": "user" | "assistant" | "tool" | "other"}, ...], "archive": [{"title": string, "reason": string, "sources": [{"turn": number, "reason": string}, ...]}, ...], "summary": string or null}`

const sources = { type: "array", items: strictObject({ turn: { type: "integer" }, reason: text }) }

const fact = strictObject({
  title: text,
  type: { type: "string", enum: factTypes },
  narrative: nullable(text),
  facts: nullable(texts),
  project: nullable(text),
  topic: nullable(text),
  importance: nullable({ type: "number" }),
  occurred: nullable(text),
  expires: nullable(text),
  people: texts,
  tags: texts,
  sources,
  statedBy: { type: "string", enum: ["user", "assistant", "tool", "other"] }
})

/** The answer's JSON schema. */
export const extractSchema = strictObject({
  facts: { type: "array", items: fact },
  archive: { type: "array", items: strictObject({ title: text, reason: text, sources }) },
  summary: nullable(text)
})

/** The request as the model sees it: credentials masked, long texts cut. The answer is checked against this request. */
export const redactRequest = ({ context, recalled, turns }: ExtractRequest): ExtractRequest => ({
  context: context.map((turn) => sentTurn(turn, bounds.context)),
  turns: turns.map((turn) => sentTurn(turn, turn.role === "user" ? Number.POSITIVE_INFINITY : bounds.assistant)),
  recalled
})

/** The user prompt for a request from `redactRequest`; undefined if the prompt would be too long. */
export const buildExtractPrompt = ({ context, turns }: ExtractRequest): string | undefined => {
  const section = dataSection({
    context: context.map((turn, index) => ({ turn: index - context.length, ...fieldsOf(turn) })),
    turns: turns.map((turn, index) => ({ turn: index, ...fieldsOf(turn) }))
  })
  return section.length > bounds.prompt ? undefined : section
}

const fieldsOf = ({ at, ...turn }: ExtractTurn) => ({ ...turn, at: isoTime(at) })

const sentTurn = ({ at, channel, role, speaker, text, toolCalls }: ExtractTurn, maxLength: number): ExtractTurn => ({
  role,
  ...(speaker === undefined ? {} : { speaker: clean(speaker) }),
  ...(channel === undefined ? {} : { channel: clean(channel) }),
  text: cutMiddle(clean(text), maxLength),
  ...(toolCalls === undefined || toolCalls.length === 0
    ? {}
    : { toolCalls: toolCalls.slice(0, bounds.toolCalls).map(sentToolCall) }),
  at
})

const sentToolCall = ({ arguments: given, name, result }: ToolCall): ToolCall => ({
  name: clean(name),
  ...(given === undefined ? {} : { arguments: cutMiddle(clean(given), bounds.toolArguments) }),
  ...(result === undefined ? {} : { result: cutMiddle(clean(result), bounds.toolResult) })
})

const clean = (value: string): string => maskCredentials(value.toWellFormed())

const cutMiddle = (value: string, maxLength: number): string => {
  if (value.length <= maxLength) return value
  const half = Math.floor(maxLength / 2)
  return `${value.slice(0, half)} … ${value.slice(-half)}`.toWellFormed()
}

const example: ExtractTurn = {
  role: "user",
  speaker: "s",
  channel: "c",
  text: "t",
  toolCalls: [{ id: "i", name: "n", arguments: "a", result: "r" }],
  at: 0
}

/** Identifies the prompt of an extraction: 16 hexadecimal digits of a SHA-256 over wording, schema and data format. */
export const extractPromptDigest: string = createHash("sha256")
  .update(JSON.stringify([extractPromptVersion, extractInstructions, extractSchema, bounds]))
  .update(buildExtractPrompt(redactRequest({ context: [example], turns: [example], recalled: [] }))!)
  .digest("hex")
  .slice(0, 16)
