import { execFile } from "node:child_process"
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  unlinkSync,
  writeFileSync
} from "node:fs"
import { tmpdir } from "node:os"
import { dirname, join } from "node:path"
import { fileURLToPath } from "node:url"
import { promisify } from "node:util"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { catalogue } from "../events/catalogue.js"
import { projections } from "../projections/all.js"
import { hostPackages, hostPrograms } from "./support/hostPrograms.js"
import { isFull, rounds } from "./support/size.js"

const root = dirname(dirname(fileURLToPath(import.meta.url)))
const outside = mkdtempSync(join(tmpdir(), "daybook-package-"))
const modules = join(outside, "node_modules")
const installed = join(modules, "daybook")

/** A program as a user of the package would write it, checked by the strictest compiler settings. */
const program = `
import { Daybook, Embedder, type Hit, type Memory } from "daybook"
import { catalogue } from "daybook/events"
import { projections } from "daybook/projections"
import { Effect, Stream } from "effect"

const main = Effect.gen(function* () {
  const daybook = yield* Daybook
  const memory: Memory = yield* daybook.agent("coop", { trust: "full" })
  const { id, version } = yield* memory.remember({ type: "decision", title: "Use one log", facts: ["one log, a view per agent"] })
  const hits: ReadonlyArray<Hit> = yield* memory.search({ text: "log", types: ["decision"], limit: 10 })
  const past = yield* daybook.agent("coop", { trust: "full", asOf: { version: version ?? 0 } })
  // @ts-expect-error a reader of the past cannot write
  past.remember
  // @ts-expect-error no memory without a trust level
  daybook.agent("coop", {})
  const events = yield* Stream.runCollect(daybook.log("coop"))
  return { found: hits[0]?.id === id, events: events.length, types: Object.keys(catalogue).length, projections: projections.length }
})

const layer = Daybook.layer({ folder: process.argv[2] ?? "", embedder: Embedder.layerHash })
console.log(JSON.stringify(await Effect.runPromise(Effect.provide(main, layer))))
`

