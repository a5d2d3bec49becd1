import {
  AsyncBatchedStore,
  type BaseStore,
  InMemoryStore,
  InvalidNamespaceError,
  type Operation
} from "@langchain/langgraph-checkpoint"
import fc from "fast-check"
import { afterAll, afterEach, describe, expect, it } from "vitest"
import { makeDocuments } from "../layers/hosts/documents.js"
import { DaybookStore } from "../layers/hosts/langgraph/index.js"
import { removeFolders } from "./support/cli.js"
import { closeMemories, jsonValue, newMemory } from "./support/hosts.js"
import { lawRuns } from "./support/size.js"

afterEach(closeMemories)
afterAll(removeFolders)

const stores: ReadonlyArray<readonly [string, () => Promise<BaseStore>]> = [
  ["InMemoryStore", async () => new InMemoryStore()],
  ["DaybookStore", async () => new DaybookStore(await newMemory())]
]

const label = fc.constantFrom("users", "a", "b", "Ü 1", "langgraph2")
const namespace = fc.array(label, { minLength: 1, maxLength: 4 })
const key = fc.constantFrom("k1", "k2", "key with spaces", "__proto__", "ключ\n")
const value = fc.record(
  {
    color: fc.constantFrom("red", "blue"),
    score: fc.integer({ min: 0, max: 5 }),
    text: fc.string(),
    nested: jsonValue(2)
  },
  { requiredKeys: [] }
)
const condition = fc.oneof(
  fc.constantFrom("red", "blue", 3, null),
  fc.record({ $gte: fc.integer({ min: 0, max: 5 }), $lt: fc.integer({ min: 0, max: 7 }) }, { requiredKeys: [] }),
  fc.constantFrom({ $eq: "red" }, { $ne: "red" }, { $in: ["red", 3] }, { $nin: ["blue"] }, { $gt: 2 }, { $lte: 4 }),
  fc.constant({ unknown: 1 })
)
const match = fc.record({
  matchType: fc.constantFrom("prefix" as const, "suffix" as const),
  path: fc.array(fc.oneof(label, fc.constant("*" as const)), { maxLength: 3 })
})
const operation: fc.Arbitrary<Operation> = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.record({ namespace, key, value: fc.oneof({ weight: 4, arbitrary: value }, fc.constant(null)) })
  },
  { weight: 2, arbitrary: fc.record({ namespace, key }) },
  {
    weight: 2,
    arbitrary: fc.record(
      {
        namespacePrefix: fc.array(label, { maxLength: 2 }),
        filter: fc.dictionary(fc.constantFrom("color", "score", "missing"), condition, { maxKeys: 2 }),
        limit: fc.constant(1_000)
      },
      { requiredKeys: ["namespacePrefix", "limit"] }
    )
  },
  fc.record({
    matchConditions: fc.array(match, { maxLength: 2 }),
    maxDepth: fc.option(fc.integer({ min: 1, max: 4 }), { nil: undefined }),
    limit: fc.constant(1_000),
    offset: fc.constant(0)
  }) as fc.Arbitrary<Operation>
)

/** An answer without what may differ: times, and the order of the items of a search. */
const comparable = (answer: unknown): unknown => {
  if (!Array.isArray(answer)) return answer === null ? null : itemOf(answer as never)
  if (answer.every(Array.isArray)) return answer
  return answer.map(itemOf).sort((a, b) => JSON.stringify(a).localeCompare(JSON.stringify(b)))
}
const itemOf = ({
  key,
  namespace,
  value
}: {
  readonly key: string
  namespace: ReadonlyArray<string>
  value: object
}) => ({
  ...{ namespace, key },
  value: JSON.parse(JSON.stringify(value))
})

/** `InMemoryStore` lists namespaces that have no items any more. */
const withItems = async (store: InMemoryStore, answer: Array<Array<string>>, depth: number | undefined) => {
  const items = await store.search([], { limit: 1_000 })
  const present = new Set(items.map(({ namespace }) => namespace.slice(0, depth).join(":")))
  return answer.filter((labels) => present.has(labels.join(":")))
}

