import { randomFillSync } from "node:crypto"

const pool = Buffer.allocUnsafe(4_096)
let usedBytes = pool.length

/**
 * Cryptographically random bytes. They are read from the system 4 kB at a time, because each small read costs more than
 * a hash.
 */
export const randomBytes = (size: number): Buffer => {
  if (usedBytes + size > pool.length) {
    randomFillSync(pool)
    usedBytes = 0
  }
  const bytes = Buffer.from(pool.subarray(usedBytes, usedBytes + size))
  usedBytes += size
  return bytes
}
