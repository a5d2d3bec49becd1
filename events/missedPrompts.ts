import { appendFileSync, readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { statIfAny } from "./folder.js"

/** Prompts of an agent that got no context. */
export interface MissedPrompts {
  readonly count: number
  /** When the last one was missed, milliseconds since the epoch, and why. */
  readonly lastAt?: number
  readonly reason?: string
}

const fileOf = (folder: string): string => join(folder, "missed-prompts.log")

/** No more prompts are counted when the file has this many bytes, some ten thousand prompts. */
const maxBytes = 1 << 20

/**
 * Counts a prompt that got no context. It writes a line to a file beside the log, because the log may be unusable. Never
 * fails.
 */
export const countMissedPrompt = (folder: string, agent: string, reason: string): void => {
  try {
    const file = fileOf(folder)
    if ((statIfAny(file)?.size ?? 0) >= maxBytes) return
    appendFileSync(file, `${new Date().toISOString()} ${agent} ${reason.replace(/\s+/g, " ")}\n`, { mode: 0o600 })
  } catch {
    // The count must not fail the prompt.
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
 * Removes the lines of an erased agent: they hold its name. Throws if the file cannot be written. A prompt that another
 * process counts meanwhile may be lost.
 */
export const removeMissedPrompts = (folder: string, agent: string): void => {
  const file = fileOf(folder)
  const lines = readLines(file)
  // A name may contain spaces, and so may begin with another one. Its lines then go too: only their count is lost.
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
