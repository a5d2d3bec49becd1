import { randomBytes } from "node:crypto"
import { digestOf, hashOf, requestDigestOf, type StoredEvent } from "./Chain.js"
import type { Head, NewCommand } from "./EventLog.js"

/** The rows of one command, chained onto `head`, recorded at `now` but never before what stands there already. */
export const link = (
  head: Head,
  command: NewCommand,
  now: number,
  nextSequence: () => number
): ReadonlyArray<StoredEvent> => {
  const recordedAt = Math.max(now, head.recordedAt)
  let { version, hash } = head
  return command.events.map((event, ordinal) => {
    const salt = randomBytes(16)
    const requestDigest =
      ordinal === 0 && command.commandId !== undefined ? requestDigestOf(salt, command.request ?? "") : null
    const row = {
      sequence: nextSequence(),
      stream: head.stream,
      version: ++version,
      type: event.type,
      schema: event.schema,
      payload: event.payload,
      salt,
      digest: digestOf(salt, requestDigest, event.payload),
      commandId: command.commandId ?? null,
      ordinal,
      requestDigest,
      actor: command.actor,
      cause: event.cause ?? null,
      occurredAt: event.occurredAt ?? recordedAt,
      recordedAt,
      erasedAt: null
    }
    hash = hashOf(hash, row)
    return { ...row, hash }
  })
}

/** The head of a stream once `rows` have been added to it. */
export const headAfter = (head: Head, rows: ReadonlyArray<StoredEvent>): Head => {
  const last = rows.at(-1)
  return last === undefined
    ? head
    : { stream: head.stream, version: last.version, hash: last.hash, recordedAt: last.recordedAt }
}
