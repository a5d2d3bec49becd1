import * as Effect from "effect/Effect"

/** Yields to the event loop: pending events run before the next step. */
export const yieldToEventLoop: Effect.Effect<void> = Effect.async<void>(
  (resume) => void setImmediate(() => resume(Effect.void))
)