describe("DaybookStore and InMemoryStore", () => {
  it("answer batches of any operations alike", async () => {
    let compared = 0
    const batches = fc.array(fc.array(operation, { minLength: 1, maxLength: 6 }), { minLength: 3, maxLength: 6 })
    const check = fc.asyncProperty(batches, async (steps) => {
      const [oracle, store] = [new InMemoryStore(), new DaybookStore(await newMemory())]
      for (const operations of steps) {
        const before = await Promise.all(
          operations.map(async (one) => {
            if ("key" in one || "namespacePrefix" in one) return undefined
            const [all] = await oracle.batch([one])
            // A namespace may match by items that only its emptied children had.
            return one.matchConditions?.length
              ? undefined
              : withItems(oracle, all as Array<Array<string>>, one.maxDepth)
          })
        )
        const expected: ReadonlyArray<unknown> = structuredClone(await oracle.batch(operations))
        const answers: ReadonlyArray<unknown> = await store.batch(operations)
        for (const [index, one] of operations.entries()) {
          const isListing = !("key" in one) && !("namespacePrefix" in one)
          if (isListing && before[index] === undefined) continue
          const told = isListing ? before[index] : expected[index]
          expect(comparable(answers[index]), JSON.stringify(one)).toEqual(comparable(told))
          compared += 1
        }
      }
      await closeMemories()
    })
    await fc.assert(check, { numRuns: lawRuns({ quick: 5, full: 40 }) })
    expect(compared).toBeGreaterThan(10)
  })

  it("list namespaces alike, with conditions, depth and pages", async () => {
    const setup = fc.tuple(
      fc.uniqueArray(namespace, { minLength: 1, maxLength: 8, selector: (labels) => labels.join(":") }),
      fc.array(
        fc.record(
          {
            prefix: fc.array(fc.oneof(label, fc.constant("*")), { maxLength: 3 }),
            suffix: fc.array(fc.oneof(label, fc.constant("*")), { maxLength: 3 }),
            maxDepth: fc.integer({ min: 1, max: 3 }),
            limit: fc.integer({ min: 0, max: 4 }),
            offset: fc.integer({ min: 0, max: 3 })
          },
          { requiredKeys: [] }
        ),
        { minLength: 5, maxLength: 5 }
      )
    )
    const check = fc.asyncProperty(setup, async ([namespaces, queries]) => {
      const [oracle, store] = [new InMemoryStore(), new DaybookStore(await newMemory())]
      const puts = namespaces.map((labels) => ({ namespace: labels, key: "k", value: { n: 1 } }))
      await oracle.batch(puts)
      await store.batch(puts)
      for (const query of queries) {
        expect(await store.listNamespaces(query)).toEqual(await oracle.listNamespaces(query))
      }
      await closeMemories()
    })
    await fc.assert(check, { numRuns: lawRuns({ quick: 3, full: 20 }) })
  })
})

describe.each(stores)("%s", (_, open) => {
  it("updates, deletes and tells times", async () => {
    const store = await open()
    await store.put(["users", "1"], "prefs", { theme: "dark" })
    const created = await store.get(["users", "1"], "prefs")
    expect(created).toMatchObject({ namespace: ["users", "1"], key: "prefs", value: { theme: "dark" } })
    expect(created!.createdAt).toBeInstanceOf(Date)
    const { createdAt } = structuredClone(created!)
    await store.put(["users", "1"], "prefs", { theme: "light" })
    const updated = await store.get(["users", "1"], "prefs")
    expect(updated).toMatchObject({ value: { theme: "light" }, createdAt })
    expect(updated!.updatedAt.getTime()).toBeGreaterThanOrEqual(createdAt.getTime())
    await store.delete(["users", "1"], "prefs")
    await store.delete(["users", "1"], "absent")
    expect(await store.get(["users", "1"], "prefs")).toBeNull()
    expect(await store.search(["users"])).toEqual([])
  })

  it("pages a search: every item once", async () => {
    const store = await open()
    await store.batch(Array.from({ length: 13 }, (_, n) => ({ namespace: ["docs"], key: `k${n}`, value: { n } })))
    const pages = [0, 5, 10].map((offset) => store.search(["docs"], { limit: 5, offset }))
    const found = (await Promise.all(pages)).map((page) => page.map(({ key }) => key))
    expect(found.map(({ length }) => length)).toEqual([5, 5, 3])
    expect(new Set(found.flat()).size).toBe(13)
    expect(await store.search(["docs"])).toHaveLength(10)
    expect(await store.search(["doc"])).toEqual([])
  })

  it("reads before a batch writes, and the last write of a key counts", async () => {
    const store = await open()
    const at = { namespace: ["n"], key: "k" }
    const [first, , , second] = await store.batch([at, { ...at, value: { v: 1 } }, { ...at, value: { v: 2 } }, at])
    expect([first, second]).toEqual([null, null])
    expect((await store.get(["n"], "k"))?.value).toEqual({ v: 2 })
  })

  it("refuses invalid namespaces", async () => {
    const store = await open()
    for (const wrong of [[], ["a.b"], ["a:b"], ["a", ""], ["langgraph", "a"], ["a\0"]]) {
      await expect(store.put(wrong, "k", { v: 1 }), JSON.stringify(wrong)).rejects.toThrow(InvalidNamespaceError)
    }
    await expect(store.batch([{ namespace: ["a:b"], key: "k" }])).rejects.toThrow(InvalidNamespaceError)
    await expect(store.batch([{ namespace: [], key: "k", value: { v: 1 } }])).rejects.toThrow(InvalidNamespaceError)
    await expect(store.search(["a.b"])).rejects.toThrow(InvalidNamespaceError)
    expect(await store.listNamespaces()).toEqual([])
  })

  it("works behind AsyncBatchedStore", async () => {
    const store = new AsyncBatchedStore(await open())
    store.start()
    await store.put(["a"], "k", { v: 1 })
    expect((await Promise.all([store.get(["a"], "k"), store.search(["a"])]))[1]).toHaveLength(1)
    await store.stop()
  })
})

