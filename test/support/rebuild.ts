import { expect } from "@effect/vitest"
import * as Effect from "effect/Effect"
import type { Daybook } from "../../src/Daybook.js"

/**
 * Expects that a rebuild from the log changes nothing in the view. Background work, such as new vectors and recorded
 * recalls, may add an event in between: then it compares again. The versions are the view's own: the log has an event
 * shortly before the view shows it.
 */
export const expectSameAfterRebuild = (daybook: Daybook["Type"], agent: string) =>
  Effect.gen(function* () {
    for (let tries = 5; ; tries--) {
      const before = yield* daybook.stats(agent)
      const live = yield* daybook.digests(agent)
      yield* daybook.rebuild(agent)
      const rebuilt = yield* daybook.digests(agent)
      const after = yield* daybook.stats(agent)
      if (after.version !== before.version && tries > 0) continue
      expect(rebuilt).toEqual(live)
      return
    }
  })
