import * as Effect from "effect/Effect"
import type { Store } from "../../events/Trust.js"
import { Role } from "../../events/Turn.js"
import type { CapturedMemory } from "../../src/capture/CaptureWriter.js"
import type { AddedTurn } from "../../src/conversation/addTurn.js"
import { decodeTurn, type TurnInput } from "../../src/conversation/turnInput.js"
import {
  commandIdOption,
  definedFields,
  flag,
  oneOfParser,
  option,
  parseIsoTime,
  parseStore,
  wholeNumberParser
} from "../options.js"
import { awaitVectors } from "../vectors.js"
import { writeLines } from "../writeLines.js"
import type { Command } from "./Command.js"

interface TurnOptions {
  readonly role?: Role
  readonly speaker?: string
  readonly channel?: string
  readonly sequence?: number
  readonly store?: Store
  readonly at?: number
  readonly commandId?: string
  /** False with `--no-extract`. */
  readonly extract: boolean
}

export const addTurn: Command<TurnOptions, readonly [session: string, text: string]> = {
  usage: "add-turn <session> <text>",
  creates: true,
  summary: "add a turn to a conversation; '-' reads JSON lines from stdin",
  options: [
    option("--role <role>", "set the role: user, assistant, system, tool (default: user)", oneOfParser(Role.literals)),
    option("--speaker <name>", "set the name of the speaker"),
    option("--channel <name>", "set the channel that the turn comes from"),
    option("--sequence <n>", "set the turn's number; must exceed earlier ones (default: next)", wholeNumberParser(1)),
    option("--store <store>", "set the store, which limits readers: private, shared or social", parseStore),
    option("--at <time>", "set the time of the turn, ISO 8601 (default: now)", parseIsoTime),
    flag("--no-extract", "do not capture memories from this turn"),
    commandIdOption
  ],
  examples: [
    'add-turn monday "Which harbour do you mean?" --speaker Mira',
    'add-turn monday "Emden, of course." --role assistant --at 2026-03-14T09:30:00Z',
    "add-turn monday - < turns.jsonl"
  ],
  afterInterruption: "every acknowledged line is stored",
  run: (call, { commandId, extract, ...options }, [session, text]) =>
    Effect.gen(function* () {
      const fields = { session, ...definedFields(options) }
      // Checked before the data folder is opened, because opening creates it.
      if (text !== "-") yield* decodeTurn({ ...fields, text })
      const memory = yield* call.memory
      if (text === "-") {
        const exit = yield* Effect.exit(writeLines<TurnInput, AddedTurn>(memory.sessions.appendAll, call.out, fields))
        yield* awaitVectors(call)
        return yield* exit
      }
      const added = yield* memory.sessions.append({ ...fields, text }, { commandId, extract })
      // This process ends before background work could run, so the due extraction runs here.
      const later = added.pending === 0 ? undefined : yield* memory.sessions.extract(session, { due: true })
      yield* memory.sessions.refresh(session)
      yield* awaitVectors(call)
      const captured = [...added.captured, ...(later?.captured ?? [])]
      yield* call.out.show({ ...added, pending: later?.pending ?? added.pending, captured }, () => {
        const { sequence, session, version } = added.turn
        const versionText = version === undefined ? "" : ` (version ${version})`
        return [
          `turn ${sequence} of ${session}${versionText}`,
          ...changesOf(captured).map(({ action, id, title }) => `  ${action} ${id}  ${title}`)
        ].join("\n")
      })
    })
}

/** Returns each changed memory of a capture once. A replacement counts as two: one memory is added, another ends. */
const changesOf = (captured: ReadonlyArray<CapturedMemory>): ReadonlyArray<CapturedMemory> => {
  const changes = captured.flatMap(
    (change): ReadonlyArray<CapturedMemory> =>
      change.ended === undefined
        ? [change]
        : [
            { ...change, action: "ADD" },
            { ...change.ended, action: change.action }
          ]
  )
  return changes.filter(({ id }, index) => changes.findIndex((other) => other.id === id) === index)
}
