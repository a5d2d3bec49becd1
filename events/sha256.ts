import { hash } from "node:crypto"

/**
 * One call of `hash` is faster than `createHash` with several updates. Its result is a binary string, because that is
 * faster than a buffer: `Buffer.from` takes small buffers from a pool.
 */
export const sha256 = (bytes: Uint8Array | string): Buffer => Buffer.from(hash("sha256", bytes, "binary"), "binary")
