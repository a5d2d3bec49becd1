import { existsSync } from "node:fs"
import * as Effect from "effect/Effect"
import { afterAll, afterEach, describe, expect, it, vi } from "vitest"
import { connect } from "../layers/client/index.js"
import { Daybook, Embedder, type HostOptions, MemoryClosed, openMemory } from "../layers/entry.js"
import { memoryMiddleware, memoryTools } from "../layers/hosts/aiSdk/index.js"
import { memoryExecutor, memoryHandlers } from "../layers/hosts/anthropicMemory/index.js"
import { layer } from "../layers/hosts/effectAi/index.js"
import { runOrElse } from "../layers/hosts/HostMemory.js"
import { DaybookStore } from "../layers/hosts/langgraph/index.js"
import { memorySession } from "../layers/hosts/openaiAgents/index.js"
import { serveStdio } from "../layers/mcp/index.js"
import { newFolder, removeFolders } from "./support/cli.js"
import { closeMemories, newMemory } from "./support/hosts.js"

afterEach(closeMemories)
afterAll(removeFolders)

const refusal = (message: string | RegExp) => ({ _tag: "InvalidInput", message: expect.stringMatching(message) })

describe("the trust of openMemory", () => {
  it("opens the memory at one level, given alone or for the user", async () => {
    const folder = newFolder()
    const owner = await newMemory({ folder })
    await owner.run(owner.user.remember({ title: "The spare key is under the mat", store: "private" }))
    await owner.run(owner.user.remember({ title: "The ferry leaves at noon", store: "social" }))
    const read = async (trust: HostOptions["trust"]) => {
      const memory = await newMemory({ folder, trust })
      return [memory.modelLevel, (await memory.run(memory.user.list())).map(({ title }) => title).sort()]
    }
    const both = ["The ferry leaves at noon", "The spare key is under the mat"]
    expect(await read(undefined)).toEqual(["inner", both])
    expect(await read("full")).toEqual(["inner", both])
    expect(await read("familiar")).toEqual(["familiar", ["The ferry leaves at noon"]])
    expect(await read({ user: "familiar" })).toEqual(["familiar", ["The ferry leaves at noon"]])
    expect(await read("public")).toEqual(["public", []])
    expect(await read({ model: "familiar" })).toEqual(["familiar", both])
  })

  it.each([
    [{ usr: "public" }, "trust.usr: is not a known option: use user, model"],
    [{ user: "ful" }, "trust.user: must be one of full, inner, familiar, public"],
    [{ user: "full", model: null }, "trust.model: must be one of full, inner, familiar, public"],
    ["ful", "trust: must be one of full, inner, familiar, public"],
    [null, "trust: must be one of full, inner, familiar, public"],
    [["public"], "trust: must be one of full, inner, familiar, public"]
  ])("refuses %j, which no level is read from", async (trust, message) => {
    const options = { folder: newFolder(), agent: "coop", embedder: Embedder.layerHash, trust: trust as never }
    await expect(openMemory(options)).rejects.toMatchObject(refusal(message))
    const handlers = Effect.scoped(
      Effect.flip(Effect.provide(Effect.void, layer({ agent: "coop", trust: trust as never })))
    )
    const refused = await Effect.runPromise(
      Effect.provide(handlers, Daybook.layerMemory({ embedder: Embedder.layerHash }))
    )
    expect(refused).toMatchObject(refusal(message))
  })
})

