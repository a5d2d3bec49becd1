import * as Effect from "effect/Effect"
import { refused } from "../exit.js"
import { option } from "../options.js"
import { fields } from "../table.js"
import type { Command } from "./Command.js"

export const rebuild: Command<{ readonly check?: boolean }, readonly [projections: ReadonlyArray<string>]> = {
  usage: "rebuild [projection...]",
  summary: "rebuild an agent's view from its log: all or the named projections",
  operator: true,
  options: [option("--check", "fail unless the digest of the view is unchanged")],
  examples: ["rebuild", "rebuild people vectors", "rebuild --check"],
  afterInterruption: "the view stays as it was; run the same command again",
  run: ({ agent, daybook, out }, { check }, [projections]) =>
    Effect.gen(function* () {
      const opened = yield* daybook
      const digest = Effect.map(opened.digests(agent), (digests) => digests.digest)
      const before = check === true ? yield* digest : undefined
      let events = 0
      yield* opened.rebuild(agent, projections.length === 0 ? undefined : projections, ({ done, total }) => {
        events = total
        out.progress(done, total)
      })
      const after = check === true ? yield* digest : undefined
      const compared = before === undefined ? {} : { before, after, equal: before === after }
      yield* out.show({ agent, events, ...compared }, () =>
        fields(out, [
          ["agent", agent],
          ["events", events],
          ...(before === undefined || after === undefined
            ? []
            : ([
                ["before", before],
                ["after", after],
                ["equal", before === after ? "yes" : "no"]
              ] as const))
        ])
      )
      if (before !== after) return yield* refused("the rebuilt view differs from the old one")
    })
}
