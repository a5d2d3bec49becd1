import * as Either from "effect/Either"
import type { Payload } from "../../events/catalogue.js"
import { type Command, runCause } from "../actor/Command.js"

/** Makes the command that records an import: its files and the counts of its outcomes. */
export const recordImport = (actor: string, payload: Payload<"IMPORT">, run: string): Command<number, never> => ({
  actor,
  cause: runCause(run),
  request: () => "",
  decide: () => Either.right({ events: [{ type: "IMPORT", payload }] }),
  answer: ([event]) => event?.version ?? 0
})