describe("an unknown option", () => {
  const folder = `${newFolder()}/unused`
  afterEach(() => vi.unstubAllEnvs())

  it("is refused where a folder is opened, and no other folder is opened instead", async () => {
    vi.stubEnv("DAYBOOK_DATA", folder)
    await expect(openMemory({ agent: "coop", foldr: "./data" } as never)).rejects.toMatchObject(
      refusal("foldr: is not a known option: use agent, trust, folder, embedder")
    )
    for (const wrong of [undefined, null, "coop"]) {
      const noObject = refusal("options: must be an object, such as { agent: … }")
      await expect(openMemory(wrong as never)).rejects.toMatchObject(noObject)
    }
    await expect(openMemory({} as never)).rejects.toMatchObject(refusal("agent: is missing"))
    const opened = Effect.flip(Effect.provide(Daybook, Daybook.layer({ foldr: "./data" } as never)))
    expect(await Effect.runPromise(opened)).toMatchObject(refusal("foldr: is not a known option: use folder, embedder"))
    expect(existsSync(folder)).toBe(false)
  })

  it("is refused by the adapters of hosts", async () => {
    const memory = await newMemory()
    const [sesion, session] = ["sesion: is not a known option: use session", "session: is empty"]
    expect(() => memoryMiddleware(memory, { sesion: "s" } as never)).toThrow(sesion)
    expect(() => memoryMiddleware(memory, { tokens: "x" } as never)).toThrow("tokens: must be a whole number")
    expect(() => memoryMiddleware(memory, { session: "" })).toThrow(session)
    expect(() => memoryTools(memory, { sesion: "s" } as never)).toThrow(sesion)
    expect(() => memoryTools(memory, { session: "" })).toThrow(session)
    expect(() => memorySession(memory, { sesion: "s" } as never)).toThrow(sesion)
    const toolkit = Effect.flip(Effect.provide(Effect.void, layer({ agent: "coop", sesion: "s" } as never)))
    const refused = await Effect.runPromise(
      Effect.provide(toolkit, Daybook.layerMemory({ embedder: Embedder.layerHash }))
    )
    expect(refused).toMatchObject(refusal("sesion: is not a known option: use agent, trust, session"))
  })

  it("is refused by a server on standard input", async () => {
    const serve = (options: object) =>
      Effect.runPromise(
        Effect.provide(
          Effect.flip(serveStdio({ agent: "coop", trust: "full", ...options })),
          Daybook.layerMemory({ embedder: Embedder.layerHash })
        )
      )
    expect(await serve({ tols: "core" })).toMatchObject(
      refusal("tols: is not a known option: use agent, trust, actor, tools")
    )
    expect(await serve({ tools: "cor" })).toMatchObject(refusal("tools: must be one of core, all"))
  })

  it("is refused by a client before it sends anything", () => {
    const token = "t"
    expect(() => connect({ tokn: token } as never)).toThrow("tokn: is not a known option: use url, token")
    expect(() => connect(null as never)).toThrow("options: must be an object, such as { url: … }")
    expect(() => connect({ token: "" })).toThrow("token: is missing: create a token with 'daybook token add'")
    expect(() => connect({ token, url: "localhost:8787" })).toThrow("url: must begin with http:// or https://")
    expect(() => connect({ token, url: "http://" })).toThrow("url: is not a URL")
    const daybook = connect({ token, url: "http://127.0.0.1:8787/" })
    const wrong = "is not a known option: use actor, record, session, asOf"
    expect(() => daybook.agent("coop", { asof: 1 } as never)).toThrow(`asof: ${wrong}`)
    expect(() => daybook.agent("coop", { trust: "full" } as never)).toThrow(`trust: ${wrong}`)
  })
})

describe("an adapter of a host", () => {
  it.each([
    ["a promise", Promise.resolve({}), "is a promise: await openMemory(…)"],
    ["nothing", undefined, "is missing: pass the memory that `openMemory` returned"],
    ["null", null, "is missing: pass the memory that `openMemory` returned"],
    ["options", { agent: "coop" }, "is not a host memory: pass the memory that `openMemory` returned"]
  ])("refuses %s in place of its memory, when it is made", (_, given, problem) => {
    const memory = given as never
    const adapters = [
      () => memoryMiddleware(memory),
      () => memoryTools(memory),
      () => memorySession(memory),
      () => new DaybookStore(memory),
      () => memoryExecutor(memory),
      () => memoryHandlers(memory)
    ]
    for (const make of adapters) {
      expect(make, String(make)).toThrow(expect.objectContaining({ _tag: "InvalidInput", field: "memory", problem }))
    }
  })
})

describe("a closed memory", () => {
  it("says so, also to a call that is at work", async () => {
    const memory = await newMemory()
    await memory.run(memory.user.remember({ title: "The ferry leaves at noon" }))
    const waiting = expect(memory.run(Effect.forever(memory.user.list()))).rejects.toBeInstanceOf(MemoryClosed)
    await memory.close()
    await waiting
    const late = memory.run(memory.user.search({ text: "ferry" }))
    await expect(late).rejects.toMatchObject({
      _tag: "MemoryClosed",
      message: expect.stringContaining("the memory is closed")
    })
  })

  it("does not fail the call of a host that can go on without it", async () => {
    const memory = await newMemory()
    await memory.close()
    expect(await runOrElse(memory, "context", memory.user.list(), "fallback")).toBe("fallback")
  })
})
