import * as Effect from "effect/Effect"
import type { Call } from "./commands/Command.js"

/**
 * Waits until what was written can also be found by likeness. A write is done
 * before that: what fails here, or takes longer than 10 seconds, is made up for
 * by the next process that writes, or by `daybook backfill`.
 */
export const awaitVectors = ({ agent, daybook }: Call) =>
  Effect.flatMap(daybook, (one) => one.backfill(agent)).pipe(
    Effect.disconnect,
    Effect.timeout("10 seconds"),
    Effect.ignore
  )
