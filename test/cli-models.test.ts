import { writeFileSync } from "node:fs"
import { join } from "node:path"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Scope from "effect/Scope"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { answerOf, build, daybookIn, lines, newFolder, refusal, removeFolders } from "./support/cli.js"
import { unknownName } from "./support/embedderNames.js"
import { type ProviderServer, providerServer } from "./support/providerServer.js"

const key = "sk-test-cli-7Pn5secretKEYz2"
const scope = Effect.runSync(Scope.make())
let server: ProviderServer
const folder = newFolder()
const daybook = daybookIn(folder, { env: { OWN_KEY: key } })

beforeAll(async () => {
  build()
  server = await Effect.runPromise(Scope.extend(providerServer(key), scope))
  writeFileSync(
    join(folder, "policy.toml"),
    `[search]
rerankWeight = 1
[embedding]
embedder = "openai-compatible/own-8"
dimensions = 8
[embedding.providers.openai-compatible]
baseUrl = "${server.base("embed openai-compatible")}"
keyVariable = "OWN_KEY"
backoff = 5
[rerank]
reranker = "lexical"
[rerank.providers.endpoint]
baseUrl = "${server.base("rerank endpoint")}"
backoff = 5
`
  )
}, 180_000)
afterAll(async () => {
  await Effect.runPromise(Scope.close(scope, Exit.void))
  removeFolders()
})

describe("models named in the policy, on the command line", () => {
  it("embed texts, and rerank the first hits if the call asks for it", async () => {
    expect(answerOf(await daybook("check", "--json")).ok).toBe(true)
    for (const title of ["The pump stands in hall one", "A pump for the bicycle", "Pump and hall and harbour"]) {
      answerOf(await daybook("remember", title, "--store", "shared", "--no-reconcile", "--json"))
    }
    expect(answerOf(await daybook("stats", "--json")).vectors).toMatchObject({
      model: "openai-compatible/own-8",
      dimensions: 8,
      embedded: 3
    })
    const plain = answerOf(await daybook("search", "pump in the hall", "--explain", "--json"))
    expect(plain.explanation).toMatchObject({ vectors: "openai-compatible/own-8", reranker: "lexical-1" })

    const last = plain.hits.at(-1).title
    server.otherwise(({ service, texts }) =>
      service === "rerank endpoint"
        ? { answer: true, list: () => texts.map((text, index) => ({ index, score: text.includes(last) ? 1 : 0 })) }
        : { answer: true }
    )
    const call = ["search", "pump in the hall", "--rerank", "endpoint/bge", "--explain"]
    const reranked = answerOf(await daybook(...call, "--json"))
    expect(reranked.explanation.reranker).toBe("endpoint/bge")
    expect(reranked.hits[0]).toMatchObject({ title: last, before: 3 })
    const { stdout } = await daybook(...call)
    expect(lines(stdout)).toContain("before     3, 1, 2")
    expect(stdout).toContain("was at place 3 before endpoint/bge reordered the hits")
    expect(stdout).toMatch(/reranked by endpoint\/bge/)

    const none = answerOf(await daybook("search", "pump in the hall", "--rerank", "none", "--explain", "--json"))
    expect(none.explanation.reranker).toBeNull()
    expect(server.problems).toEqual([])
  })

  it("answer from full text and give the reason if they fail", async () => {
    server.otherwise(() => ({ status: 500 }))
    const { code, stderr, stdout } = await daybook("search", "pump", "--rerank", "endpoint", "--explain")
    expect([code, stderr]).toEqual([0, ""])
    expect(stdout).toMatch(/hint +reranker endpoint: failed \(status 500\); hits are not reranked/)
    expect(stdout).toMatch(
      /hint +embedder openai-compatible\/own-8: failed \(status 500\); searched without vectors of this embedder/
    )
    // What the provider may not see has vectors all the same.
    expect(stdout).toContain("vectors of glove-100-v1")
    expect(stdout).toContain("A pump for the bicycle")
    answerOf(await daybook("remember", "Written while it was broken", "--store", "shared", "--json"))
    const backfill = await daybook("backfill")
    expect(backfill.code).toBe(1)
    expect(backfill.stderr).toBe("daybook: embedder openai-compatible/own-8: failed (status 500)\n")
  })

  it("are refused in one line if unknown or without a key", async () => {
    expect(refusal(await daybook("search", "pump", "--rerank", "cohre"))).toEqual({
      code: 2,
      line: "daybook: --rerank: unknown reranker cohre: must be one of lexical, none, cohere, voyage, jina, endpoint"
    })
    expect(refusal(await daybook("search", "pump", "--rerank", "jina"))).toEqual({
      code: 1,
      line: "daybook: cannot use reranker jina: JINA_API_KEY is not set"
    })
    const other = newFolder()
    const bare = daybookIn(other, { env: { OPENAI_API_KEY: "", COHERE_API_KEY: "" } })
    writeFileSync(join(other, "policy.toml"), '[embedding]\nembedder = "openai"\n[rerank]\nreranker = "cohere"\n')
    const checked = await bare("check")
    expect(checked.code).toBe(0)
    expect(lines(checked.stdout)).toEqual([
      expect.stringMatching(/^warning .*embedding\.embedder: OPENAI_API_KEY is not set/),
      expect.stringMatching(/^warning .*rerank\.reranker: COHERE_API_KEY is not set/),
      expect.stringMatching(/^ok /)
    ])
    // Without it, words are enough to write and to search.
    const written = await bare("remember", "tea at four", "--json")
    expect(written.code).toBe(0)
    expect(written.stderr).toBe("daybook: warning: embedder openai/text-embedding-3-small: OPENAI_API_KEY is not set\n")
    expect(answerOf(await bare("search", "tea", "--json"))).toHaveLength(1)
    writeFileSync(join(other, "policy.toml"), "")
    expect(refusal(await bare("embed", "switch", "openai"))).toEqual({
      code: 1,
      line: "daybook: cannot use embedder openai: OPENAI_API_KEY is not set"
    })
    writeFileSync(join(other, "policy.toml"), '[embedding]\nembedder = "opnai"\n')
    expect(refusal(await bare("search", "tea")).line).toContain(
      `embedding.embedder: unknown embedder opnai: ${unknownName}`
    )
    writeFileSync(join(other, "policy.toml"), `[embedding.providers.openai]\nkeyVariable = "${key}"\n`)
    const { line } = refusal(await bare("search", "tea"))
    expect(line).toContain("must be the name of an environment variable, not the key itself")
    expect(line).not.toContain(key)
  })
})
