import * as Effect from "effect/Effect"
import { refusalError } from "../exit.js"
import { option } from "../options.js"
import { fieldsTable } from "../table.js"
import type { Command } from "./Command.js"

export const rebuild: Command<{ readonly check?: boolean }, readonly [projections: ReadonlyArray<string>]> = {
  usage: "rebuild [projection...]",
  summary: "rebuild an agent's view from its log: all or the named projections",
  operator: true,
  options: [option("--check", "compare the view with its log; change nothing")],
  examples: ["rebuild", "rebuild people vectors", "rebuild --check"],
  afterInterruption: "the view was not changed; run the same command again",
  run: ({ agent, daybook, out }, { check }, [named]) =>
    Effect.gen(function* () {
      const opened = yield* daybook
      const projections = named.length === 0 ? undefined : named
      let events = 0
      const onProgress = ({ done, total }: { readonly done: number; readonly total: number }) => {
        events = total
        out.progress(done, total)
      }
      if (check !== true) {
        yield* opened.rebuild(agent, projections, onProgress)
        return yield* out.show({ agent, events }, () =>
          fieldsTable(out, [
            ["agent", agent],
            ["events", events]
          ])
        )
      }
      const { differences, equal } = yield* opened.compareView(agent, projections, onProgress)
      yield* out.show({ agent, events, equal, differences }, () =>
        fieldsTable(out, [
          ["agent", agent],
          ["events", events],
          ["equal", equal ? "yes" : "no"],
          ...(equal ? [] : [["differences", differences.join(", ")] as const])
        ])
      )
      if (!equal) return yield* refusalError("the view differs from its log: run 'daybook rebuild'")
    })
}
