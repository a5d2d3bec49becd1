/** The events of Claude Code that `daybook hook` handles. */
export const hookEvents = ["session-start", "user-prompt", "post-tool", "pre-compact", "stop", "session-end"] as const
export type HookEvent = (typeof hookEvents)[number]

/** The fields of a hook's input that are used. Claude Code writes the input as a JSON object to stdin. */
export interface HookInput {
  readonly session: string | undefined
  readonly transcript: string | undefined
  readonly folder: string | undefined
  readonly prompt: string | undefined
  readonly tool: ToolUse | undefined
}

/** A finished call of a tool. */
export interface ToolUse {
  readonly id: string | undefined
  readonly name: string
  readonly input: unknown
  readonly response: unknown
  /** The error of a failed call. */
  readonly error: string | undefined
}

/** Reads a hook's input; undefined if it is not a JSON object. A field of the wrong type counts as missing. */
export const readHookInput = (text: string): HookInput | undefined => {
  const fields = parseJsonObject(text)
  if (fields === undefined) return undefined
  const stringOf = (name: string) => {
    const value = fields[name]
    return typeof value === "string" && value !== "" ? value : undefined
  }
  const name = stringOf("tool_name")
  return {
    session: stringOf("session_id"),
    transcript: stringOf("transcript_path"),
    folder: stringOf("cwd"),
    // A prompt may be empty.
    prompt: typeof fields.prompt === "string" ? fields.prompt : undefined,
    tool:
      name === undefined
        ? undefined
        : {
            id: stringOf("tool_use_id"),
            name,
            input: fields.tool_input,
            response: fields.tool_response,
            error: stringOf("error")
          }
  }
}

/** Parses a JSON object; undefined for any other text. */
export const parseJsonObject = (text: string): Readonly<Record<string, unknown>> | undefined => {
  try {
    const value: unknown = JSON.parse(text)
    return isObject(value) ? value : undefined
  } catch {
    return undefined
  }
}

export const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null && !Array.isArray(value)

/** The text of a message's content. The content is a string, or a list of blocks, whose text blocks are joined. */
export const textOf = (content: unknown): string =>
  typeof content === "string"
    ? content
    : (Array.isArray(content) ? content : [])
        .flatMap((block) => (isObject(block) && typeof block.text === "string" ? [block.text] : []))
        .join("\n")
