import { execFile } from "node:child_process"
import { join } from "node:path"
import { promisify } from "node:util"
import { describe, expect, it } from "vitest"
import { root } from "./support/cli.js"

describe("the benchmark", () => {
  // Its floor writes Daybook's tables by hand, so a changed column stops it. It checks that both sides store the same.
  it("runs each group whose floor writes the tables of a view", { timeout: 300_000 }, async () => {
    const groups = ["one", "rebuild", "maintain"].flatMap((name) => ["--only", name])
    const script = join(root, "scripts", "bench.mjs")
    const options = { cwd: root, maxBuffer: 2 ** 26 }
    const { stdout } = await promisify(execFile)(
      process.execPath,
      [script, "bench", "--quick", "--json", ...groups],
      options
    )
    const { rows } = JSON.parse(stdout)
    expect(rows.map(({ name }: { name: string }) => name)).toEqual(
      expect.arrayContaining([expect.stringContaining("one at a time"), expect.stringMatching(/rebuild of .* events/)])
    )
  })
})
