import { spawnSync } from "node:child_process"
import { join } from "node:path"
import { expect, it } from "vitest"
import { root } from "./support/cli.js"

it("the schemas of the OpenAPI document are those of the types", () => {
  const { stderr, status } = spawnSync(process.execPath, [join(root, "scripts/schemas.mjs"), "--check"], {
    encoding: "utf8"
  })
  expect([status, stderr]).toEqual([0, ""])
})
