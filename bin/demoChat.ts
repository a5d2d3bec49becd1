import { readFileSync } from "node:fs"
import * as Effect from "effect/Effect"
import type { Role } from "../events/Turn.js"
import type { AppendedTurn } from "../src/capture/CaptureWriter.js"
import type { PromptContext } from "../src/context/ContextReader.js"
import type { Call } from "./commands/Command.js"
import { demoRunner } from "./demoRunner.js"

/** An invented conversation. In the package, `examples/` is next to `dist/`. */
const conversation = new URL("../examples/chat.json", import.meta.url)

interface Session {
  readonly session: string
  readonly turns: ReadonlyArray<readonly [role: Role, text: string]>
  /** Texts that the last prompt of the session must contain, and texts that it must not contain any more. */
  readonly known: ReadonlyArray<string>
  readonly gone: ReadonlyArray<string>
}

/** Adds the conversation turn by turn, and prints the next prompt after each turn of the user. */
export const chatDemo = (call: Call, folder: string) =>
  Effect.gen(function* () {
    const { daybook, heading, must, steps } = demoRunner(call, folder)
    const sessions = JSON.parse(readFileSync(conversation, "utf8")) as ReadonlyArray<Session>
    for (const { gone, known, session, turns } of sessions) {
      yield* heading(`Session ${session}`)
      let prompt = ""
      for (const [role, text] of turns) {
        yield* daybook<AppendedTurn>("add-turn", session, text, "--role", role)
        if (role !== "user") continue
        const { system, user } = yield* daybook<PromptContext>("get-context", session)
        prompt = `${system}\n${user}`
      }
      for (const text of known) yield* must(prompt.includes(text), `the prompt knows "${text}"`)
      for (const text of gone) yield* must(!prompt.includes(text), `the prompt no longer says "${text}"`)
    }
    return steps
  })
