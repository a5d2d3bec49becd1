import { resolve } from "node:path"
import * as Effect from "effect/Effect"
import { Tier } from "../../events/Memory.js"
import type { Memory } from "../../src/Memory.js"
import { decodeObservation, type Observation, type SourceInput } from "../../src/model/input.js"
import type { Remembered } from "../../src/remember/remembered.js"
import { shortenText } from "../../text/normalise/sentences.js"
import { type ContentOptions, contentFromOptions, contentOptions, warnOfPastExpiry } from "../content.js"
import { countText } from "../format.js"
import { loweredFieldsNote } from "../lowered.js"
import { commandIdOption, definedFields, flag, oneOfParser, option, parseSource, repeatableOption } from "../options.js"
import { credentialNote } from "../rows.js"
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
  alias: "add",
  creates: true,
  summary: "store a memory; a repeat counts as another mention",
  details: ["If the title is '-', reads one JSON object per line from stdin."],
  options: [
    ...contentOptions,
    option("--session <key>", "set the session that the memory comes from"),
    option("--channel <name>", "set the channel that the memory comes from"),
    option("--sender <name>", "set the person who made the statement"),
    option("--tier <tier>", "set how long to keep the memory: core, long, mid or daily", oneOfParser(Tier.literals)),
    repeatableOption("--from <kind:id>", "add a source: memory:ID, turn:ID or file:PATH", parseSource),
    flag("--no-reconcile", "store without comparing; detect only exact duplicates"),
    commandIdOption
  ],
  examples: [
    'remember "Deploys happen on Tuesdays" --type decision --tag deploys --at 2025-09-16',
    'remember "Alice prefers tea" --person Alice --fact "no sugar" --store shared',
    "remember - < observations.jsonl"
  ],
  afterInterruption: "every acknowledged line is stored",
  run: (call, options, [title]) =>
    Effect.gen(function* () {
      const { channel, commandId, from, reconcile, sender, session, tier } = options
      const fields = { ...contentFromOptions(options), ...definedFields({ session, channel, sender, tier, from }) }
      // Checked before the data folder is opened, because opening creates it.
      if (title !== "-") yield* decodeObservation({ title, ...fields })
      const memory = yield* call.memory
      if (title === "-") {
        const rememberAll: typeof memory.rememberAll = (inputs) =>
          memory.rememberAll(
            inputs.map((input) => ("title" in input ? [input, { reconcile }] : [input[0], { ...input[1], reconcile }]))
          )
        const exit = yield* Effect.exit(writeLines<Observation, Remembered>(rememberAll, call.out, fields))
        yield* awaitVectors(call)
        return yield* exit
      }
      const settings = { commandId, reconcile }
      // A library caller may have indexed a file under a name that is not a path on this disk.
      const remembered = yield* Effect.catchTag(
        memory.remember({ title, ...fields }, settings),
        "SourceNotFound",
        (error) =>
          error.kind === "file" && resolve(error.id) !== error.id
            ? memory.remember({ title, ...fields, from: (from ?? []).map(withFullPath) }, settings)
            : error
      )
      yield* awaitVectors(call)
      const known = yield* knownTitle(memory, remembered)
      if (remembered.outcome === "added" || remembered.outcome === "replaced")
        yield* warnOfPastExpiry(remembered.id, options.expires)
      const note = [
        credentialNote(remembered),
        remembered.partlyIndexed === true ? ". It is too long: search finds only its beginning." : ""
      ].join("")
      const lowered = loweredFieldsNote(remembered, call.trust)
      yield* call.out.show(remembered, () => {
        const versionText = remembered.version === undefined ? "" : ` (version ${remembered.version})`
        const mentioned = `mentioned ${countText(remembered.mentions, "time")}`
        switch (remembered.outcome) {
          case "added":
            return `added ${remembered.id}${versionText}${disputing(remembered)}${note}${lowered}`
          case "merged":
            return `merged into ${remembered.id}${known}, ${mentioned}${versionText}${note}${lowered}`
          case "replaced":
            return `added ${remembered.id} in place of ${remembered.replaced}${versionText}${disputing(remembered)}${note}${lowered}`
          default:
            return `known as ${remembered.id}${known}, ${mentioned}${versionText}${ignored(remembered)}${note}`
        }
      })
    })
}

/** The title of the memory that stands for the new one, in brackets; empty if it has the same title. */
const knownTitle = (memory: Memory, { id, notTaken = [], outcome }: Remembered) =>
  outcome === "merged" || (outcome === "mentioned" && notTaken.includes("title"))
    ? Effect.map(memory.get([id]), ([found]) =>
        found === undefined ? "" : ` ("${shortenText(found.title, maxTitle)}")`
      )
    : Effect.succeed("")
const maxTitle = 80

const withFullPath = ({ id, kind }: SourceInput): SourceInput => ({ kind, id: kind === "file" ? resolve(id) : id })

/** Lists the memories that the new one contradicts. They stay active until somebody settles the contradiction. */
const disputing = ({ disputes = [], id }: Remembered): string =>
  disputes.length === 0
    ? ""
    : `. Disputes ${disputes.join(", ")}; settle it with 'daybook decide ${id} keep', 'replace' or 'both'`

/** Lists the fields that were ignored because the memory was a repeat. The caller might expect them to be stored. */
const ignored = ({ id, notTaken }: Remembered): string =>
  notTaken === undefined ? "" : `. Ignored: ${notTaken.join(", ")}; use 'daybook update ${id}' to change the memory`
