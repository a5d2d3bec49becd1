import { writeFileSync } from "node:fs"
import { join } from "node:path"
import { describe, expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { prove } from "../src/erasure/proof/prove.js"
import { fresh, temporaryFolder } from "./support/engine.js"

const versions = 60

describe("an erased file", () => {
  it.scoped("goes with all its older versions, however many there are and whoever they name", () =>
    Effect.gen(function* () {
      const { daybook } = yield* fresh({ vectorExtension: null })
      const memory = yield* daybook.agent("coop", { trust: "full", record: false })
      for (let version = 1; version <= versions; version++) {
        const last = version === versions ? " by Lena Marwick" : ""
        yield* memory.files.add({ path: "notes/tides.md", text: `# Tides\n\nThe tide table ${version}${last}` })
      }
      yield* memory.files.add({ path: "notes/cranes.md", text: "# Cranes\n\nThe crane is red" })
      const planned = yield* daybook.erase({ person: "Lena Marwick" }, { dryRun: true })
      expect(planned.agents.map(({ counts }) => counts.files)).toEqual([versions])
      yield* daybook.erase({ person: "Lena Marwick" })
      yield* daybook.rebuild("coop")
      const found = yield* memory.sessions.search({ text: "table crane", limit: 50 })
      expect(JSON.stringify(found)).toContain("The crane is red")
      expect(JSON.stringify(found)).not.toContain("tide table")
    })
  )
})

describe("the proof of an erasure", () => {
  it.live.each(["émile zola", "Émile Zola", "ÉMILE ZOLA"])("finds bytes in other cases: %s", (written) =>
    Effect.scoped(
      Effect.gen(function* () {
        const folder = yield* temporaryFolder
        writeFileSync(join(folder, "left.bin"), Buffer.concat([Buffer.from([0, 1, 2]), Buffer.from(written)]))
        for (const asked of ["émile zola", "ÉMILE ZOLA"]) {
          expect((yield* prove(folder, [asked])).hits).toHaveLength(1)
        }
      })
    )
  )
})
