import * as fc from "fast-check"
import { expect, it } from "vitest"
import { itemsPerStep, sortInSteps } from "../projections/sortInSteps.js"

const sorted = (items: ReadonlyArray<number>) => [...sortInSteps(items, (a, b) => Math.floor(a) - Math.floor(b))]

it("sorts as an array does, and keeps the order of equal items", () => {
  fc.assert(
    fc.property(
      fc.array(fc.integer({ min: 0, max: 50 }), { maxLength: 300 }),
      fc.integer({ min: 0, max: 3 * itemsPerStep }),
      (few, more) => {
        const items = [...few, ...Array.from({ length: more }, (_, at) => (at * 7919) % 1_000)].map(
          (item, at) => item + at / 1e6
        )
        const expected = [...items].sort((a, b) => Math.floor(a) - Math.floor(b))
        expect(sorted(items).filter((item) => item !== undefined)).toEqual(expected)
      }
    ),
    { numRuns: 30 }
  )
})

it("lets the event loop run before many items, and not before few", () => {
  const steps = (count: number) =>
    sorted(Array.from({ length: count }, (_, at) => -at)).filter((item) => item === undefined).length
  expect(steps(itemsPerStep)).toBe(0)
  expect(steps(8 * itemsPerStep)).toBeGreaterThanOrEqual(8 + 3 * 8)
})
