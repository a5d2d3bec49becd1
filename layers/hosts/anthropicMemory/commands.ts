import { type HostDocument, maxDocumentCharacters } from "../documents.js"
import { checkPath, FileProblem, isFolder, listFolder, memoryRoot, withLineNumbers } from "./paths.js"

/** A command of the memory tool, as `@anthropic-ai/sdk` and `@ai-sdk/anthropic` pass it. */
export type MemoryCommand =
  | { readonly command: "view"; readonly path: string; readonly view_range?: ReadonlyArray<number> | undefined }
  | { readonly command: "create"; readonly path: string; readonly file_text: string }
  | { readonly command: "str_replace"; readonly path: string; readonly old_str: string; readonly new_str: string }
  | { readonly command: "insert"; readonly path: string; readonly insert_line: number; readonly insert_text: string }
  | { readonly command: "delete"; readonly path: string }
  | { readonly command: "rename"; readonly old_path: string; readonly new_path: string }

export type CommandName = MemoryCommand["command"]
export type CommandInput<Name extends CommandName> = Extract<MemoryCommand, { readonly command: Name }>

/** A change of one file. Without `file`, the file is created; without `path`, the file is removed. */
interface Change {
  readonly file?: HostDocument
  readonly path?: string
  readonly text: string
}

interface Outcome {
  readonly answer: string
  readonly changes: ReadonlyArray<Change>
}

type Files = ReadonlyMap<string, HostDocument>

/** Computes the answer and the changes of a command on the present files. Throws `FileProblem` if it refuses. */
export const planCommand = (files: Files, command: MemoryCommand): Outcome => {
  switch (command.command) {
    case "view":
      return { answer: view(files, command), changes: [] }
    case "create":
      return create(files, command)
    case "str_replace":
      return replaceText(files, command)
    case "insert":
      return insert(files, command)
    case "delete":
      return remove(files, command)
    case "rename":
      return rename(files, command)
    default:
      throw new FileProblem(`Unknown command: ${String(Object(command).command)}`)
  }
}

const view = (files: Files, { path: shown, view_range: range }: CommandInput<"view">): string => {
  const path = checkPath(shown)
  const file = files.get(path)
  if (file !== undefined) {
    const lines = file.text.split("\n")
    const [start = 1, end = -1] = range?.length === 2 ? range : []
    const first = Math.max(1, start)
    const chosen = lines.slice(first - 1, end === -1 ? lines.length : end)
    return `Here's the content of ${shown} with line numbers:\n${withLineNumbers(chosen, first)}`
  }
  if (!isFolder(files.keys(), path)) throw missing(shown)
  return listFolder(new Map([...files.values()].map(({ name, text }) => [name, text])), path, shown)
}

const create = (files: Files, { file_text: text, path: shown }: CommandInput<"create">): Outcome => {
  const path = checkPath(shown)
  if (files.has(path) || isFolder(files.keys(), path)) throw new FileProblem(`File ${shown} already exists`)
  return { answer: `File created successfully at: ${shown}`, changes: [change(files, path, text)] }
}

const replaceText = (
  files: Files,
  { new_str: by, old_str: old, path: shown }: CommandInput<"str_replace">
): Outcome => {
  const file = fileAt(files, shown)
  const pieces = textOf("old_str", old) === "" ? [file.text] : file.text.split(old)
  if (pieces.length === 1) {
    throw new FileProblem(`No replacement was performed, old_str \`${old}\` did not appear verbatim in ${shown}.`)
  }
  const starts = pieces.slice(0, -1).map((_, index) => lineCount(pieces.slice(0, index + 1).join(old)))
  if (starts.length > 1) {
    const lines = [...new Set(starts)].join(", ")
    throw new FileProblem(
      `No replacement was performed. Multiple occurrences of old_str \`${old}\` in lines: ${lines}. Please ensure it is unique`
    )
  }
  const text = pieces.join(textOf("new_str", by ?? ""))
  const first = Math.max(0, starts[0]! - 3)
  const snippet = withLineNumbers(text.split("\n").slice(first, starts[0]! + 2), first + 1)
  return {
    answer: `The memory file has been edited. Here is the snippet showing the change (with line numbers):\n${snippet}`,
    changes: [change(files, file.name, text)]
  }
}

const insert = (
  files: Files,
  { insert_line: line, insert_text: added, path: shown }: CommandInput<"insert">
): Outcome => {
  const file = fileAt(files, shown)
  const lines = file.text.split("\n")
  if (!Number.isInteger(line) || line < 0 || line > lines.length) {
    throw new FileProblem(
      `Invalid \`insert_line\` parameter: ${line}. It should be within the range of lines of the file: [0, ${lines.length}]`
    )
  }
  lines.splice(line, 0, textOf("insert_text", added).replace(/\n$/, ""))
  return { answer: `The file ${shown} has been edited.`, changes: [change(files, file.name, lines.join("\n"))] }
}

const remove = (files: Files, { path: shown }: CommandInput<"delete">): Outcome => {
  const path = checkPath(shown)
  if (path === memoryRoot) throw new FileProblem(`Cannot delete the ${memoryRoot} directory itself`)
  const gone = below(files, path)
  if (gone.length === 0) throw new FileProblem(`The path ${shown} does not exist`)
  return { answer: `Successfully deleted ${shown}`, changes: gone.map((file) => ({ file, text: "" })) }
}

const rename = (files: Files, { new_path: to, old_path: from }: CommandInput<"rename">): Outcome => {
  const [path, target] = [checkPath(from), checkPath(to)]
  if (path === memoryRoot) throw new FileProblem(`Cannot rename the ${memoryRoot} directory itself`)
  if (files.has(target) || isFolder(files.keys(), target)) {
    throw new FileProblem(`The destination ${to} already exists`)
  }
  const moved = below(files, path)
  if (moved.length === 0) throw new FileProblem(`The path ${from} does not exist`)
  if (target.startsWith(`${path}/`)) throw new FileProblem(`Cannot rename ${from} to a path below itself: ${to}`)
  const changes = moved.map((file) => ({ ...change(files, target + file.name.slice(path.length), file.text), file }))
  return { answer: `Successfully renamed ${from} to ${to}`, changes }
}

/** The change that stores a text at a path. Refuses a path below a file, and a text that is too long. */
const change = (files: Files, path: string, text: string): Change => {
  const parent = [...files.keys()].find((other) => path.startsWith(`${other}/`))
  if (parent !== undefined) throw new FileProblem(`${parent} is a file, not a directory`)
  const max = maxDocumentCharacters - path.length
  if (textOf("file_text", text).length > max) throw new FileProblem(`File ${path} is longer than ${max} characters`)
  const file = files.get(path)
  return { ...(file === undefined ? {} : { file }), path: checkPath(path), text }
}

const fileAt = (files: Files, shown: string): HostDocument => {
  const path = checkPath(shown)
  const file = files.get(path)
  if (file !== undefined) return file
  throw isFolder(files.keys(), path) ? new FileProblem(`The path ${shown} is not a file.`) : missing(shown)
}

const missing = (shown: string) => new FileProblem(`The path ${shown} does not exist. Please provide a valid path.`)

/** The file of a path, or the files of a folder. */
const below = (files: Files, path: string): ReadonlyArray<HostDocument> =>
  [...files.values()].filter(({ name }) => name === path || name.startsWith(`${path}/`))

const lineCount = (text: string): number => text.split("\n").length

const textOf = (field: string, value: unknown): string => {
  if (typeof value === "string") return value
  throw new FileProblem(`${field} must be text`)
}
