import { expect, it } from "vitest"
import { storm } from "./support/mcpStorm.js"

it("10,000 calls lose nothing and store nothing twice, while client and server are killed", async () => {
  const figures = await storm(10_000, 60)
  console.log(figures)
  expect(figures).toMatchObject({ lost: 0, twice: 0, errors: [] })
  expect(figures.kills.client + figures.kills.server).toBeGreaterThan(20)
})
