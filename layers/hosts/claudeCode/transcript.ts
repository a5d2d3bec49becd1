import { closeSync, fstatSync, openSync, readSync } from "node:fs"
import * as Effect from "effect/Effect"
import { yieldToEventLoop } from "../../../events/turns.js"
import { isObject, parseJsonObject, textOf } from "./hookInput.js"

/** A statement of the user or the model in a transcript of Claude Code. */
export interface TranscriptTurn {
  /** The id of the entry in the transcript. It stays the same when the transcript is read again. */
  readonly id: string
  readonly role: "user" | "assistant"
  readonly text: string
  /** Milliseconds since the epoch. */
  readonly at: number
}

/** Bytes of one read, and maximum bytes in total, from the end of a transcript. */
const chunkBytes = 1 << 20
const maxBytes = 64 << 20

/** Tolerance in milliseconds: the clock of the host may have been set back by this much between two turns. */
const clockMargin = 10 * 60_000

/**
 * Reads the turns of a transcript, oldest first. It reads chunks backwards and stops after a chunk whose turns are all
 * older than `since`, in milliseconds since the epoch. The newest chunk is always read. Skips a line that is incomplete
 * or not JSON.
 */
export const readTurns = Effect.fnUntraced(function* (
  file: string,
  since: number | undefined
): Effect.fn.Return<ReadonlyArray<TranscriptTurn>> {
  const turns: Array<TranscriptTurn> = []
  for (const lines of lineChunks(file)) {
    const read = lines.flatMap((line) => turnOf(line) ?? [])
    turns.unshift(...read)
    const isOld = since !== undefined && read.every(({ at }) => at < since - clockMargin)
    if (isOld && read.length > 0) break
    yield* yieldToEventLoop
  }
  return turns
})

/** The lines of a file in chunks, the last chunk first. None if the file cannot be read. */
function* lineChunks(file: string): Generator<ReadonlyArray<string>> {
  let descriptor: number | undefined
  try {
    descriptor = openSync(file, "r")
    const { size } = fstatSync(descriptor)
    const first = Math.max(0, size - maxBytes)
    /** The pieces of a line that begins before the chunks read so far, in the order of the file. */
    let unfinished: Array<Buffer> = []
    for (let end = size; end > first; ) {
      const start = Math.max(first, end - chunkBytes)
      const chunk = Buffer.alloc(end - start)
      if (readSync(descriptor, chunk, 0, chunk.length, start) < chunk.length) return
      end = start
      const newline = start === first ? -1 : chunk.indexOf(10)
      if (newline < 0 && start > first) {
        unfinished = [chunk, ...unfinished]
        continue
      }
      yield Buffer.concat([chunk.subarray(newline + 1), ...unfinished])
        .toString("utf8")
        .split("\n")
      unfinished = [chunk.subarray(0, newline + 1)]
    }
  } catch {
    // Keeps the entries read so far. The next hook reads the rest.
  } finally {
    if (descriptor !== undefined) closeSync(descriptor)
  }
}

/** The turn of a line; undefined for lines of another kind. Most lines are not turns; they are not parsed. */
const turnOf = (line: string): TranscriptTurn | undefined => {
  if (!/"type":\s*"(?:user|assistant|queued_command)"/.test(line)) return undefined
  const entry = parseJsonObject(line)
  if (entry === undefined || hiddenBy.some((flag) => entry[flag] === true)) return undefined
  const said = saidIn(entry)
  const at = Date.parse(String(entry.timestamp))
  if (said === undefined || said.text === "" || Number.isNaN(at)) return undefined
  const id = typeof entry.uuid === "string" && entry.uuid !== "" ? entry.uuid : `${said.role}-${at}`
  return { id, ...said, at }
}

/** Flags of entries that come from a subagent or from Claude Code itself. */
const hiddenBy = [
  "isSidechain",
  "isMeta",
  "isVirtual",
  "isCompactSummary",
  "isVisibleInTranscriptOnly",
  "isApiErrorMessage",
  "textNotTyped",
  "handedOff"
]

const saidIn = (entry: Readonly<Record<string, unknown>>): Pick<TranscriptTurn, "role" | "text"> | undefined => {
  const message = isObject(entry.message) ? entry.message : {}
  if (entry.type === "assistant") {
    return message.model === "<synthetic>" ? undefined : { role: "assistant", text: textOf(message.content).trim() }
  }
  if (entry.type === "user") {
    return isHuman(entry) && !hasToolResult(message.content) ? userTurn(message.content) : undefined
  }
  // A prompt that the user typed while the model worked.
  const queued = isObject(entry.attachment) ? entry.attachment : {}
  return entry.type === "attachment" &&
    queued.type === "queued_command" &&
    [undefined, "prompt"].includes(queued.commandMode as string) &&
    queued.isMeta !== true &&
    queued.promptRewritten !== true &&
    isHuman(queued)
    ? userTurn(queued.prompt)
    : undefined
}

/** True if a person wrote the entry. Claude Code also writes entries of type `user` itself, such as task reports. */
const isHuman = ({ origin, turnOrigin }: Readonly<Record<string, unknown>>): boolean =>
  (origin === undefined || (isObject(origin) && origin.kind === "human")) &&
  (turnOrigin === undefined || ["human", "sdk", "unknown"].includes(String(turnOrigin)))

const hasToolResult = (content: unknown): boolean =>
  Array.isArray(content) && content.some((block) => isObject(block) && block.type === "tool_result")

/** A user's text without the reminders that Claude Code adds. Commands and their output are not turns. */
const userTurn = (content: unknown): Pick<TranscriptTurn, "role" | "text"> | undefined => {
  const text = textOf(content)
    .replace(/<system-reminder>[\s\S]*?<\/system-reminder>/g, "")
    .trim()
  return hostText.test(text) ? undefined : { role: "user", text }
}

const hostText =
  /^(?:<(?:command-(?:name|message|args)|local-command-\w+|bash-(?:input|stdout|stderr)|task-notification)>|\[Request interrupted)/