describe("DaybookStore", () => {
  it("ranks a search with a query, and puts items without an index last", async () => {
    const store = new DaybookStore(await newMemory())
    await store.put(["facts"], "hidden", { text: "The deploy happens on Mondays" }, false)
    await store.put(["facts"], "cat", { text: "The cat is called Mimi" })
    await store.put(["facts"], "deploy", { text: "The deploy happens on Thursdays" })
    const found = await store.search(["facts"], { query: "deploy day" })
    expect(found.map(({ key }) => key)[0]).toBe("deploy")
    expect(found.find(({ key }) => key === "hidden")).not.toHaveProperty("score")
    expect(found).toHaveLength(3)
    expect(await store.search(["facts"], { query: "deploy", limit: 1 })).toHaveLength(1)
    expect(await store.search(["other"], { query: "deploy" })).toEqual([])
  })

  it("is the agent's memory: items have a history, are searched, and come back by undo", async () => {
    const memory = await newMemory()
    const store = new DaybookStore(memory)
    await store.put(["users", "mira"], "food", { text: "likes olives" })
    await store.put(["users", "mira"], "food", { text: "likes capers" })
    const [hit] = await memory.run(memory.user.search({ text: "capers" }))
    const history = await memory.run(memory.user.history(hit!.id))
    expect(history.map(({ type, actor, memory: { level } }) => [type, actor, level])).toEqual([
      ["ADD", "model", "inner"],
      ["UPDATE", "model", "inner"]
    ])
    await store.delete(["users", "mira"], "food")
    await memory.run(memory.user.undo({ event: (await memory.run(memory.user.history(hit!.id))).at(-1)!.version! }))
    expect((await store.get(["users", "mira"], "food"))?.value).toEqual({ text: "likes capers" })
  })

  it("deletes an item that two processes created at once", async () => {
    const memory = await newMemory()
    const documents = makeDocuments(memory, "langgraph")
    for (const v of [1, 2]) {
      await memory.run(documents.save(JSON.stringify([["a"], "k"]), JSON.stringify({ v }), { isNamed: true }))
    }
    const store = new DaybookStore(memory)
    expect((await store.get(["a"], "k"))?.value).toEqual({ v: 2 })
    await store.delete(["a"], "k")
    expect(await store.get(["a"], "k")).toBeNull()
  })

  it("refuses a namespace that is not an array of strings, in every method", async () => {
    const store = new DaybookStore(await newMemory())
    const wrong = "users" as never
    const calls: ReadonlyArray<() => Promise<unknown>> = [
      () => store.put(wrong, "k", { v: 1 }),
      () => store.get(wrong, "k"),
      () => store.delete(wrong, "k"),
      () => store.search(wrong),
      () => store.search("" as never),
      () => store.listNamespaces({ prefix: wrong }),
      () => store.listNamespaces({ suffix: wrong }),
      () => store.batch([{ namespace: wrong, key: "k", value: { v: 1 } }]),
      () => store.batch([{ namespace: [["users"]] as never, key: "k" }]),
      () => store.batch([{ namespace: undefined as never, key: "k", value: { v: 1 } }])
    ]
    for (const call of calls) {
      await expect(call(), String(call)).rejects.toThrow(InvalidNamespaceError)
    }
    expect(await store.listNamespaces()).toEqual([])
  })

  it("refuses a value that is too long, and writes nothing of its batch", async () => {
    const store = new DaybookStore(await newMemory())
    const batch = [
      { namespace: ["a"], key: "small", value: { v: 1 } },
      { namespace: ["a"], key: "large", value: { v: "x".repeat(70_000) } }
    ]
    await expect(store.batch(batch)).rejects.toThrow("The value of large is longer than")
    expect(await store.get(["a"], "small")).toBeNull()
  })

  it("finds items whose names are long", async () => {
    const store = new DaybookStore(await newMemory())
    const long = ["x".repeat(400), "y".repeat(400)]
    await store.put(long, "z".repeat(400), { v: 1 })
    expect((await store.get(long, "z".repeat(400)))?.value).toEqual({ v: 1 })
  })
})
