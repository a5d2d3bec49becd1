import type { Memory } from "../../events/Memory.js"

/** One run of a tool, as its raw observation records it. */
export interface ToolRun {
  readonly tool: string
  readonly input: string
  readonly output: string
  /** The exit code; undefined for a tool without one. */
  readonly exit: number | undefined
}

const inputFact = "input: "
const exitFact = "exit: "

/**
 * `rawTitle` and `rawFacts` make the title and the facts of a raw tool run. `parseToolRun` reads the run back from its memory.
 */
export const rawTitle = ({ exit, input, tool }: Omit<ToolRun, "output">): string => {
  const [line = ""] = subjectOf(input).trim().split("\n", 1)
  const call = line === "" ? tool : `${tool}: ${line}`
  return exit === undefined || exit === 0 ? call : `${call} (exit ${exit})`
}

export const rawFacts = ({ exit, input }: Pick<ToolRun, "input" | "exit">): ReadonlyArray<string> => [
  ...(input.trim() === "" ? [] : [`${inputFact}${input}`]),
  ...(exit === undefined ? [] : [`${exitFact}${exit}`])
]

export const parseToolRun = ({ facts, narrative = "", source }: Memory): ToolRun => {
  const factOf = (prefix: string) => facts.find((fact) => fact.startsWith(prefix))?.slice(prefix.length)
  const exit = factOf(exitFact)
  return {
    tool: source.name ?? "tool",
    input: factOf(inputFact) ?? "",
    output: narrative,
    exit: exit === undefined ? undefined : Number(exit)
  }
}

/** Arguments that name the command or the file of a call, in JSON input. */
const subjectNames = ["command", "cmd", "script", "file_path", "path", "file", "filename", "pattern", "query", "url"]

/** The command or the file of a call. For JSON input it is the most informative argument, otherwise the whole input. */
export const subjectOf = (input: string): string => {
  if (!input.trimStart().startsWith("{")) return input
  try {
    const values = JSON.parse(input) as Record<string, unknown>
    const name = subjectNames.find((candidate) => typeof values[candidate] === "string")
    return name === undefined ? input : String(values[name])
  } catch {
    return input
  }
}

const shellTools = /bash|shell|exec|terminal|command|powershell|^(?:sh|cmd|run)$/iu
const editingTools = /edit|write|patch|create|replace|insert|save|delete|rename|move/iu
const editingCommands = /(?:^|[;&|]\s*)(?:sed\s+-i|tee|mv|cp|rm|touch|git\s+(?:add|mv|rm|apply)|patch)\b|>>?\s*[\w./]/u
const fileNames = /(?:\.{0,2}\/)?(?:[\w@.-]+\/)*[\w@-][\w@.-]*\.[a-z][a-z0-9]{0,7}\b(?!\()/giu

/** The shell command of a run, without a leading `cd`; undefined for a run of another tool. */
export const commandOf = ({ input, tool }: ToolRun): string | undefined => {
  if (!shellTools.test(tool)) return undefined
  const command = subjectOf(input)
    .trim()
    .replace(/^cd\s+\S+\s*(?:&&|;)\s*/u, "")
    .replace(/\s+/gu, " ")
  return command === "" ? undefined : command.slice(0, maxCommand)
}

const maxCommand = 200

/** The files that a run changed, as far as its input names them. */
export const changedFiles = (run: ToolRun): ReadonlyArray<string> => {
  const command = commandOf(run)
  const isEdit = command === undefined ? editingTools.test(run.tool) : editingCommands.test(command)
  if (!isEdit) return []
  const text = command ?? subjectOf(run.input).split("\n", 1)[0]!
  return [...new Set(text.match(fileNames) ?? [])]
}

const failures =
  /\b(?:error|exception|traceback|panic(?:ked)?|fatal|failed|failure|cannot|not found|undefined reference|denied)\b|^(?:E\s|✗|×|FAIL\b|npm ERR!)/iu
/** Lines that only count or announce failures. */
const noFailure = /\b(?:0|no) (?:errors?|failures?|failed)\b|^\s*(?:npm ERR! (?:code|errno|A complete log))/iu

/** Returns true if a run failed, according to its exit code or, if it has none, to its output. */
export const hasFailed = ({ exit, output }: ToolRun): boolean =>
  exit === undefined ? /^(?:error\b|traceback|fatal:|panic:)/imu.test(output) : exit !== 0

/** The line that best explains why a run failed; undefined for a run without such a line. */
export const errorLine = ({ output }: ToolRun): string | undefined => {
  const lines = output.split("\n").map((line) => line.trim())
  const named = lines.find((line) => /^\w*(?:error|exception)\b.*:/iu.test(line) || /\berror\s+\w+\d+\s*:/iu.test(line))
  const line = named ?? lines.find((candidate) => failures.test(candidate) && !noFailure.test(candidate))
  return line?.slice(0, maxErrorLine)
}

const maxErrorLine = 300

const ephemeralCommands =
  /^(?:(?:npm|pnpm|yarn|bun)\s+(?:run\s+)?(?:build|test|lint|check|ci|install|i)\b|npx\s+(?:tsc|vitest|jest|eslint|biome)\b|(?:tsc|vitest|jest|eslint|biome|pytest|mocha|ruff|mypy|make|ninja|cmake|gradle|mvn|ls|ll|pwd|cat|head|tail|wc|find|grep|rg|ps|top|df|du|date|env|which|echo|tree|stat)\b|python\d?\s+-m\s+(?:pytest|unittest)\b|cargo\s+(?:build|test|check|clippy)\b|go\s+(?:build|test|vet)\b|docker\s+(?:build|ps|images|logs)\b|git\s+(?:status|diff|log|show|fetch|branch)\b)/u
const readingTools = /read|view|list|ls|glob|grep|search|find|fetch|status/iu

/**
 * Returns true if a result is true only for the moment: the output of builds, tests and listings, and of tools that
 * only read.
 */
export const isEphemeral = (run: ToolRun): boolean => {
  const command = commandOf(run)
  return command === undefined ? readingTools.test(run.tool) : ephemeralCommands.test(command)
}
