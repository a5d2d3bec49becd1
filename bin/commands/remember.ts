import { resolve } from "node:path"
import * as Effect from "effect/Effect"
import { Tier } from "../../events/Memory.js"
import type { Observation, SourceInput } from "../../src/model/input.js"
import type { Remembered } from "../../src/remember/remember.js"
import { type ContentOptions, contentOf, contentOptions } from "../content.js"
import { count } from "../format.js"
import { among, commandId, flag, given, many, one, sourceOf } from "../options.js"
import { awaitVectors } from "../vectors.js"
import { writeLines } from "../writeLines.js"
import type { Command } from "./Command.js"

interface RememberOptions extends ContentOptions {
  readonly session?: string
  readonly channel?: string
  readonly sender?: string
  readonly tier?: Tier
  readonly commandId?: string
  readonly reconcile: boolean
  readonly from?: ReadonlyArray<SourceInput>
}

export const remember: Command<RememberOptions, readonly [title: string]> = {
  usage: "remember <title>",
  creates: true,
  summary: "store a memory, or count another mention of one that is there; - reads JSON lines from stdin",
  options: [
    ...contentOptions,
    one("--session <key>", "the session that it comes from"),
    one("--channel <name>", "the channel that it comes from"),
    one("--sender <name>", "who said it"),
    one("--tier <tier>", "how long it is meant to last: core, long, mid or daily", among(Tier.literals)),
    many("--from <kind:id>", "what it was made of: memory:ID, turn:ID or file:PATH", sourceOf),
    flag("--no-reconcile", "store it as it is: only an exact duplicate is found"),
    commandId
  ],
  examples: [
    'remember "Deploys happen on Tuesdays" --type decision --tag deploys --at 2025-09-16',
    'remember "Alice prefers tea" --person Alice --fact "no sugar" --store shared',
    "remember - < observations.jsonl"
  ],
  run: (call, options, [title]) =>
    Effect.gen(function* () {
      const { channel, commandId, from, reconcile, sender, session, tier } = options
      const fields = { ...contentOf(options), ...given({ session, channel, sender, tier, from }) }
      const memory = yield* call.memory
      if (title === "-") {
        const asAsked: typeof memory.rememberAll = (all) =>
          memory.rememberAll(
            all.map((one) => ("title" in one ? [one, { reconcile }] : [one[0], { ...one[1], reconcile }]))
          )
        const done = yield* Effect.exit(writeLines<Observation, Remembered>(asAsked, call.out, fields))
        yield* awaitVectors(call)
        return yield* done
      }
      const settings = { commandId, reconcile }
      // A program may have given a file another name than its place on this disk.
      const done = yield* Effect.catchTag(memory.remember({ title, ...fields }, settings), "SourceNotFound", (error) =>
        error.kind === "file" && resolve(error.id) !== error.id
          ? memory.remember({ title, ...fields, from: (from ?? []).map(placed) }, settings)
          : error
      )
      yield* awaitVectors(call)
      const kept =
        done.confined === true ? "; kept as type credential in store private: it holds what lets somebody in" : ""
      yield* call.out.show(done, () => {
        const place = done.version === undefined ? "" : ` (version ${done.version})`
        const mentioned = `mentioned ${count(done.mentions, "time")}`
        switch (done.outcome) {
          case "added":
            return `added ${done.id}${place}${kept}`
          case "merged":
            return `merged into ${done.id}, ${mentioned}${place}${kept}`
          case "replaced":
            return `added ${done.id} in place of ${done.replaced}${place}${kept}`
          default:
            return `known as ${done.id}, ${mentioned}${place}${ignored(done)}${kept}`
        }
      })
    })
}

const placed = ({ id, kind }: SourceInput): SourceInput => ({ kind, id: kind === "file" ? resolve(id) : id })

/** Whoever says more about what is known would think that it was taken. */
const ignored = ({ id, notTaken }: Remembered): string =>
  notTaken === undefined ? "" : `; not taken: ${notTaken.join(", ")} ('daybook update ${id}' changes what is there)`
