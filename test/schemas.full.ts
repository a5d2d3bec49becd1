import { execFile } from "node:child_process"
import { join } from "node:path"
import { promisify } from "node:util"
import { expect, it } from "vitest"
import { root } from "./support/cli.js"

it("the schemas of the OpenAPI document are those of the types", async () => {
  const checked = promisify(execFile)(process.execPath, [join(root, "scripts/schemas.mjs"), "--check"])
  expect(await checked).toMatchObject({ stderr: "" })
})
