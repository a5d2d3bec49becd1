import { hash } from "node:crypto"

/** One row of the `events` table, as stored. */
export interface StoredEvent {
  readonly sequence: number
  readonly stream: string
  readonly version: number
  readonly type: string
  readonly schema: number
  /** JSON text of the payload in its schema's field order; null once erased. */
  readonly payload: string | null
  readonly salt: Uint8Array | null
  readonly digest: Uint8Array
  readonly hash: Uint8Array
  readonly commandId: string | null
  /** Position among the events of one command, from 0. */
  readonly ordinal: number
  /** Salted digest of the request; only on the first event of a command with an id. */
  readonly requestDigest: Uint8Array | null
  readonly actor: string
  readonly cause: string | null
  readonly occurredAt: number
  readonly recordedAt: number
  readonly erasedAt: number | null
}

/** The columns that replay needs, without those that only check the chain or detect repeated commands. */
export type ReplayedEvent = Pick<
  StoredEvent,
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
 * SHA-256(salt ‖ length of the request digest ‖ request digest ‖ payload). The input is the part of an event that
 * erasure removes. The digest itself stays, so the chain stays intact.
 */
export const digestOf = (salt: Uint8Array, requestDigest: Uint8Array | null, payload: string): Uint8Array => {
  const length = requestDigest === null ? zeroLength : Uint8Array.of(requestDigest.length)
  return sha256(Buffer.concat([salt, length, requestDigest ?? empty, Buffer.from(payload)]))
}

/** SHA-256(salt ‖ request): tells a repeated request from a different one under the same command id. */
export const requestDigestOf = (salt: Uint8Array, request: string): Uint8Array =>
  sha256(Buffer.concat([salt, Buffer.from(request)]))

type ChainedFields = Omit<StoredEvent, "payload" | "salt" | "requestDigest" | "erasedAt" | "hash">

/** SHA-256(previous hash ‖ every column that erasure keeps, each length-prefixed ‖ digest). */
export const hashOf = (previous: Uint8Array, event: ChainedFields): Uint8Array => {
  const columns =
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
  return sha256(Buffer.concat([previous, Buffer.from(columns), event.digest]))
}

/**
 * One call of `hash` is faster than `createHash` with several updates. Its result as a binary string is faster than as a
 * buffer, because `Buffer.from` takes small buffers from a pool.
 */
export const sha256 = (bytes: Uint8Array | string): Buffer => Buffer.from(hash("sha256", bytes, "binary"), "binary")

export const sameBytes = (a: Uint8Array | null, b: Uint8Array | null): boolean =>
  a !== null && b !== null && Buffer.compare(a, b) === 0

const zeroLength = Uint8Array.of(0)
const empty = new Uint8Array(0)

const field = (value: string | number | null): string => {
  if (value === null) return "-"
  const text = String(value)
  return `${text.length}:${text}`
}
