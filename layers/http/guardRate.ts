/** A token bucket for each key: it permits `rate` calls per second on average, and up to `burst` calls at once. */
export interface RateLimiter {
  /** Takes one permit. If none is left, returns the seconds until the next permit. */
  readonly take: (key: string, now: number) => number | undefined
}

/** Above this number of keys, keys with a full bucket are removed. */
const maxKeys = 1_000

export const makeRateLimiter = ({ burst, rate }: { readonly burst: number; readonly rate: number }): RateLimiter => {
  const buckets = new Map<string, { left: number; at: number }>()
  const refilled = (bucket: { left: number; at: number }, now: number) =>
    Math.min(burst, bucket.left + ((now - bucket.at) / 1_000) * rate)
  return {
    take: (key, now) => {
      const bucket = buckets.get(key) ?? { left: burst, at: now }
      bucket.left = refilled(bucket, now)
      bucket.at = now
      buckets.set(key, bucket)
      if (buckets.size > maxKeys) {
        for (const [name, other] of buckets) if (refilled(other, now) >= burst) buckets.delete(name)
      }
      if (bucket.left < 1) return Math.max(1, Math.ceil((1 - bucket.left) / rate))
      bucket.left--
      return undefined
    }
  }
}

/** Counts requests in progress, for each key and in total. */
export interface RequestCounter {
  readonly total: () => number
  readonly of: (key: string) => number
  readonly enter: (key: string) => () => void
}

export const makeRequestCounter = (): RequestCounter => {
  const counts = new Map<string, number>()
  let total = 0
  return {
    total: () => total,
    of: (key) => counts.get(key) ?? 0,
    enter: (key) => {
      total++
      counts.set(key, (counts.get(key) ?? 0) + 1)
      let hasLeft = false
      return () => {
        if (hasLeft) return
        hasLeft = true
        total--
        const left = counts.get(key)! - 1
        if (left === 0) counts.delete(key)
        else counts.set(key, left)
      }
    }
  }
}
