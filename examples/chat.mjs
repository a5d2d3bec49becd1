// Adds a conversation of three sessions turn by turn. Prints what was captured and, after a user turn, the next prompt.
// From a checkout: npm run build && node examples/chat.mjs
import { mkdtempSync, readFileSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { Daybook, Prompt } from "daybook"
import { Effect } from "effect"

const sessions = JSON.parse(readFileSync(new URL("chat.json", import.meta.url), "utf8"))

const program = Effect.gen(function* () {
  const daybook = yield* Daybook
  const memory = yield* daybook.agent("assistant", { trust: "full" })
  for (const { session, turns } of sessions) {
    console.log(`\n##### session ${session}`)
    for (const [role, text] of turns) {
      console.log(`\n${role}: ${text}`)
      const { captured } = yield* memory.sessions.append({ session, role, text })
      for (const { action, title } of captured) console.log(`  -> ${action}: ${title}`)
      if (role === "user") console.log(`\n${Prompt.text(yield* memory.context({ session }))}`)
    }
  }
})

const folder = mkdtempSync(join(tmpdir(), "daybook-chat-"))
try {
  await Effect.runPromise(program.pipe(Effect.provide(Daybook.layer({ folder }))))
} finally {
  rmSync(folder, { recursive: true })
}
