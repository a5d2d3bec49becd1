import { writeSync } from "node:fs"
import * as Effect from "effect/Effect"
import * as ManagedRuntime from "effect/ManagedRuntime"
import * as Default from "../../layers/Default.js"
import { Daybook } from "../../src/Daybook.js"
import { defaults } from "../../src/ports/Policy.js"

// A program that only waits for its own promises: loops write one memory after the other until SIGTERM closes the
// engine. At its end it prints the titles whose writes were answered.

const [folder, name] = process.argv.slice(2)
if (folder !== undefined) {
  const runtime = ManagedRuntime.make(Default.layer({ folder, policy: defaults }))
  process.once("SIGTERM", () => void runtime.dispose())
  const memory = await runtime.runPromise(Effect.flatMap(Daybook, ({ agent }) => agent("shared", { trust: "full" })))
  const answered: Array<string> = []
  const write = async (lane: number) => {
    for (let count = 0; ; count++) {
      const title = `written by ${name}, lane ${lane}, ${count}`
      await runtime.runPromise(memory.remember({ title }))
      answered.push(title)
      if (answered.length === 1) writeSync(1, "at work\n")
    }
  }
  await Promise.allSettled([1, 2, 3].map(write))
  writeSync(1, `${JSON.stringify(answered)}\n`)
}