/** Calls every method of the handle and of the system, and handles every error by its tag: none is left. */
const errorsProgram = `
import * as D from "daybook"
import { Effect, Layer } from "effect"

const everyRead = (m: D.MemoryReader) =>
  Effect.all([
    m.search({}), m.explain({}), m.timeline({ anchor: "" }), m.get([]), m.list(), m.why(""), m.history(""), m.people(),
    m.profile(), m.context(), m.sessions.list(), m.sessions.get(""), m.sessions.search({}), m.sessions.explain({}),
    m.sessions.summaries(), m.sessions.restore(""), m.sessions.rolling.read(""), m.files.list(), m.files.get(""), m.notes.get(""), m.notes.search({}), m.notes.list(), m.scratchpad.read(""), m.scratchpad.history(""), m.archive.list(), m.maintenance.list(),
    m.maintenance.get(""), m.maintenance.tiers(), m.recalls.list(), m.recalls.get(1), m.recalls.rerun(1),
    m.schedules.list(), m.schedules.count(), m.schedules.get(""), m.schedules.runs(""), m.schedules.run("")
  ])
const everyWrite = (m: D.Memory) =>
  Effect.all([
    m.remember({ title: "t" }), Effect.flatMap(m.rememberAll([]), Effect.forEach((one) => one)), m.update("", {}), m.updatePerson("", {}), m.vouch([""]),
    m.forget(""), m.importMarkdown([]), m.undo({ event: 1 }), m.sessions.append({ session: "s", text: "t" }),
    Effect.flatMap(m.sessions.appendAll([]), Effect.forEach((one) => one)), m.sessions.forget(""),
    m.sessions.rolling.write("s", { text: "t", upperSequence: 0, epoch: 0 }), m.sessions.rolling.roll("s"), m.sessions.summarize("s"), m.sessions.end("s"), m.sessions.refresh("s"),
    m.files.add({ path: "p", text: "t" }), m.files.forget(""), m.observeTool({ tool: "t" }), m.notes.save({ content: "n" }), m.notes.update("", {}), m.notes.delete(""), m.scratchpad.write("s", ["i"]), m.scratchpad.clear("s"), m.archive.add(""), m.archive.restore(""), m.maintenance.run(),
    m.schedules.add({ goal: "g", every: 60_000 }), m.schedules.update("", {}), m.schedules.delete("")
  ])
const everyOperation = (d: D.DaybookService) =>
  Effect.all([
    d.agents, d.rebuild("a"), d.verify(), d.accept(""), d.backfill("a"), d.whatIf("a"), d.stats("a"), d.digests("a"),
    d.erase({ everythingOf: "a" }), d.eraseByLedger("b"), d.erasures(), D.Erasure.prove("a", ["text"]),
    d.flush("a"), d.embedders.status("a"), d.embedders.switchTo("a", "hash"), d.embedders.drop("a", "hash"),
    D.Backup.create({ folder: "a", to: "b" }), D.Backup.check("b"), D.Backup.restore({ file: "b", folder: "c" }),
    D.Backup.exportLog({ folder: "a", to: "d" }), D.Backup.importLog({ file: "d", folder: "e" })
  ])
const all = Effect.gen(function* () {
  const daybook = yield* D.Daybook
  const memory = yield* daybook.agent("a", { trust: "full" })
  const past = yield* daybook.agent("a", { trust: "full", asOf: { version: 0 } })
  yield* everyRead(past)
  yield* everyRead(memory)
  yield* everyWrite(memory)
  yield* everyOperation(daybook)
})
const layers: Layer.Layer<D.Daybook, D.StorageError | D.InvalidPolicy | D.InvalidInput> = Layer.merge(D.Daybook.layerMemory(), D.Daybook.layer({ folder: "./all" }))
const answer = (error: { readonly message: string }) => Effect.succeed(error.message)
const handled: Effect.Effect<unknown> = Effect.provide(all, layers).pipe(Effect.catchTags({
  AlreadyErased: answer, BackupRefused: answer, ClockUnconfirmed: answer, CommandConflict: answer, CredentialForbidden: answer, EmbedderError: answer, EmbedderUnavailable: answer, ErasedMeanwhile: answer, FileInSession: answer,
  FileNotFound: answer, InvalidEvent: answer, InvalidExport: answer, InvalidInput: answer, InvalidPolicy: answer, LevelTooLow: answer, MemoryNotFound: answer,
  NoSuchIndex: answer, NotAccepted: answer, NothingToErase: answer, NothingToUndo: answer, NotUndoable: answer, Overloaded: answer, PathRefused: answer,
  ProjectionParked: answer, RecallErased: answer, RecallNotFound: answer, RunNotFound: answer, ScheduleNotFound: answer, SequenceConflict: answer,
  SessionNotFound: answer, SourceNotFound: answer, StorageError: answer, StoreForbidden: answer, TooManySchedules: answer,
  TrustRequired: answer, UnknownEmbedder: answer, UnknownEvent: answer, VersionConflict: answer, VersionNotFound: answer
}))
export const observed: D.Observation = { title: "t", type: "decision" }
export const other: D.Observation = { title: "t", type: "any-word" }
void handled
`

/** What talks to language models is optional: this program asks one, with and without. */
const optional = ["@effect/ai", "@effect/ai-openai", "@effect/ai-anthropic"]
const modelProgram = `
import { Reconciler } from "daybook"
import { Effect, Logger } from "effect"

const statement = { type: "t", title: "t", facts: [], tags: [], people: [], at: 0 }
for (const provider of ["openai", "anthropic"] as const) {
  const settings = { model: "m", baseUrl: "http://127.0.0.1:9", retries: 0, ...JSON.parse(process.argv[2] ?? "{}") }
  const asked = Effect.flatMap(Reconciler.Reconciler, (reconciler) =>
    Effect.flip(reconciler!.ask!({ statement, candidates: [{ ...statement, score: 1 }] }))
  ).pipe(Effect.provide(Reconciler.layerModel({ provider, ...settings })))
  const error = await Effect.runPromise(asked.pipe(Effect.provide(Logger.remove(Logger.defaultLogger))))
  console.log(error.message)
}
`

