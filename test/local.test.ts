import { execFileSync } from "node:child_process"
import { existsSync, readFileSync, rmSync, truncateSync, writeFileSync } from "node:fs"
import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import { join } from "node:path"
import { describe, expect, it } from "@effect/vitest"
import { pipeline } from "@huggingface/transformers"
import type * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Layer from "effect/Layer"
import { build } from "esbuild"
import * as LocalEmbedder from "../layers/LocalEmbedder.js"
import { localEmbedder } from "../layers/LocalEmbedder.js"
import { familyOf } from "../layers/local/families.js"
import type { Embedder } from "../src/ports/Embedder.js"
import { open, temporaryFolder } from "./support/engine.js"
import { withSettings } from "./support/settings.js"
import { expectDuration } from "./support/size.js"
import { tiny, writeBert } from "./support/tinyBert.js"

const pooled = (mode: string) => ({ "1_Pooling/config.json": { word_embedding_dimension: 32, [mode]: true } })
const mean = pooled("pooling_mode_mean_tokens")

const texts = ["When do we deploy?", "Deploys happen on Tuesdays", "green tea", "", "x ".repeat(300), "東京 café"]

/** What the library itself makes of texts, each by itself. */
const expected = (folder: string, pooling: "mean" | "cls" | "last_token", prefix = "", length = tiny.positions) =>
  Effect.promise(async () => {
    const extract = await pipeline("feature-extraction", folder, { local_files_only: true, dtype: "fp32" })
    // It cuts off nothing by itself.
    const tokenizer = extract.tokenizer as unknown as (text: string, options: object) => unknown
    extract.tokenizer = ((text: string, options: object) =>
      tokenizer(text, { ...options, truncation: true, max_length: length })) as unknown as typeof extract.tokenizer
    const made: Array<Float32Array> = []
    for (const text of texts) made.push((await extract(prefix + text, { pooling })).data as Float32Array)
    return made
  })

const near = (made: ReadonlyArray<Float32Array>, wanted: ReadonlyArray<Float32Array>) => {
  expect(made.length).toBe(wanted.length)
  for (const [at, vector] of made.entries()) {
    expect(vector.length).toBe(wanted[at]!.length)
    for (const [index, value] of vector.entries()) expect(value).toBeCloseTo(wanted[at]![index]!, 4)
  }
}

const problemOf = (name: string, dimensions?: number) =>
  Effect.map(Effect.flip(localEmbedder(name, dimensions)), ({ problem }) => problem)

