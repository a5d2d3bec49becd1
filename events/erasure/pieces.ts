import { isYieldDue, type Steps } from "../turns.js"

/** Recognises erased values by their parts. */
export interface PieceMatcher {
  /** True if the bytes contain a part of an erased value. */
  readonly areIn: (bytes: Buffer) => boolean
}

/**
 * Length of a piece. SQLite may have overwritten part of an old copy, so any six bytes of the copy are enough to
 * recognise it. Longer pieces would miss short remainders. Shorter pieces would match by chance.
 */
const pieceBytes = 6

/** Minimum bytes of a value. Values of one or two bytes would match by chance. */
const minValueBytes = 3

/**
 * Minimum number of bytes in a piece that are not zero. Pieces with fewer such bytes occur in every file: in small
 * numbers, and where an empty region begins.
 */
const minOtherBytes = 3

/**
 * The pieces of values. Pieces that also occur in `staying` texts prove nothing and are left out. Undefined if a value
 * is too short to be recognised.
 */
export const makePieceMatcher = function* (
  values: ReadonlyArray<Uint8Array>,
  staying: ReadonlyArray<string>
): Steps<PieceMatcher | undefined> {
  const kept = staying.map((text) => Buffer.from(text))
  const long = new Set<number>()
  const short = new Map<string, Buffer>()
  for (const value of values) {
    if (value.length < minValueBytes) return undefined
    const bytes = Buffer.from(value.buffer, value.byteOffset, value.length)
    if (bytes.length < pieceBytes) short.set(bytes.toString("latin1"), bytes)
    for (let at = 0; at + pieceBytes <= bytes.length; at++) {
      if (isTelling(bytes, at)) long.add(pieceAt(bytes, at))
      if (at % bytesPerCheck === 0 && isYieldDue()) yield
    }
  }
  for (const text of kept) for (let at = 0; at + pieceBytes <= text.length; at++) long.delete(pieceAt(text, at))
  const shorter = [...short.values()].filter((value) => !kept.some((text) => text.includes(value)))
  return {
    areIn: (bytes) => {
      if (isZero(bytes)) return false
      for (let at = 0; at + pieceBytes <= bytes.length; at++) if (long.has(pieceAt(bytes, at))) return true
      return shorter.some((value) => bytes.includes(value))
    }
  }
}

const bytesPerCheck = 1_000

const pieceAt = (bytes: Buffer, at: number): number => bytes.readUIntLE(at, pieceBytes)

const isTelling = (bytes: Buffer, at: number): boolean => {
  let others = 0
  for (let index = at; index < at + pieceBytes; index++) if (bytes[index] !== 0) others++
  return others >= minOtherBytes
}

/** Zeros for comparison, as many as in SQLite's largest page. */
const zeros = Buffer.alloc(65_536)

const isZero = (bytes: Buffer): boolean => bytes.equals(zeros.subarray(0, bytes.length))