/** The types of \`daybook/models\`, where its packages are there. */
const modelsProgram = `
import { LanguageModels, ModelReconciler } from "daybook/models"
import { Layer } from "effect"

export const layer = ModelReconciler.layer("mine").pipe(
  Layer.provide(LanguageModels.layer({ provider: "anthropic", model: "m", timeout: 1, timeout_s: 1, patience: 1, retries: 0, backoff: 1, concurrency: 1 }))
)
`

/** A server of the Model Context Protocol in a program of its own. */
const mcpProgram = `
import { Daybook, Embedder } from "daybook"
import { type HttpHandler, makeHttpHandler, serveStdio } from "daybook/mcp"
import { Effect } from "effect"

export const stdio = serveStdio({ agent: "coop", trust: "full", tools: "core" })
const answer = Effect.gen(function* () {
  const { handle }: HttpHandler = yield* makeHttpHandler({ tools: "core" })
  const request = new Request("http://127.0.0.1/mcp", {
    method: "POST",
    headers: { "content-type": "application/json", accept: "application/json, text/event-stream" },
    body: JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tools/list" })
  })
  const response = yield* Effect.promise(() => handle(request, { agents: "coop", trust: "full", token: "t1" }))
  return yield* Effect.promise(() => response.text())
})
const layer = Daybook.layer({ folder: process.argv[2] ?? "", embedder: Embedder.layerHash })
console.log(await Effect.runPromise(Effect.provide(answer, layer)))
`

/** A client of a server, in a program of its own. Without a server it fails with a typed error. */
const clientProgram = `
import { Client, connect, RequestFailed, type RemoteMemory } from "daybook/client"
import { FetchHttpClient } from "@effect/platform"
import { Effect } from "effect"

const options = { url: "http://127.0.0.1:49151", token: "none" }
const failed = Effect.gen(function* () {
  const memory: RemoteMemory = (yield* Client.make(options)).agent("coop")
  return yield* Effect.flip(memory.search({ text: "ferry" }))
}).pipe(Effect.provide(FetchHttpClient.layer))
const error = await connect(options).agent("coop").list().catch((error: unknown) => error)
console.log((await Effect.runPromise(failed))._tag, error instanceof RequestFailed)
`

/** A trace file, and a collector that nobody runs, in a program of its own. */
const telemetryProgram = `
import { readFileSync } from "node:fs"
import { Daybook, Embedder } from "daybook"
import * as Telemetry from "daybook/telemetry"
import { Effect, Layer } from "effect"

const [data = "", file = ""] = process.argv.slice(2)
const remembered = Effect.gen(function* () {
  const memory = yield* (yield* Daybook).agent("coop", { trust: "full" })
  yield* memory.remember({ title: "The ferry leaves at noon" })
})
const engine = Daybook.layer({ folder: data, embedder: Embedder.layerHash })
await Effect.runPromise(Effect.provide(remembered, Layer.provideMerge(engine, Telemetry.layerFile({ file }))))
const names = readFileSync(file, "utf8").trim().split("\\n").map((line): string => JSON.parse(line).name)
const otlp = Telemetry.layerOtlp({ url: "http://127.0.0.1:49151", serviceName: "coop" })
const failed = await Effect.runPromise(Effect.exit(Effect.provide(Effect.void, otlp)))
const sent = Effect.provide(Effect.succeed("sent"), Telemetry.layerOtlp({ url: "127.0.0.1:4318" }))
const refused = await Effect.runPromise(Effect.catchTag(sent, "InvalidInput", ({ field }) => Effect.succeed(field)))
console.log(names.includes("upsert_memory"), names.includes("daybook_operation_millis"), failed._tag, refused)
`

