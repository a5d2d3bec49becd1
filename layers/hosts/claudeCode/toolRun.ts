import type { ToolObservation } from "../../../src/notes/observeTool.js"
import type { ToolUse } from "./hookInput.js"
import { isObject, textOf } from "./hookInput.js"

/** Daybook's own tools. Their answers are already stored. */
const ownTools = /^mcp__(?:.*_)?daybook(?:_.*)?__/i

/**
 * A shell command that runs `daybook`: its output shows memories that are already stored. The repetitions are limited,
 * because a command may contain a whole file, and matching starts again at each separator in the file.
 */
const ownCommand =
  /(?:^|[;&|(\n])[^\S\n]{0,64}(?:\w{1,64}=\S{0,256}\s{1,64}){0,16}(?:npx\s{1,64})?(?:\S{0,256}\/)?daybook(?:\.mjs)?(?:\s|$)/

/** Tools whose answer repeats their input. */
const editingTools = new Set(["Edit", "MultiEdit", "NotebookEdit", "Write"])

/** The run of a tool as an observation; undefined for Daybook's own tools and its command. */
export const toolRunOf = ({ error, input, name, response }: ToolUse): ToolObservation | undefined => {
  const command = isObject(input) && typeof input.command === "string" ? input.command : undefined
  if (ownTools.test(name) || (command !== undefined && ownCommand.test(command))) return undefined
  const code = /^Exit code (\d+)\n?/.exec(error ?? "")
  const output = error?.slice(code?.[0].length ?? 0) ?? (editingTools.has(name) ? "" : responseText(response))
  const { file_path: file } = isObject(input) ? input : {}
  return {
    tool: name,
    input: command ?? jsonText(input),
    output: code === null && error !== undefined ? `Error: ${output}` : output,
    ...(code === null ? {} : { exit: Number(code[1]) }),
    ...(typeof file === "string" && file !== "" && file.length <= maxPath ? { files: [file] } : {})
  }
}

const maxPath = 1_024

/** The answer of a tool: the output of a command, the text blocks of an MCP tool, or the answer as JSON. */
const responseText = (response: unknown): string => {
  if (typeof response === "string") return response
  if (isObject(response) && typeof response.stdout === "string") {
    return [response.stdout, response.stderr].filter((text) => typeof text === "string" && text !== "").join("\n")
  }
  return textOf(isObject(response) ? response.content : response) || jsonText(response)
}

const jsonText = (value: unknown): string => (value === undefined || value === null ? "" : JSON.stringify(value))
