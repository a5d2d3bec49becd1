import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"

/** A clock whose time changes only by `set`. */
export interface SetClock {
  readonly layer: Layer.Layer<never>
  readonly set: (instant: number) => Effect.Effect<void>
}

/**
 * Only `set` changes the current time; sleeps and time-outs use real time. So a simulated year takes minutes, and no
 * work times out because the clock jumped by a day.
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
