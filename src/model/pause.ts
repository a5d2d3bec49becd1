import * as Effect from "effect/Effect"

/** Lets others do something: what waits for the event loop comes before what follows. */
export const pause: Effect.Effect<void> = Effect.async<void>((resume) => void setImmediate(() => resume(Effect.void)))
