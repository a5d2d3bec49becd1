import { appendFileSync, readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { statIfExists } from "./folder.js"

/** The prompts of an agent for which Daybook returned no context. */
export interface MissedPrompts {
  readonly count: number
  /** When the last prompt was missed (milliseconds since the epoch). `reason` says why. */
  readonly lastAt?: number
  readonly reason?: string
}

const fileOf = (folder: string): string => join(folder, "missed-prompts.log")

/** Counting stops when the file has this many bytes, about ten thousand prompts. */
const maxBytes = 1 << 20

/**
 * Counts a prompt for which Daybook returned no context. Writes a line to a file next to the log, because the log may
 * be unusable. Never fails.
 */
export const countMissedPrompt = (folder: string, agent: string, reason: string): void => {
  try {
    const file = fileOf(folder)
    if ((statIfExists(file)?.size ?? 0) >= maxBytes) return
    appendFileSync(file, `${new Date().toISOString()} ${agent} ${reason.replace(/\s+/g, " ")}\n`, { mode: 0o600 })
  } catch {
    // A failure to count must not make the prompt fail.
  }
}

/** The missed prompts of an agent; none if the file cannot be read. */
export const missedPrompts = (folder: string, agent: string): MissedPrompts => {
  const lines = readLines(fileOf(folder)).filter((line) => line.split(" ", 2)[1] === agent)
  const [, time = "", reason = ""] = /^(\S+) \S+ (.*)$/.exec(lines.at(-1) ?? "") ?? []
  const lastAt = Date.parse(time)
  return { count: lines.length, ...(Number.isNaN(lastAt) ? {} : { lastAt, reason }) }
}

/**
 * Removes the lines of an erased agent, because they contain its name. Throws if the file cannot be written. A prompt
 * that another process counts at the same time may be lost.
 */
export const removeMissedPrompts = (folder: string, agent: string): void => {
  const file = fileOf(folder)
  const lines = readLines(file)
  // A line may contain a longer name that begins with this name and a space. Such lines are removed too; only their
  // count is lost.
  const kept = lines.filter((line) => !line.slice(line.indexOf(" ") + 1).startsWith(`${agent} `))
  if (kept.length < lines.length) writeFileSync(file, kept.join("\n"), { mode: 0o600 })
}

const readLines = (file: string): ReadonlyArray<string> => {
  try {
    return readFileSync(file, "utf8").split("\n")
  } catch {
    return []
  }
}
