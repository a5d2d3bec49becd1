import * as Effect from "effect/Effect"
import type { Store } from "../../events/Trust.js"
import type { ObservedTool, ToolObservation } from "../../src/notes/observeTool.js"
import { timestampText } from "../format.js"
import {
  commandIdOption,
  definedFields,
  option,
  parseIsoTime,
  parseNonEmpty,
  parseStore,
  repeatableOption,
  wholeNumberParser
} from "../options.js"
import { awaitVectors } from "../vectors.js"
import { writeLines } from "../writeLines.js"
import type { Command } from "./Command.js"

interface ToolOptions {
  readonly output?: string
  readonly exit?: number
  readonly session?: string
  readonly project?: string
  readonly file?: ReadonlyArray<string>
  readonly store?: Store
  readonly at?: number
  readonly commandId?: string
}

export const observeTool: Command<ToolOptions, readonly [tool: string, input: string | undefined]> = {
  usage: "observe-tool <tool> [input]",
  creates: true,
  summary: "store a run of a tool; '-' reads JSON lines from stdin",
  options: [
    option("--output <text>", "set the output of the tool"),
    option("--exit <code>", "set the exit code", wholeNumberParser(-255, 255)),
    option("--session <key>", "set the session of the run"),
    option("--project <name>", "set the project"),
    repeatableOption("--file <path>", "add a file that the tool read or changed", parseNonEmpty),
    option("--store <store>", "set the store, which limits readers: private, shared or social", parseStore),
    option("--at <time>", "set the time of the run, ISO 8601 (default: now)", parseIsoTime),
    commandIdOption
  ],
  examples: [
    'observe-tool bash "npm test" --exit 1 --output "TypeError: tide is undefined" --session monday',
    "observe-tool - < runs.jsonl"
  ],
  afterInterruption: "every acknowledged line is stored",
  run: (call, { commandId, file, ...options }, [tool, input]) =>
    Effect.gen(function* () {
      const memory = yield* call.memory
      const fields = definedFields({ ...options, files: file })
      if (tool === "-") {
        const exit = yield* Effect.exit(
          writeLines<ToolObservation, ObservedTool>(
            (runs) =>
              Effect.all(runs.map(([run, writeOptions]) => Effect.either(memory.observeTool(run, writeOptions)))),
            call.out,
            fields
          )
        )
        yield* awaitVectors(call)
        return yield* exit
      }
      const observed = yield* memory.observeTool({ ...fields, tool, input }, { commandId })
      yield* awaitVectors(call)
      yield* call.out.show(observed, () => {
        const { expiresAt, id, version } = observed
        const details = [
          ...(version === undefined ? [] : [`version ${version}`]),
          ...(expiresAt === undefined ? [] : [`expires ${timestampText(expiresAt)}`])
        ]
        return `observed ${id}${details.length === 0 ? "" : ` (${details.join(", ")})`}`
      })
    })
}
