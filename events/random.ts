import { randomFillSync } from "node:crypto"

const pool = Buffer.allocUnsafe(4_096)
let used = pool.length

/** Cryptographically random bytes. Drawn from the system in larger portions: many small draws cost more than a hash. */
export const randomBytes = (size: number): Buffer => {
  if (used + size > pool.length) {
    randomFillSync(pool)
    used = 0
  }
  const bytes = Buffer.from(pool.subarray(used, used + size))
  used += size
  return bytes
}
