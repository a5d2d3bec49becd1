import { isDeepStrictEqual } from "node:util"
import * as Effect from "effect/Effect"
import type { HistoryEntry } from "../../src/history.js"
import { actorText, oneLine, timestampText } from "../format.js"
import { type AsOfOptions, asOfOption } from "../options.js"
import type { Colours } from "../terminalText.js"
import type { Command } from "./Command.js"

export const history: Command<AsOfOptions, readonly [id: string]> = {
  usage: "history <id>",
  summary: "list the versions of a memory: what changed, when, by whom and why",
  options: [asOfOption],
  examples: ["history 8k2v0q5w1x"],
  needsNoRules: true,
  run: ({ out, reader }, { asOf }, [id]) =>
    Effect.gen(function* () {
      const memory = yield* reader(asOf)
      const entries = yield* memory.history(id)
      yield* out.show(entries, () =>
        entries.map((entry, index) => entryText(entry, entries[index - 1], out.colours)).join("\n")
      )
    })
}

const entryText = (entry: HistoryEntry, before: HistoryEntry | undefined, colours: Colours): string => {
  const { actor, decision, memory, recordedAt, revision, type, version } = entry
  const versionText = version === undefined ? "" : `  version ${version}`
  const head = `${colours.bold(`${revision}${versionText}`)}  ${timestampText(recordedAt)}  ${colours.cyan(type)} by ${actorText(actor)}`
  const reasonLines = decision === null ? [] : [`   ${colours.dim(`${decision.by.name}: ${oneLine(decision.reason)}`)}`]
  return [head, ...reasonLines, ...changes(memory, before?.memory, colours).map((line) => `   ${line}`)].join("\n")
}

/** Fields that change with every version, or that the line above already shows. */
const hiddenFields = new Set(["updatedAt", "createdAt", "lastMentionedAt", "tokens", "lineage", "id"])

/** The title of the first version, or the changed fields of a later one. */
const changes = (
  memory: HistoryEntry["memory"],
  before: HistoryEntry["memory"] | undefined,
  colours: Colours
): ReadonlyArray<string> => {
  if (before === undefined) return [`title: ${oneLine(memory.title)}`]
  const [now, then] = [
    new Map<string, unknown>(Object.entries(memory)),
    new Map<string, unknown>(Object.entries(before))
  ]
  return [...new Set([...then.keys(), ...now.keys()])]
    .filter((field) => !hiddenFields.has(field) && !isDeepStrictEqual(now.get(field), then.get(field)))
    .flatMap((field) => [
      colours.red(`- ${field}: ${valueText(then.get(field))}`),
      colours.green(`+ ${field}: ${valueText(now.get(field))}`)
    ])
}

const valueText = (value: unknown): string => {
  if (value === undefined) return "(none)"
  return oneLine(typeof value === "string" ? value : JSON.stringify(value))
}
