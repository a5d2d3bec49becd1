import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"

/** A clock that stands where it is put. */
export interface SetClock {
  readonly layer: Layer.Layer<never>
  readonly set: (instant: number) => Effect.Effect<void>
}

/**
 * What time it is, is set; pauses and time-outs last as long as they do. So a year goes by in minutes, and nothing that
 * is under way is given up because a day went by meanwhile.
 */
export const make = (instant: number): SetClock => {
  let now = instant
  const real = Clock.make()
  const clock: Clock.Clock = {
    [Clock.ClockTypeId]: Clock.ClockTypeId,
    unsafeCurrentTimeMillis: () => now,
    unsafeCurrentTimeNanos: () => BigInt(now) * 1_000_000n,
    currentTimeMillis: Effect.sync(() => now),
    currentTimeNanos: Effect.sync(() => BigInt(now) * 1_000_000n),
    sleep: (duration) => real.sleep(duration)
  }
  return {
    layer: Layer.setClock(clock),
    set: (instant) =>
      Effect.sync(() => {
        now = Math.max(now, instant)
      })
  }
}
