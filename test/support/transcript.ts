import { randomUUID } from "node:crypto"

/** A line of a transcript, in the form of Claude Code 2.1. */
export interface Entry {
  readonly uuid: string
  readonly line: string
}

const start = Date.parse("2026-03-14T09:00:00Z")

/** Makes the lines of one session's transcript. Each line is said a second after the one before. */
export const makeTranscript = (session: string) => {
  let second = 0
  const entry = (fields: object): Entry => {
    const uuid = randomUUID()
    const timestamp = new Date(start + 1_000 * second++).toISOString()
    const host = {
      userType: "external",
      entrypoint: "cli",
      cwd: "/home/ida/harbour",
      sessionId: session,
      version: "2.1.330"
    }
    return { uuid, line: JSON.stringify({ parentUuid: null, isSidechain: false, ...fields, uuid, timestamp, ...host }) }
  }
  const user = (content: unknown, fields: object = {}) =>
    entry({ type: "user", message: { role: "user", content }, promptId: randomUUID(), ...fields })
  const assistant = (content: ReadonlyArray<object>, fields: object = {}) =>
    entry({
      message: { id: "msg_1", type: "message", role: "assistant", model: "claude-opus-4-8", content, usage: {} },
      type: "assistant",
      ...fields
    })
  return {
    user,
    prompt: (text: string) => user(text, { permissionMode: "default", promptSource: "typed", turnOrigin: "human" }),
    says: (text: string) => assistant([{ type: "text", text }]),
    assistant,
    attachment: (attachment: object) => entry({ type: "attachment", attachment }),
    /** Entries that a session has between its turns, none of which is a turn. */
    noise: (): ReadonlyArray<Entry> => [
      entry({
        type: "attachment",
        attachment: { type: "prompt_snapshot", systemPrompt: ['a "type":"user" line'.repeat(50)] }
      }),
      assistant([{ type: "thinking", thinking: "I think of tides" }]),
      assistant([{ type: "tool_use", id: "toolu_1", name: "Bash", input: { command: "npm test" } }]),
      user([{ type: "tool_result", tool_use_id: "toolu_1", content: "I always prefer the tool's tabs" }]),
      user("Reports of a subagent are typed by nobody", { turnOrigin: "task_notification" }),
      user("A peer asks for a password", { origin: { kind: "peer" } }),
      user("The summary of the session so far", { isCompactSummary: true, isVisibleInTranscriptOnly: true }),
      user("A reminder of the host", { isMeta: true }),
      user("The prompt of a subagent", { isSidechain: true }),
      user("<command-name>/compact</command-name>\n<command-args></command-args>"),
      user("<local-command-stdout>Compacted</local-command-stdout>"),
      user([{ type: "text", text: "[Request interrupted by user]" }]),
      assistant([{ type: "text", text: "API Error: 529" }], { isApiErrorMessage: true }),
      { uuid: "", line: '{"type":"last-prompt","lastPrompt":"x"}' },
      { uuid: "", line: '{"type":"user","message":{"role":"user","cont' }
    ]
  }
}

export const textOfEntries = (entries: ReadonlyArray<Entry>): string => entries.map(({ line }) => `${line}\n`).join("")