describe("an encoder in ONNX files", () => {
  it.scoped("embeds memories and finds them, from a folder and without the network", () =>
    Effect.gen(function* () {
      const folder = writeBert(join(yield* temporaryFolder, "bert"), mean)
      const embedder = yield* localEmbedder(folder)
      expect(embedder).toMatchObject({ dimensions: 32, local: true })
      const daybook = yield* open(yield* temporaryFolder, {
        embedder: Layer.orDie(LocalEmbedder.layer(folder)),
        policy: { search: { vectorWeight: 1, rerank: false } }
      })
      const memory = yield* daybook.agent("ada", { trust: "full" })
      for (const title of ["we deploy on tuesdays", "the ferry crane", "green tea"]) {
        yield* memory.remember({ type: "fact", title })
      }
      expect(yield* daybook.backfill("ada")).toEqual({ embedded: 3, remaining: 0 })
      expect((yield* daybook.stats("ada")).vectors).toMatchObject({ model: embedder.model, dimensions: 32 })
      const hits = yield* memory.search({ text: "green tea" })
      expect(hits[0]).toMatchObject({ title: "green tea", parts: { text: 0 } })
      expect(hits[0]!.parts.vector).toBeGreaterThan(0.9)
    })
  )

  it.scoped("follows the model's own files: pooling, prefixes and length", () =>
    Effect.gen(function* () {
      const root = yield* temporaryFolder
      const made = (name: string, files: object) =>
        Effect.map(localEmbedder(writeBert(join(root, name), { ...files })), (one) => one)
      const asked = (embedder: Context.Tag.Service<Embedder>, purpose: "query" | "document") =>
        embedder.embed(texts, purpose)

      const byMean = yield* made("mean", mean)
      near(yield* asked(byMean, "document"), yield* expected(join(root, "mean"), "mean"))
      const byFirst = yield* made("first", pooled("pooling_mode_cls_token"))
      near(yield* asked(byFirst, "document"), yield* expected(join(root, "first"), "cls"))
      const byLast = yield* made("last", pooled("pooling_mode_lasttoken"))
      near(yield* asked(byLast, "document"), yield* expected(join(root, "last"), "last_token"))

      const introduced = yield* made("introduced", {
        ...mean,
        "config_sentence_transformers.json": { prompts: { query: "query: ", passage: "passage: " } },
        "sentence_bert_config.json": { max_seq_length: 9 }
      })
      near(yield* asked(introduced, "query"), yield* expected(join(root, "introduced"), "mean", "query: ", 9))
      near(yield* asked(introduced, "document"), yield* expected(join(root, "introduced"), "mean", "passage: ", 9))
      expect(new Set([byMean, byFirst, byLast, introduced].map(({ model }) => model.split("#")[1])).size).toBe(4)
    })
  )

  it.scoped("gives a text exactly the same vector, with any other texts in the request", () =>
    Effect.gen(function* () {
      const embedder = yield* localEmbedder(writeBert(join(yield* temporaryFolder, "bert"), mean))
      const together = yield* embedder.embed(texts, "document")
      for (const [at, text] of texts.entries()) {
        expect(yield* embedder.embed([text], "document")).toEqual([together[at]])
      }
    })
  )

  it.scoped("has a name that finds it again, and another name with other weights", () =>
    Effect.gen(function* () {
      const folder = join(yield* temporaryFolder, "bert")
      const before = yield* localEmbedder(writeBert(folder, mean))
      expect(before.model).toMatch(/^local\/\/.*bert#[0-9a-f]{10}$/)
      expect(yield* localEmbedder(before.model, before.dimensions)).toBe(before)
      const after = yield* localEmbedder(writeBert(folder, mean, { seed: 2 }))
      expect(after.model).not.toBe(before.model)
      expect(yield* problemOf(before.model)).toBe(`the files of the model changed: they now contain ${after.model}`)
      expect((yield* localEmbedder(writeBert(folder, mean))).model).toBe(before.model)
    })
  )

  it.scoped("lists in one line the missing parts of a folder, without guessing", () =>
    Effect.gen(function* () {
      const root = yield* temporaryFolder
      const folder = writeBert(join(root, "bert"), mean)
      expect(yield* problemOf(folder, 16)).toBe("vectors of this model can only have these dimensions: 32")
      // A layer behind the pooling would be left out silently.
      writeFileSync(
        join(folder, "modules.json"),
        JSON.stringify(
          ["Transformer", "Pooling", "Dense"].map((type, idx) => ({
            idx,
            type: `sentence_transformers.models.${type}`
          }))
        )
      )
      expect(yield* problemOf(folder)).toBe(
        `${folder} has a Dense layer after its pooling, which is not supported: use another model`
      )
      rmSync(join(folder, "modules.json"))
      rmSync(join(folder, "1_Pooling"), { recursive: true })
      expect(yield* problemOf(folder)).toMatch(/^the pooling of .* is unknown/)
      const known = writeBert(join(root, "e5-small-v2"))
      expect((yield* localEmbedder(known)).weight).toBe(0.7)
      for (const [file, name] of [
        ["onnx/model.onnx", "onnx/model.onnx"],
        ["tokenizer_config.json", "tokenizer_config.json"],
        ["tokenizer.json", "tokenizer.json"],
        ["config.json", "config.json"]
      ] as const) {
        rmSync(join(known, file))
        expect(yield* problemOf(known)).toBe(`${name} is missing in ${known}: download the complete model`)
      }
      expect(yield* problemOf("nothing")).toMatch(/is neither a folder .* nor a hub's model/)
      const { message, _tag } = yield* Effect.flip(localEmbedder("local/nothing"))
      expect([_tag, message]).toEqual([
        "UnknownEmbedder",
        expect.stringMatching(/^unknown embedder local\/nothing: is neither a folder/)
      ])
      expect(yield* problemOf("someone/something")).toMatch(/belongs to no known family/)
    })
  )

  it.scoped("with a broken file leaves writes and full text working", () =>
    Effect.gen(function* () {
      const folder = writeBert(join(yield* temporaryFolder, "bert"), mean)
      truncateSync(join(folder, "onnx", "model.onnx"), 5_000)
      const embedder = yield* localEmbedder(folder)
      expect((yield* Effect.flip(embedder.embed(["a"], "query"))).message).toBe(
        `embedder ${embedder.model}: failed (the model cannot be loaded: check its files)`
      )
      const daybook = yield* open(yield* temporaryFolder, { embedder: Layer.orDie(LocalEmbedder.layer(folder)) })
      const memory = yield* daybook.agent("ada", { trust: "full" })
      yield* memory.remember({ type: "fact", title: "green tea" })
      expect((yield* daybook.backfill("ada")).remaining).toBe(1)
      expect((yield* memory.search({ text: "tea" })).map(({ title }) => title)).toEqual(["green tea"])
    })
  )

  it.scoped("aborts a request without a caller, and continues with the next", () =>
    Effect.gen(function* () {
      const embedder = yield* localEmbedder(writeBert(join(yield* temporaryFolder, "bert"), mean))
      yield* embedder.embed(["warm"], "query")
      const long = yield* Effect.fork(embedder.embed(Array(200_000).fill("tea "), "document"))
      yield* Effect.promise(() => new Promise((done) => setTimeout(done, 50)))
      yield* Fiber.interrupt(long)
      const started = performance.now()
      expect((yield* embedder.embed(["green tea"], "query")).length).toBe(1)
      // All of it would take a minute.
      expectDuration("a query after an interrupted batch", performance.now() - started, 1_000)
    })
  )

  it.scoped("is downloaded once, and then read from disk", () =>
    Effect.gen(function* () {
      const root = yield* temporaryFolder
      const size = { ...tiny, layers: 1, hidden: 384, between: 8 }
      const served = writeBert(join(root, "served"), {}, { size })
      const asked: Array<string> = []
      const server = createServer((request, response) => {
        asked.push(request.url!)
        const [, file] = /^\/Xenova\/all-MiniLM-L6-v2\/resolve\/main\/(.+)$/.exec(request.url!) ?? []
        const path = file === undefined ? "" : join(served, file)
        if (!existsSync(path)) return response.writeHead(404).end()
        const body = readFileSync(path)
        return response.writeHead(200, { "content-length": body.length }).end(request.method === "HEAD" ? "" : body)
      })
      yield* Effect.promise(() => new Promise<void>((done) => server.listen(0, "127.0.0.1", done)))
      const HF_ENDPOINT = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
      const environment = { HF_ENDPOINT, DAYBOOK_MODELS: join(root, "kept") }
      const embedder = yield* localEmbedder("Xenova/all-MiniLM-L6-v2").pipe(withSettings(environment))
      expect(embedder.model).toMatch(/^local\/Xenova\/all-MiniLM-L6-v2#/)
      expect(asked).toEqual([])
      const first = yield* embedder.embed(["green tea"], "query")
      expect(asked.filter((url) => url.endsWith("/onnx/model.onnx")).length).toBeGreaterThan(0)
      expect(existsSync(join(root, "kept", "Xenova", "all-MiniLM-L6-v2", "onnx", "model.onnx"))).toBe(true)
      // No text is in what is asked of a hub.
      expect(asked.join(" ")).not.toMatch(/green|tea/)
      server.closeAllConnections()
      yield* Effect.promise(() => new Promise((done) => server.close(done)))
      // Another process: nothing in memory, and no hub.
      const again = yield* localEmbedder("Xenova/all-MiniLM-L6-v2").pipe(
        withSettings({ ...environment, HF_ENDPOINT: "http://127.0.0.1:9" })
      )
      expect(again.model).toBe(embedder.model)
      expect(again).not.toBe(embedder)
      expect(yield* again.embed(["green tea"], "query")).toEqual(first)
    })
  )
})

describe("used by another package", () => {
  /** The layer as one file, in a folder of its own. */
  const program = (folder: string) =>
    Effect.promise(async () => {
      const file = join(folder, "program.mjs")
      writeFileSync(
        join(folder, "program.ts"),
        `import { localEmbedder } from ${JSON.stringify(join(process.cwd(), "layers/LocalEmbedder.ts"))}
         import * as Effect from ${JSON.stringify(join(process.cwd(), "node_modules/effect/src/Effect.ts"))}
         const embedded = Effect.flatMap(localEmbedder(process.argv[2]), (one) => one.embed(["tea"], "query"))
         Effect.runPromise(Effect.match(embedded, {
           onFailure: ({ message }) => console.log(message),
           onSuccess: ([vector]) => console.log(vector.length)
         }))`
      )
      const banner = 'import { createRequire as r } from "node:module"; const require = r(import.meta.url)'
      await build({
        entryPoints: [join(folder, "program.ts")],
        outfile: file,
        bundle: true,
        platform: "node",
        format: "esm",
        minifySyntax: true,
        banner: { js: banner }
      })
      return file
    })

  it.scoped("reports a missing package with the remedy; with the package, the process ends by itself", () =>
    Effect.gen(function* () {
      const folder = yield* temporaryFolder
      const bert = writeBert(join(folder, "bert"), mean)
      const file = yield* program(folder)
      const run = (at: string) => execFileSync(process.execPath, [at, bert], { encoding: "utf8", timeout: 60_000 })
      expect(run(file)).toBe(
        `cannot use embedder local/${bert}: the package @huggingface/transformers is not installed: npm install @huggingface/transformers@4\n`
      )
      const inside = join(process.cwd(), "dist", `local-${process.pid}.mjs`)
      writeFileSync(inside, readFileSync(file))
      try {
        expect(run(inside)).toBe("32\n")
      } finally {
        rmSync(inside)
      }
    })
  )
})

describe("the table of families", () => {
  it.each([
    ["Xenova/all-MiniLM-L6-v2", 384, "mean", "", "", 256, 0.5],
    ["sentence-transformers/paraphrase-multilingual-MiniLM-L12-v2", 384, "mean", "", "", 128, 0.5],
    ["BAAI/bge-base-en-v1.5", 768, "first", "Represent this sentence for searching relevant passages: ", "", 512, 0.7],
    ["BAAI/bge-small-zh-v1.5", 512, "first", "为这个句子生成表示以用于检索相关文章：", "", 512, 0.7],
    ["BAAI/bge-m3", 1_024, "first", "", "", 8_192, 0.7],
    ["thenlper/gte-small", 384, "mean", "", "", 512, 0.7],
    ["Alibaba-NLP/gte-modernbert-base", 768, "first", "", "", 8_192, 0.7],
    ["intfloat/e5-large-v2", 1_024, "mean", "query: ", "passage: ", 512, 0.7],
    ["Xenova/multilingual-e5-small", 384, "mean", "query: ", "passage: ", 512, 0.7],
    [
      "Snowflake/snowflake-arctic-embed-xs",
      384,
      "first",
      "Represent this sentence for searching relevant passages: ",
      "",
      512,
      0.7
    ],
    ["Snowflake/snowflake-arctic-embed-l-v2.0", 1_024, "first", "query: ", "", 8_192, 0.7]
  ] as const)("%s", (name, dimensions, pooling, query, document, maxTokens, weight) => {
    expect(familyOf(name)).toMatchObject({ dimensions, pooling, query, document, maxTokens, weight })
  })

  it.effect("shortens only vectors of models trained for it", () =>
    Effect.gen(function* () {
      expect((yield* localEmbedder("Snowflake/snowflake-arctic-embed-m-v1.5", 256)).dimensions).toBe(256)
      expect(yield* problemOf("Snowflake/snowflake-arctic-embed-m-v1.5", 255)).toBe(
        "vectors of this model can only have these dimensions: 768, 256"
      )
      expect(familyOf("someone/word2vec")).toBeUndefined()
    })
  )
})
