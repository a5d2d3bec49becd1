import * as Effect from "effect/Effect"
import type { Call } from "./commands/Command.js"

/**
 * Waits up to 10 seconds until new texts are embedded, so that vector search finds them. The write has already
 * succeeded. If this wait fails or times out, the next process that writes embeds the rest, or `daybook backfill` does.
 */
export const awaitVectors = ({ agent, daybook }: Call) =>
  Effect.flatMap(daybook, ({ backfill }) => backfill(agent)).pipe(
    Effect.disconnect,
    Effect.timeout("10 seconds"),
    Effect.ignore
  )
