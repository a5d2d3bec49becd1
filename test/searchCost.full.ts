import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { answerOf, build, bundle, daybookIn, newFolder, removeFolders, run } from "./support/cli.js"

beforeAll(build, 120_000)
afterAll(removeFolders)

describe("a search in its own process", () => {
  it("prints its CPU seconds", async () => {
    const folder = newFolder()
    answerOf(await daybookIn(folder)("remember", "Deploys happen on Tuesdays", "--json"))
    const shell = `for i in 1 2 3; do ${process.execPath} ${bundle} --data ${folder} search deploys >/dev/null; done; times`
    const { code, stdout } = await run("sh", ["-c", shell])
    expect(code).toBe(0)
    const [user, system] = [...stdout.matchAll(/(\d+)m([\d.]+)s/g)]
      .slice(-2)
      .map(([, m, s]) => Number(m) * 60 + Number(s))
    console.log(`daybook search: ${(((user ?? 0) + (system ?? 0)) / 3).toFixed(3)} s CPU`)
  })
})
