import * as Effect from "effect/Effect"
import { refusalError } from "../exit.js"
import { countText } from "../format.js"
import type { Command } from "./Command.js"

export const backfill: Command = {
  usage: "backfill",
  summary: "create the missing embeddings",
  operator: true,
  afterInterruption: "the stored embeddings stay; run the same command again to continue",
  run: ({ agent, daybook, out }) =>
    Effect.gen(function* () {
      const { embedded, error, remaining } = yield* Effect.flatMap(daybook, (opened) => opened.backfill(agent))
      yield* out.show(
        { embedded, remaining, ...(error === undefined ? {} : { error: error.message }) },
        () => `${countText(embedded, "memory", "memories")} embedded, ${remaining} remaining`
      )
      if (error !== undefined) return yield* refusalError(error.message)
    })
}
