import { setFlagsFromString } from "node:v8"
import { runInNewContext } from "node:vm"
import * as fc from "fast-check"
import { describe, expect, it } from "vitest"
import { readingOf } from "../layers/languages/en/settling/readings.js"
import { ownText } from "../text/normalise/ownText.js"
import { wordSet } from "../text/normalise/similarity.js"
import { stemOf } from "../text/normalise/stem.js"

setFlagsFromString("--expose-gc")
const collect = runInNewContext("gc") as () => void

describe("a copied text", () => {
  it("equals its original", () => {
    fc.assert(
      fc.property(fc.string({ unit: "binary" }), fc.nat(20), (text, from) => {
        expect(ownText(text.slice(from))).toBe(text.slice(from))
      })
    )
    expect(ownText("\ud800 and \udfff alone, in a long text")).toBe("\ud800 and \udfff alone, in a long text")
  })

  it.each([
    ["stems", stemOf, 30],
    ["word sets", wordSet, 300],
    ["readings", readingOf, 10_000]
  ] as const)("is what the cache of %s keeps, and not the text from which it was cut", (_, read, length) => {
    const size = 1_000_000
    const heap = () => {
      collect()
      return process.memoryUsage().heapUsed
    }
    const before = heap()
    for (let index = 0; index < 40; index++) {
      const text = Buffer.alloc(size, `word${index}and`).toString("latin1")
      read(text.slice(1, length))
    }
    expect(heap() - before).toBeLessThan(10 * size)
  })
})
