import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { rankerVersion } from "../src/search/ranker.js"
import { answerOf, build, daybookIn, lines, newFolder, removeFolders } from "./support/cli.js"

beforeAll(build, 120_000)
afterAll(removeFolders)

describe("daybook recall", () => {
  const folder = newFolder()
  const daybook = daybookIn(folder)
  const asked: Record<string, ReadonlyArray<{ readonly id: string; readonly score: number }>> = {}

  beforeAll(async () => {
    answerOf(await daybook("remember", "Deploys happen on Tuesdays", "--json"))
    answerOf(await daybook("remember", "Alice drinks tea", "--store", "shared", "--json"))
    answerOf(await daybook("add-turn", "monday", "Which harbour do you mean?", "--speaker", "Mira", "--json"))
    // A command records nothing unless it is told to.
    answerOf(await daybook("search", "nothing of this", "--json"))
    asked.deploys = answerOf(await daybook("search", "when do we deploy", "--limit", "5", "--record", "--json"))
    asked.tea = answerOf(await daybook("search", "tea", "--trust", "inner", "--record", "--json"))
    asked.said = answerOf(await daybook("search", "--conversation", "harbour", "--record", "--json"))
  })

  it("list shows the queries, newest first", async () => {
    const rows = answerOf(await daybook("recall", "list", "--json"))
    expect(rows).toMatchObject([
      { number: 3, kind: "conversation", level: "full", text: "harbour", shown: 1 },
      { number: 2, kind: "memories", level: "inner", text: "tea", shown: 1 },
      { number: 1, kind: "memories", level: "full", text: "when do we deploy", shown: 1 }
    ])
    expect(rows[0].askedAt).toMatch(/^\d{4}-\d\d-\d\dT.*Z$/)
    expect(answerOf(await daybook("recall", "list", "--limit", "1", "--offset", "1", "--json"))).toEqual([rows[1]])
    const { stdout } = await daybook("recall", "list")
    expect(lines(stdout)[0]).toMatch(/^number +asked +level +kind +shown +text$/)
    expect(lines(stdout)[3]).toMatch(/^ +1 .* full +memories +1 +when do we deploy$/)
  })

  it("show prints everything an answer depended on, and rerun repeats it", async () => {
    const scored = (name: string) => asked[name]!.map(({ id, score }) => ({ id, score }))
    const shown = answerOf(await daybook("recall", "show", "1", "--json"))
    expect(shown).toMatchObject({ number: 1, filters: { limit: 5 }, hits: scored("deploys"), ranker: rankerVersion })
    expect(shown.embedder).toMatchObject({ dimensions: expect.any(Number) })
    // What it showed is another one by now.
    answerOf(await daybook("update", asked.deploys![0]!.id, "--title", "Deploys happen on Thursdays", "--json"))
    answerOf(await daybook("rebuild", "--json"))
    for (const [index, name] of ["deploys", "tea", "said"].entries()) {
      const again = answerOf(await daybook("recall", "rerun", String(index + 1), "--json"))
      expect(again).toMatchObject({ same: true, differences: [], hits: asked[name] })
      expect(again.recall.hits).toEqual(scored(name))
    }
    const { stdout } = await daybook("recall", "rerun", "1")
    expect(stdout).toContain("same    yes")
    expect(stdout).toContain("Deploys happen on Tuesdays")
    const text = (await daybook("recall", "show", "1")).stdout
    expect(text).toContain("filters   limit 5")
    expect(text).toMatch(/^policy .*; decays \(identity [\d.]+, .*debug [\d.]+\);/m)
    expect(text).not.toContain("[object")
    expect(text).toContain(asked.deploys![0]!.id)
  })

  it("stats and get count recalls", async () => {
    expect(answerOf(await daybook("stats", "--json")).recalls).toEqual({ recorded: 3, waiting: 0, dropped: 0 })
    const [whole] = answerOf(await daybook("get", asked.tea![0]!.id, "--json"))
    expect(whole).toMatchObject({ accesses: 1, lastAccessedAt: expect.stringMatching(/Z$/) })
    expect((await daybook("get", asked.tea![0]!.id)).stdout).toMatch(/^shown +1 time, last /m)
  })
})
