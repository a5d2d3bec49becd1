import * as Effect from "effect/Effect"
import { Tier } from "../../events/Memory.js"
import type { Remembered } from "../../src/commands/remember.js"
import type { Observation } from "../../src/input.js"
import { type ContentOptions, contentOf, contentOptions } from "../content.js"
import { count } from "../format.js"
import { among, commandId, given, one } from "../options.js"
import { awaitVectors } from "../vectors.js"
import { writeLines } from "../writeLines.js"
import type { Command } from "./Command.js"

interface RememberOptions extends ContentOptions {
  readonly session?: string
  readonly channel?: string
  readonly sender?: string
  readonly tier?: Tier
  readonly commandId?: string
}

export const remember: Command<RememberOptions, readonly [title: string]> = {
  usage: "remember <title>",
  summary: "store a memory, or count another mention of one that is there; - reads JSON lines from stdin",
  options: [
    ...contentOptions,
    one("--session <key>", "the session that it comes from"),
    one("--channel <name>", "the channel that it comes from"),
    one("--sender <name>", "who said it"),
    one("--tier <tier>", "how long it is meant to last: core, long, mid or daily", among(Tier.literals)),
    commandId
  ],
  examples: [
    'remember "Deploys happen on Tuesdays" --type decision --tag deploys --at 2025-09-16',
    'remember "Alice prefers tea" --person Alice --fact "no sugar" --store shared',
    "remember - < observations.jsonl"
  ],
  run: (call, options, [title]) =>
    Effect.gen(function* () {
      const { channel, commandId, sender, session, tier } = options
      const fields = { ...contentOf(options), ...given({ session, channel, sender, tier }) }
      const memory = yield* call.memory
      if (title === "-") {
        const done = yield* Effect.exit(writeLines<Observation, Remembered>(memory.rememberAll, call.out, fields))
        yield* awaitVectors(call)
        return yield* done
      }
      const done = yield* memory.remember({ title, ...fields }, { commandId })
      yield* awaitVectors(call)
      yield* call.out.show(done, () => {
        const place = done.version === undefined ? "" : ` (version ${done.version})`
        return done.outcome === "added"
          ? `added ${done.id}${place}`
          : `known as ${done.id}, mentioned ${count(done.mentions, "time")}${place}${ignored(done)}`
      })
    })
}

/** Whoever says more about what is known would think that it was taken. */
const ignored = ({ id, notTaken }: Remembered): string =>
  notTaken === undefined ? "" : `; not taken: ${notTaken.join(", ")} ('daybook update ${id}' changes what is there)`
