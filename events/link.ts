import * as Either from "effect/Either"
import * as Option from "effect/Option"
import { chainVersion, digestOf, hashOf, requestDigestOf, type StoredEvent, sameBytes } from "./Chain.js"
import type { Append, Appended, Head, NewCommand } from "./EventLog.js"
import { AlreadyErased, CommandConflict } from "./errors.js"
import { saltBytes } from "./names.js"
import { randomBytes } from "./randomBytes.js"

/**
 * The recording time of a command's events: `now`, but never before the newest event. Only a CLOCK event may be
 * earlier, when the clock returns from a jump forward. A clock may return fractions of a millisecond, but stored times
 * are integers.
 */
const recordingTime = (head: Head, { events }: NewCommand, now: number): number =>
  events[0]?.type === "CLOCK" ? Math.floor(now) : Math.max(Math.floor(now), head.recordedAt)

export interface LinkContext {
  /** Wall clock, milliseconds since the epoch. */
  readonly now: number
  readonly nextSequence: () => number
  /** The result of `commandKeyOf` for the command's id; null if the command has no id. */
  readonly commandKey: Uint8Array | null
}

/** Creates the rows of one command and chains them onto `head`. `recordingTime` adjusts the recording time `now`. */
export const linkEvents = function* (
  head: Head,
  command: NewCommand,
  { commandKey, nextSequence, now }: LinkContext
): Generator<StoredEvent, void> {
  const recordedAt = recordingTime(head, command, now)
  let { version, hash } = head
  for (const [ordinal, event] of command.events.entries()) {
    const salt = randomBytes(16)
    const requestDigest =
      ordinal === 0 && command.commandId !== undefined ? requestDigestOf(salt, command.request ?? "") : null
    const row = {
      chain: chainVersion,
      sequence: nextSequence(),
      stream: head.stream,
      version: ++version,
      type: event.type,
      schema: event.schema,
      payload: event.payload,
      salt,
      digest: digestOf(salt, requestDigest, event.payload),
      commandId: command.commandId ?? null,
      commandKey,
      ordinal,
      requestDigest,
      actor: command.actor,
      cause: event.cause ?? null,
      names: randomBytes(saltBytes),
      occurredAt: event.occurredAt ?? recordedAt,
      recordedAt,
      erasedAt: null
    }
    hash = hashOf(hash, row)
    yield { ...row, hash }
  }
}

/** The head of a stream after `rows` are appended. */
export const headAfter = (head: Head, rows: ReadonlyArray<StoredEvent>): Head => {
  const last = rows.at(-1)
  return last === undefined
    ? head
    : { stream: head.stream, version: last.version, hash: last.hash, recordedAt: last.recordedAt }
}

/** Rebuilds the first answer to a repeated command id from the stored events. Returns none for a new id. */
export const findEarlierAnswer = (
  { commandId, request, stream }: { readonly stream: string; readonly commandId: string; readonly request: string },
  events: ReadonlyArray<StoredEvent>
): Either.Either<Option.Option<Appended>, CommandConflict | AlreadyErased> => {
  const [first] = events
  if (first === undefined) return Either.right(Option.none())
  // Part of the answer was erased, so it cannot be returned again.
  if (first.salt === null || events.some(({ salt }) => salt === null))
    return Either.left(new AlreadyErased({ stream, commandId }))
  return sameBytes(first.requestDigest, requestDigestOf(first.salt, request))
    ? Either.right(Option.some({ events, repeated: true }))
    : Either.left(new CommandConflict({ stream, commandId }))
}

/** Refuses an append that uses one command id for two different requests. Two equal requests are a repeat. */
export const checkRequests = ({ commands, stream }: Append): Either.Either<void, CommandConflict> => {
  const requests = new Map<string, string>()
  for (const { commandId, request = "" } of commands) {
    if (commandId === undefined) continue
    if ((requests.get(commandId) ?? request) !== request) return Either.left(new CommandConflict({ stream, commandId }))
    requests.set(commandId, request)
  }
  return Either.right(undefined)
}
