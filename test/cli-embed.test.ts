import { writeFileSync } from "node:fs"
import { join } from "node:path"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import type { Compared, EmbedderStatus, Switched } from "../src/embedding/admin/EmbedderOperations.js"
import { answerOf, build, daybookIn, lines, newFolder, refusal, removeFolders } from "./support/cli.js"
import { unknownName } from "./support/embedderNames.js"

beforeAll(build, 120_000)
afterAll(removeFolders)

describe("daybook embed", () => {
  it("prepares, compares, switches, goes back and drops", async () => {
    const folder = newFolder()
    const daybook = daybookIn(folder)
    const asked = async <A>(...args: ReadonlyArray<string>) => answerOf(await daybook("embed", ...args, "--json")) as A
    for (const title of ["Deploys happen on Tuesdays", "The pilot keeps the rope"]) {
      answerOf(await daybook("remember", title, "--json"))
    }
    const [hit] = answerOf(await daybook("search", "deploys", "--record", "--json")) as ReadonlyArray<{ id: string }>
    expect(await asked<EmbedderStatus>("status")).toMatchObject({
      inForce: { model: "glove-100-v1", embedded: 2, lacking: 0 },
      preparing: null
    })
    const empty = newFolder()
    const other = { env: { DAYBOOK_POLICY: join(empty, "openai.toml"), OPENAI_API_KEY: "" } }
    writeFileSync(other.env.DAYBOOK_POLICY, '[embedding]\nembedder = "openai"\n')
    answerOf(await daybookIn(empty, other)("remember", "tea", "--store", "social", "--json"))
    expect(answerOf(await daybookIn(empty, other)("embed", "status", "--json"))).toMatchObject({
      inForce: { embedded: 0, lacking: 1 },
      failure: expect.stringContaining("OPENAI_API_KEY is not set")
    })
    expect(await asked<Switched>("switch", "hash", "--prepare")).toMatchObject({ state: "prepared" })
    // What it says is to be done next can be done as it stands.
    const { stdout } = await daybook("embed", "switch", "hash", "--prepare", "--weight", "0.3")
    expect(lines(stdout).at(-1)).toBe("daybook embed switch hash-256-v1 --dimensions 256 --weight 0.3")
    const questions = join(folder, "questions.jsonl")
    writeFileSync(questions, `${JSON.stringify({ query: "deploys", ids: [hit!.id] })}\n`)
    expect(await asked<Compared>("compare", "--questions", questions)).toMatchObject({
      queries: 1,
      overlap: expect.any(Number),
      quality: { questions: 1, inForce: { recall: 1 }, other: { recall: 1 } }
    })
    writeFileSync(questions, `${JSON.stringify({ query: "deploys", ids: [hit!.id, "0123456789"] })}\n`)
    for (const verb of ["compare", "calibrate"]) {
      expect(refusal(await daybook("embed", verb, "--questions", questions))).toEqual({
        code: 1,
        line: "daybook: memory 0123456789 not found: check the id and the trust level"
      })
    }
    expect(await asked<Switched>("switch", "hash", "--all")).toMatchObject({ default: { state: "inForce" } })
    expect(await asked<Switched>("back")).toMatchObject({ model: "glove-100-v1", state: "inForce" })
    expect(await asked("drop")).toEqual({ dropped: [{ model: "hash-256-v1", dimensions: 256 }] })
    expect(refusal(await daybook("embed", "drop"))).toEqual({
      code: 1,
      line: expect.stringContaining("there is no other index")
    })
    expect(refusal(await daybook("embed", "switch"))).toMatchObject({ code: 2 })
    expect(refusal(await daybook("embed", "status", "--weight", "1"))).toMatchObject({ code: 2 })
    expect(refusal(await daybook("embed", "nothing"))).toMatchObject({ code: 2 })
    for (const more of [[], ["--all"]]) {
      expect(refusal(await daybook("embed", "switch", "nobody", ...more))).toEqual({
        code: 2,
        line: `daybook: unknown embedder nobody: ${unknownName}`
      })
    }
    expect(refusal(await daybook("embed", "calibrate", "--with", "nobody"))).toMatchObject({ code: 2 })
    expect(refusal(await daybook("embed", "switch", "words", "--dimensions", "7"))).toMatchObject({ code: 2 })
    // What is not on this machine may be there tomorrow.
    expect(refusal(await daybook("embed", "switch", "local//nowhere"))).toEqual({
      code: 1,
      line: "daybook: cannot use embedder local//nowhere: config.json is missing in /nowhere: download the complete model"
    })
    writeFileSync(questions, "what is this\n")
    expect(refusal(await daybook("embed", "compare", "--questions", questions))).toMatchObject({ code: 2 })
  })
})
