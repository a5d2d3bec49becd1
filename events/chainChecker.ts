import * as Either from "effect/Either"
import { chainVersion, digestOf, genesis, hashOf, type StoredEvent, sameBytes } from "./Chain.js"
import type { Codec } from "./Codec.js"
import type { Problem } from "./EventLog.js"
import { areErasedNamesEmpty, erasedSaltBytes, hasErasedName, saltBytes } from "./names.js"
import { sha256Hex } from "./sha256.js"

/** The maximum number of problems reported for one stream. */
export const maxStreamProblems = 10_000

/** The event before the first checked event. */
export type PreviousEvent = Pick<StoredEvent, "version" | "hash" | "recordedAt" | "sequence">

const start: PreviousEvent = { version: 0, hash: genesis, recordedAt: 0, sequence: 0 }

/** Checks the events of one stream after `before`. The caller passes the events in version order. */
export const chainChecker = (stream: string, codec: Codec, before: PreviousEvent = start) => {
  const problems: Array<Problem> = []
  const erased = new Map<number, number>()
  const allowedErasures = new Map<number, number>()
  const [erasedNames, allowedNames] = [new Set<number>(), new Set<number>()]
  let { hash: previous, recordedAt, sequence, version } = before
  const report = (event: StoredEvent, problem: string) => {
    if (problems.length >= maxStreamProblems) return
    problems.push({ stream, version: event.version, what: problem, evidence: evidenceOf(event) })
  }
  return {
    next: (event: StoredEvent) => {
      version++
      if (!wellTyped(event)) return report(event, "a column has a value of the wrong type")
      if (event.version !== version) {
        report(event, `the versions have a gap: ${version} is missing`)
        version = event.version
      }
      if (event.sequence <= sequence) report(event, "the sequence runs backwards")
      if (event.recordedAt < recordedAt && event.type !== "CLOCK") report(event, "the recording time runs backwards")
      if (event.payload !== null && event.salt !== null) {
        if (!sameBytes(digestOf(event.salt, event.requestDigest, event.payload), event.digest))
          report(event, "the payload does not match its digest")
        if (event.erasedAt !== null) report(event, "the event is marked as erased but still has its payload")
      } else {
        if (event.payload !== null || event.salt !== null || event.requestDigest !== null)
          report(event, "the event is only partly erased")
        erased.set(event.version, event.erasedAt ?? -1)
      }
      if (event.names !== null && hasErasedName(event.names)) {
        if (!areErasedNamesEmpty(event, event.names)) report(event, "an erased actor, cause or command id is not empty")
        erasedNames.add(event.version)
      }
      if (!sameBytes(hashOf(previous, event), event.hash))
        report(event, "the hash does not follow from the event before")
      if (event.type === "ERASE") {
        const decoded = codec.decode(event)
        if (Either.isRight(decoded) && decoded.right.type === "ERASE" && decoded.right.payload !== null) {
          for (const named of decoded.right.payload.names ?? []) {
            allowedNames.add(named)
            const isChecked = named > before.version && named < event.version
            if (isChecked && !erasedNames.has(named))
              problems.push({ stream, version: named, what: "an ERASE event names it, but it has all its names" })
          }
          for (const erasedVersion of decoded.right.payload.versions) {
            allowedErasures.set(erasedVersion, event.recordedAt)
            const isChecked = erasedVersion > before.version && erasedVersion < event.version
            if (isChecked && !erased.has(erasedVersion))
              problems.push({ stream, version: erasedVersion, what: "an ERASE event names it, but it has its payload" })
          }
        }
      }
      previous = event.hash
      recordedAt = event.recordedAt
      sequence = event.sequence
    },
    count: () => version,
    hash: () => previous,
    /**
     * `erasures: false` checks only the chain, because a later event, which is not checked, may have erased a checked
     * event.
     */
    problems: ({ erasures }: { readonly erasures: boolean }): ReadonlyArray<Problem> => {
      if (!erasures) return problems
      for (const [erasedVersion, erasedAt] of erased) {
        if (!allowedErasures.has(erasedVersion))
          problems.push({ stream, version: erasedVersion, what: "the payload is missing and no ERASE event names it" })
        else if (allowedErasures.get(erasedVersion) !== erasedAt) {
          problems.push({ stream, version: erasedVersion, what: "the erasure time differs from the ERASE event" })
        }
      }
      for (const version of erasedNames) {
        if (allowedNames.has(version)) continue
        problems.push({ stream, version, what: "actor, cause or command id is missing and no ERASE event names it" })
      }
      return problems
    }
  }
}

/**
 * A digest of a damaged row. It differs for each state of the row and reveals no content. Accepted damage is identified
 * by this digest, so never change the digest of rows of chain version 1.
 */
const evidenceOf = (event: StoredEvent): string => {
  const values = [
    ...[event.sequence, event.stream, event.version, event.type, event.schema, event.payload, event.salt],
    ...[event.digest, event.hash, event.commandId, event.ordinal, event.requestDigest, event.actor, event.cause],
    ...[event.occurredAt, event.recordedAt, event.erasedAt],
    ...(event.chain === 1 ? [] : [event.chain, event.commandKey, event.names])
  ]
  return sha256Hex(
    JSON.stringify(values.map((value) => (value instanceof Uint8Array ? Buffer.from(value).toString("hex") : value)))
  )
}

/**
 * True if each column has a value of the right type. A single flipped bit can turn a text into a blob of the same
 * bytes, or NULL into 0.
 */
const wellTyped = (event: StoredEvent): boolean =>
  [event.sequence, event.version, event.schema, event.ordinal, event.occurredAt, event.recordedAt].every(
    Number.isInteger
  ) &&
  (event.chain === 1
    ? event.commandKey === null && event.names === null
    : event.chain === chainVersion && (isBytes(saltBytes)(event.names) || isBytes(erasedSaltBytes)(event.names))) &&
  (event.commandKey === null || isBytes(32)(event.commandKey)) &&
  [event.stream, event.type, event.actor].every(isText) &&
  [event.payload, event.commandId, event.cause].every((value) => value === null || isText(value)) &&
  [event.digest, event.hash].every(isBytes(32)) &&
  (event.salt === null || isBytes(16)(event.salt)) &&
  (event.requestDigest === null || isBytes(32)(event.requestDigest)) &&
  (event.erasedAt === null || Number.isInteger(event.erasedAt))

const isText = (value: unknown) => typeof value === "string"
const isBytes = (length: number) => (value: unknown) => value instanceof Uint8Array && value.length === length
