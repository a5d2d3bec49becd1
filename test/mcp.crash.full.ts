import { expect, it } from "vitest"
import { storm } from "./support/mcpStorm.js"
import { rounds } from "./support/size.js"

it("an answered call is stored, and stored once, however often client and server are killed", async () => {
  const { calls, kills } = rounds({
    quick: { calls: 150, kills: 3 },
    full: { calls: 4_000, kills: 30 },
    ci: { calls: 400, kills: 6 }
  })
  const figures = await storm(calls, kills)
  console.log(figures)
  expect(figures).toMatchObject({ lost: 0, twice: 0, errors: [] })
  expect(figures.kills.client + figures.kills.server).toBeGreaterThanOrEqual(2)
})
