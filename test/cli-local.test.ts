import { writeFileSync } from "node:fs"
import { join } from "node:path"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { answerOf, build, daybookIn, newFolder, refusal, removeFolders } from "./support/cli.js"
import { writeBert } from "./support/tinyBert.js"

const folder = newFolder()
const model = writeBert(join(newFolder(), "all-MiniLM-L6-v2"))
const daybook = daybookIn(folder)

beforeAll(build, 180_000)
afterAll(removeFolders)

describe("an encoder in a folder, on the command line", () => {
  it("embeds texts, and is calibrated with labelled questions", async () => {
    writeFileSync(join(folder, "policy.toml"), `[embedding]\nembedder = "local/${model}"\n`)
    const ids: Array<string> = []
    for (const title of ["green tea", "the ferry crane", "we deploy on tuesdays"]) {
      ids.push(answerOf(await daybook("remember", title, "--no-reconcile", "--json")).id)
    }
    const { inForce } = answerOf(await daybook("embed", "status", "--json"))
    expect(inForce).toMatchObject({ dimensions: 32, embedded: 3, lacking: 0, weight: 0.5 })
    expect(inForce.model).toMatch(/^local\/\/.*\/all-MiniLM-L6-v2#[0-9a-f]{10}$/)

    const questions = join(folder, "questions.jsonl")
    const asked = ["tea", "crane", "deploy"].map((query, at) => JSON.stringify({ query, ids: [ids[at]] }))
    writeFileSync(questions, asked.join("\n"))
    const found = answerOf(await daybook("embed", "calibrate", "--questions", questions, "--json"))
    expect(found).toMatchObject({ model: inForce.model, dimensions: 32, used: 0.5, from: 3, by: "labels" })
    expect(found.curve.length).toBe(21)
    const { stdout } = await daybook("embed", "calibrate", "--questions", questions)
    expect(stdout).toContain("3, labelled")
    expect(stdout).toContain("NDCG@10 by weight")
    const { stdout: unlabelled } = await daybook("embed", "calibrate")
    expect(unlabelled).toMatch(/questions +0, from searches after which a memory was opened\nweight +0.5, unchanged/)
    expect(refusal(await daybook("embed", "calibrate", "--with", "hash"))).toEqual({
      code: 1,
      line: "daybook: there is no index of hash-256-v1, 256 dimensions: run 'daybook embed status' to list the indexes"
    })
  })
})
