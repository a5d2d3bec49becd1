import { hash } from "node:crypto"

/**
 * One call of `hash` is faster than `createHash` with several updates. Its result is a binary string, because that is
 * faster than a buffer: `Buffer.from` takes small buffers from a pool.
 */
export const sha256 = (bytes: Uint8Array | string): Buffer => Buffer.from(hash("sha256", bytes, "binary"), "binary")

/** The SHA-256 of a text in hexadecimal digits. */
export const sha256Hex = (text: string): string => hash("sha256", text, "hex")

/** Holds the joined parts. A new buffer for each input would make V8 collect garbage more often. */
const joined = Buffer.allocUnsafeSlow(64 << 10)

/** The SHA-256 of parts after one another. A text counts as its bytes in UTF-8. */
export const sha256OfParts = (...parts: ReadonlyArray<Uint8Array | string>): Buffer => {
  let length = 0
  for (const part of parts) {
    // A unit of UTF-16 has up to three bytes in UTF-8.
    const bound = typeof part === "string" ? 3 * part.length : part.length
    if (length + bound > joined.length) return sha256(Buffer.concat(parts.map(bytesOf)))
    if (typeof part === "string") length += joined.write(part, length)
    else {
      joined.set(part, length)
      length += part.length
    }
  }
  return sha256(joined.subarray(0, length))
}

const bytesOf = (part: Uint8Array | string): Uint8Array => (typeof part === "string" ? Buffer.from(part) : part)
