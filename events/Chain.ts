import { createHmac } from "node:crypto"
import { namesDigest } from "./names.js"
import { sha256OfParts } from "./sha256.js"

/** One row of the `events` table, as stored. */
export interface StoredEvent {
  /**
   * The version of the chain, 1 or 2. It decides which columns the digest and the hash cover. New events have
   * `chainVersion`.
   */
  readonly chain: number
  readonly sequence: number
  readonly stream: string
  readonly version: number
  readonly type: string
  readonly schema: number
  /** JSON text of the payload in its schema's field order; null after an erasure. */
  readonly payload: string | null
  readonly salt: Uint8Array | null
  readonly digest: Uint8Array
  readonly hash: Uint8Array
  readonly commandId: string | null
  /** Detects repeats of the command, even after an erasure (`commandKeyOf`). Null in events of chain version 1. */
  readonly commandKey: Uint8Array | null
  /** Position among the events of one command, from 0. */
  readonly ordinal: number
  /** Salted digest of the request; only on the first event of a command with an id. */
  readonly requestDigest: Uint8Array | null
  /** Empty after an erasure. */
  readonly actor: string
  readonly cause: string | null
  /** The salts of actor, cause and command id, which can be erased (`names.ts`). Null in chain version 1. */
  readonly names: Uint8Array | null
  readonly occurredAt: number
  readonly recordedAt: number
  readonly erasedAt: number | null
}

/** The columns that replay needs. The other columns only serve to check the chain or to detect repeated commands. */
export type ReplayedEvent = Pick<
  StoredEvent,
  | "chain"
  | "sequence"
  | "stream"
  | "version"
  | "type"
  | "schema"
  | "payload"
  | "commandId"
  | "actor"
  | "cause"
  | "occurredAt"
  | "recordedAt"
  | "erasedAt"
>

/** The hash before the first event of a stream. */
export const genesis: Uint8Array = new Uint8Array(32)

/**
 * The chain version of new events. In version 1, the hash covers actor, cause and command id directly, so an erasure
 * cannot remove them.
 */
export const chainVersion = 2

/**
 * SHA-256(salt ‖ length of the request digest ‖ request digest ‖ payload). The input is the part of an event that
 * erasure removes. The digest itself stays, so the chain stays intact.
 */
export const digestOf = (salt: Uint8Array, requestDigest: Uint8Array | null, payload: string): Uint8Array => {
  const length = requestDigest === null ? zeroLength : Uint8Array.of(requestDigest.length)
  return sha256OfParts(salt, length, requestDigest ?? empty, payload)
}

/**
 * HMAC-SHA-256 of stream and command id, with the id of the installation as key. It detects a repeated command even
 * after the command id was erased. Anyone who has the log can test a guessed id against it, but cannot read the id.
 */
export const commandKeyOf = (installation: string, stream: string, commandId: string): Uint8Array =>
  createHmac("sha256", installation)
    .update(field(stream) + field(commandId))
    .digest()

/** SHA-256(salt ‖ request): distinguishes a repeated request from a different request with the same command id. */
export const requestDigestOf = (salt: Uint8Array, request: string): Uint8Array => sha256OfParts(salt, request)

type ChainedFields = Omit<StoredEvent, "payload" | "salt" | "requestDigest" | "erasedAt" | "hash">

/**
 * SHA-256(previous hash ‖ every column that erasure keeps, each length-prefixed ‖ digest). In chain version 2, the
 * digest of the names is appended.
 */
export const hashOf = (previous: Uint8Array, event: ChainedFields): Uint8Array => {
  return event.names === null
    ? sha256OfParts(previous, keptColumns1(event), event.digest)
    : sha256OfParts(previous, keptColumns2(event), event.digest, namesDigest(event, event.names))
}

/** Begins with a word. The text of chain version 1 begins with a digit, so the two texts of an event always differ. */
const keptColumns2 = (event: ChainedFields): string =>
  `chain ${event.chain},` +
  field(event.sequence) +
  field(event.stream) +
  field(event.version) +
  field(event.type) +
  field(event.schema) +
  field(event.commandKey === null ? null : Buffer.from(event.commandKey).toString("hex")) +
  field(event.ordinal) +
  field(event.occurredAt) +
  field(event.recordedAt)

const keptColumns1 = (event: ChainedFields): string =>
  field(event.sequence) +
  field(event.stream) +
  field(event.version) +
  field(event.type) +
  field(event.schema) +
  field(event.commandId) +
  field(event.ordinal) +
  field(event.actor) +
  field(event.cause) +
  field(event.occurredAt) +
  field(event.recordedAt)

export const sameBytes = (a: Uint8Array | null, b: Uint8Array | null): boolean =>
  a !== null && b !== null && Buffer.compare(a, b) === 0

const zeroLength = Uint8Array.of(0)
const empty = new Uint8Array(0)

const field = (value: string | number | null): string => {
  if (value === null) return "-"
  const text = String(value)
  return `${text.length}:${text}`
}
