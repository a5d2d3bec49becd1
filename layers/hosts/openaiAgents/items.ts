import { isDeepStrictEqual } from "node:util"
import type { AgentInputItem } from "@openai/agents"
import type { ToolCall, Turn } from "../../../events/Turn.js"
import type { TurnInput } from "../../../src/conversation/turnInput.js"
import { limits } from "../../../src/model/limits.js"
import { toStorableText } from "../storable.js"

/** An item as a turn, without the session. */
export type ItemTurn = Pick<TurnInput, "text" | "toolCalls"> & { readonly role: Turn["role"] }

/**
 * Converts an item to a turn: its role, the text that people and models read, and the whole item as JSON in a tool
 * call. A plain message needs no JSON.
 */
export const turnOf = (item: AgentInputItem): ItemTurn => {
  const role = roleOf(item)
  const text = textOf(item)
  const isPlain = text.trim() !== "" && isDeepStrictEqual(JSON.parse(encoded(item)), plainItem(role, text))
  if (isPlain) return { role, text }
  const json = encoded(item, text)
  const toolCalls: Array<ToolCall> = []
  const name = nameOf(item)
  for (let start = 0; start < json.length; ) {
    let end = start + limits.turn
    if (/[\ud800-\udbff]/.test(json[end - 1] ?? "")) end -= 1
    toolCalls.push({ id: itemId, name, arguments: json.slice(start, end) })
    start = end
  }
  return { role, text, toolCalls }
}

/** The item of a turn; undefined if `turnOf` did not make the turn: its JSON is missing, invalid or of another role. */
export const itemOf = ({ role, text, toolCalls = [] }: Pick<Turn, "role" | "text" | "toolCalls">) => {
  const json = toolCalls.flatMap(({ arguments: piece = "", id }) => (id === itemId ? [piece] : [])).join("")
  return json === "" ? plainItem(role, text) : decoded(json, role, text)
}

/** The id of the tool calls that contain items. */
const itemId = "openai-agents"

/** The name of the tool call that contains an item: the tool's name, or else the item's type. */
const nameOf = (item: AgentInputItem): string => {
  const names = ["name" in item ? item.name : "", item.type, "message"]
  return toStorableText(names.find((name) => typeof name === "string" && name.trim() !== "") ?? itemId, limits.key)
}

const roleOf = (item: AgentInputItem): Turn["role"] => {
  if ("role" in item && (item.role === "user" || item.role === "system")) return item.role
  return item.type?.endsWith("_result") === true || item.type?.endsWith("_output") === true ? "tool" : "assistant"
}

/** The text of a message, or of a tool's output. */
const textOf = (item: AgentInputItem): string => {
  const content = "role" in item ? item.content : "output" in item ? item.output : ""
  const parts: ReadonlyArray<unknown> = Array.isArray(content) ? content : [content]
  const texts = parts.map((part) => (typeof part === "string" ? part : Object(part).text))
  return toStorableText(texts.filter((text) => typeof text === "string").join("\n\n"))
}

const plainItem = (role: Turn["role"], text: string): AgentInputItem | undefined => {
  if (role === "tool") return undefined
  if (role !== "assistant") return { type: "message", role, content: text }
  return { type: "message", role, status: "completed", content: [{ type: "output_text", text }] }
}

/** Placeholder for the turn's text, which is not stored twice. */
const textKey = "daybook:text"
/** Marks a byte array, which JSON cannot represent. */
const bytesKey = "daybook:bytes"

const encoded = (item: AgentInputItem, text = ""): string =>
  JSON.stringify(item, function (this: Record<string, unknown>, key, value) {
    const raw = this[key]
    if (raw instanceof Uint8Array) return { [bytesKey]: Buffer.from(raw).toString("base64") }
    return text !== "" && value === text ? { [textKey]: true } : value
  })

const decoded = (json: string, role: Turn["role"], text: string): AgentInputItem | undefined => {
  try {
    const item = JSON.parse(json, (_, value) => {
      if (value?.[textKey] === true) return text
      const bytes = value?.[bytesKey]
      return typeof bytes === "string" ? new Uint8Array(Buffer.from(bytes, "base64")) : value
    })
    return roleOf(item) === role ? item : undefined
  } catch {
    return undefined
  }
}
