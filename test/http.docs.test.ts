import { execFile } from "node:child_process"
import { promisify } from "node:util"
import { describe, expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as RuleExtractor from "../layers/RuleExtractor.js"
import { readPage } from "./support/docs.js"
import { startServer } from "./support/httpServer.js"

const run = promisify(execFile)
const blocks = readPage("docs/http.md").blocks.filter(({ meta }) => meta === "norun:run-by-http-docs-test")

/** Whether a text is what the page shows: `…` stands for anything, and ids and versions differ. */
const expectShown = (shown: string, printed: string) => {
  const pattern = shown
    .split("…")
    .map((part) => part.replace(/[.*+?^${}()|[\]\\]/g, "\\$&").replace(/"[0-9a-z]{10}"/g, '"[0-9a-z]{10}"'))
    .join("[\\s\\S]*?")
  expect(printed.trim()).toMatch(new RegExp(`^${pattern}$`))
}

describe("docs/http.md", () => {
  it.scopedLive("shows curl lines that a server answers as the page says", () =>
    Effect.gen(function* () {
      const { tokenFor, url } = yield* startServer({ engine: { extractor: RuleExtractor.layer } })
      const { text: token } = yield* tokenFor("coop", "full")
      const ids = new Map<string, string>()
      expect(blocks.length).toBeGreaterThan(6)
      for (const [index, block] of blocks.entries()) {
        if (block.language !== "sh") continue
        const shown = blocks[index + 1]!
        const outputs: Array<string> = []
        for (const line of block.text.split("\n")) {
          const command = line
            .replaceAll("http://127.0.0.1:8787", url)
            .replace(/\b[0-9a-z]{10}\b/g, (word) => ids.get(word) ?? word)
          const { stdout } = yield* Effect.promise(() =>
            run("sh", ["-c", command], { env: { ...process.env, TOKEN: token } })
          )
          outputs.push(stdout.trimEnd())
          // Later lines use the id that the page shows as the answer to the first one.
          const [shownId, realId] = [shown.text, outputs[0]!].map((text) => /(?<="id":")[0-9a-z]{10}/.exec(text)?.[0])
          if (shownId !== undefined && realId !== undefined) ids.set(shownId, realId)
        }
        expectShown(shown.text, outputs.join("\n"))
      }
    })
  )
})
