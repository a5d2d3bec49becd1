import { createHash } from "node:crypto"
import * as fc from "fast-check"
import { describe, expect, it } from "vitest"
import { sha256OfParts } from "../events/sha256.js"

describe("sha256OfParts", () => {
  it("is the hash of the parts after one another, also of long ones and of broken characters", () => {
    const part = fc.oneof(
      fc.uint8Array(),
      fc.string({ unit: "binary" }),
      fc.constantFrom("\ud800", "", "€".repeat(21_845), "€".repeat(30_000), "e".repeat(40_000), new Uint8Array(40_000))
    )
    fc.assert(
      fc.property(fc.array(part, { maxLength: 5 }), (parts) => {
        const hash = createHash("sha256")
        for (const part of parts) hash.update(typeof part === "string" ? Buffer.from(part) : part)
        expect(sha256OfParts(...parts)).toEqual(hash.digest())
      })
    )
  })
})