const link = (name: string) => {
  mkdirSync(dirname(join(modules, name)), { recursive: true })
  symlinkSync(join(root, "node_modules", name), join(modules, name))
}

/** Runs a program, and lets vitest's messages go on meanwhile. */
const runIn = async (cwd: string, command: string, ...args: ReadonlyArray<string>): Promise<string> =>
  (await promisify(execFile)(command, args, { cwd, encoding: "utf8", maxBuffer: 1 << 26 })).stdout

const run = (command: string, ...args: ReadonlyArray<string>) => runIn(outside, command, ...args)

/** Compiles files by the strictest settings. */
const compile = (files: ReadonlyArray<string>, ...options: ReadonlyArray<string>) =>
  run(
    join(modules, ".bin", "..", "typescript", "bin", "tsc"),
    ...["--strict", "--exactOptionalPropertyTypes", "--target", "es2022", "--skipLibCheck", "--types", "node"],
    ...options,
    ...files
  )

describe("the package", () => {
  beforeAll(async () => {
    if (!existsSync(join(root, "dist", "daybook.mjs"))) await runIn(root, "npm", "run", "build")
    const pack = ["pack", "--json", "--ignore-scripts", "--pack-destination", outside]
    const [packed] = JSON.parse(await runIn(root, "npm", ...pack)) as [{ filename: string }]
    mkdirSync(installed, { recursive: true })
    await run("tar", "-xzf", packed.filename, "-C", installed, "--strip-components=1")
    // What npm would install beside it is there already, compiled for this machine.
    for (const name of readdirSync(join(root, "node_modules"))) {
      if (name === "@effect") for (const one of readdirSync(join(root, "node_modules", name))) link(`${name}/${one}`)
      else if (!name.startsWith(".")) link(name)
    }
    writeFileSync(join(outside, "package.json"), JSON.stringify({ name: "user", private: true, type: "module" }))
    writeFileSync(join(outside, "main.ts"), program)
  }, 300_000)

  afterAll(() => rmSync(outside, { recursive: true, force: true }))

  it("compiles and runs in a TypeScript program outside the repository", async () => {
    writeFileSync(join(outside, "model.ts"), modelProgram)
    writeFileSync(join(outside, "models.ts"), modelsProgram)
    writeFileSync(join(outside, "mcp.ts"), mcpProgram)
    writeFileSync(join(outside, "client.ts"), clientProgram)
    writeFileSync(join(outside, "errors.ts"), errorsProgram)
    writeFileSync(join(outside, "telemetry.ts"), telemetryProgram)
    const files = ["main.ts", "model.ts", "models.ts", "mcp.ts", "client.ts", "errors.ts", "telemetry.ts"]
    await compile(files, "--module", "esnext", "--moduleResolution", "bundler", "--noEmit")
    await compile(files, "--module", "nodenext")
    expect(JSON.parse(await run("node", "main.js", join(outside, "data")))).toEqual({
      found: true,
      events: 1,
      types: Object.keys(catalogue).length,
      projections: projections.length
    })
  })

  it("names the package that a model needs, and uses it once installed", async () => {
    for (const name of optional) unlinkSync(join(modules, name))
    const lines = async (settings = "{}") => (await run("node", "model.js", settings)).trim().split("\n")
    const missing = (model: string, name: string, release: string) =>
      `reconciler ${model}: failed (the package ${name} is not installed: npm install ${name}@${release})`
    expect(await lines()).toEqual(["openai/m", "anthropic/m"].map((model) => missing(model, "@effect/ai", "0.37")))
    link("@effect/ai")
    expect(await lines('{"api":"responses"}')).toEqual([
      missing("openai/m", "@effect/ai-openai", "0.41"),
      missing("anthropic/m", "@effect/ai-anthropic", "0.27")
    ])
    const unreachable = (model: string) => `reconciler ${model}: failed (no connection)`
    expect((await lines('{"api":"chat"}'))[0]).toBe(unreachable("openai/m"))
    link("@effect/ai-openai")
    link("@effect/ai-anthropic")
    expect(await lines('{"api":"responses"}')).toEqual(["openai/m", "anthropic/m"].map(unreachable))
    await run("node", "models.js")
    // Lines of the log precede it.
    const traced = await run("node", "telemetry.js", join(outside, "traced"), join(outside, "trace.jsonl"))
    expect(traced.trim().split("\n").at(-1)).toBe("true true Success url")
    expect((await run("node", "client.js")).trim()).toBe("RequestFailed true")
    expect(await run("node", "mcp.js", join(outside, "mcp-data"))).toContain('"name":"memory_search"')
  })

  it("contains the command, the examples and the licence", async () => {
    expect((await run("node", join(installed, "dist", "daybook.mjs"), "--version")).trim()).toMatch(/^\d+\.\d+\.\d+/)
    const daybook = (...args: ReadonlyArray<string>) =>
      run("node", join(installed, "dist", "daybook.mjs"), "--data", join(outside, "words"), "--json", ...args)
    await daybook("remember", "The puppy sleeps")
    expect(JSON.parse(await daybook("backfill"))).toMatchObject({ remaining: 0 })
    expect(JSON.parse(await daybook("search", "a sleepy dog"))[0].parts.vector).toBeGreaterThan(0)
    for (const file of [
      "assets/capture.json",
      "assets/rules.json",
      "assets/schemas.json",
      "assets/tokens.bin",
      "assets/words.bin",
      "LICENSE",
      "README.md",
      "CHANGELOG.md",
      "docs/api.md",
      "examples/memories/MEMORY.md"
    ]) {
      expect(existsSync(join(installed, file)), file).toBe(true)
    }
  })

  it("names every package that its library imports", () => {
    const { dependencies, peerDependencies } = JSON.parse(readFileSync(join(installed, "package.json"), "utf8"))
    const named = Object.keys({ ...dependencies, ...peerDependencies })
    const imported = new Set<string>()
    for (const entry of readdirSync(join(installed, "dist"), { recursive: true, withFileTypes: true })) {
      if (!entry.isFile() || !entry.name.endsWith(".js")) continue
      const text = readFileSync(join(entry.parentPath ?? entry.path, entry.name), "utf8")
      for (const [, name] of text.matchAll(
        /^(?:(?:import|export)[^"\n]*|\}) from "((?:@[^/"\n]+\/)?[^./"\n][^/"\n]*)/gm
      )) {
        if (name !== undefined && !name.startsWith("node:")) imported.add(name)
      }
    }
    expect([...imported].filter((name) => !named.includes(name))).toEqual([])
    expect(imported.has("effect")).toBe(true)
  })

  const hosts = Object.entries(hostPrograms)
  // Another release of Node runs one of them: what differs there is the driver, not the adapters.
  it.each(rounds({ quick: hosts.slice(0, 1), full: hosts, ci: hosts }))(
    "compiles and runs a program for %s without other hosts",
    async (host, [packages, text]) => {
      for (const name of hostPackages) rmSync(join(modules, name), { recursive: true, force: true })
      for (const name of packages) link(name)
      const opening = `import { type HostMemory, openMemory } from "daybook/hosts/${host}"`
      const running = `
const memory = await openMemory({ folder: process.argv[2] ?? "", agent: "coop", trust: { model: "inner" } })
console.log(await host(memory))
await memory.close()
`
      writeFileSync(join(outside, "host.ts"), [opening, text, running].join("\n"))
      if (isFull) await compile(["host.ts"], "--module", "esnext", "--moduleResolution", "bundler", "--noEmit")
      await compile(["host.ts"], "--module", "nodenext")
      expect((await run("node", "host.js", join(outside, `data-${host}`))).trim()).not.toBe("")
    }
  )
})
