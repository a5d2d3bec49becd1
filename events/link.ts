import * as Either from "effect/Either"
import { digestOf, hashOf, requestDigestOf, type StoredEvent } from "./Chain.js"
import type { Append, Head, NewCommand } from "./EventLog.js"
import { CommandConflict } from "./errors.js"
import { randomBytes } from "./random.js"

/** The rows of one command, chained onto `head`, recorded at `now` but never before what stands there already. */
export const link = (
  head: Head,
  command: NewCommand,
  now: number,
  nextSequence: () => number
): ReadonlyArray<StoredEvent> => {
  // A clock may tell parts of a millisecond; what is stored is whole.
  const recordedAt = Math.max(Math.floor(now), head.recordedAt)
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

/** Refuses an append that asks for different things under one command id; asking twice for the same is a repeat. */
export const consistent = ({ commands, stream }: Append): Either.Either<void, CommandConflict> => {
  const requests = new Map<string, string>()
  for (const { commandId, request = "" } of commands) {
    if (commandId === undefined) continue
    if ((requests.get(commandId) ?? request) !== request) return Either.left(new CommandConflict({ stream, commandId }))
    requests.set(commandId, request)
  }
  return Either.right(undefined)
}
