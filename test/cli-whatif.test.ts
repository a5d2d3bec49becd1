import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { type Judgement, Reconciler, type Verdict } from "../src/ports/Reconciler.js"
import type { WhatIf } from "../src/whatIf/WhatIf.js"
import { answerOf, build, daybookIn, newFolder, refusal, removeFolders } from "./support/cli.js"
import { open } from "./support/engine.js"

beforeAll(build, 120_000)
afterAll(removeFolders)

const verdicts: ReadonlyArray<Verdict> = [
  { action: "UPDATE", target: 0, reason: "more of it" },
  { action: "DELETE", target: 0, reason: "another port" },
  { action: "NONE", target: 0, reason: "said already" }
]

describe("daybook what-if", () => {
  const folder = newFolder()
  const daybook = daybookIn(folder)
  const log = () => readFileSync(join(folder, "log.db")).toString("base64")
  let events = 0

  beforeAll(async () => {
    let next = 0
    const judge = (): Judgement => ({
      verdict: verdicts[next++ % verdicts.length]!,
      by: { kind: "rule", name: "scripted" },
      sure: true
    })
    await Effect.gen(function* () {
      const reconciler = Layer.succeed(Reconciler, { name: "scripted", judge })
      const engine = yield* open(folder, { reconciler })
      const memory = yield* engine.agent("default", { trust: "full" })
      // In one transaction, so that no vectors of the background stand between them.
      yield* memory.rememberAll(
        Array.from({ length: 7 }, (_, at) => [
          { title: `The staging database listens on port ${6_000 + at}`, facts: [`seen: ${6_000 + at}`] },
          {}
        ])
      )
      // The background may add vectors as one more event.
      yield* engine.backfill("default")
      events = (yield* engine.verify("default")).events
    }).pipe(Effect.scoped, Effect.runPromise)
  })

  it("prints the differences as JSON and changes nothing", async () => {
    const before = log()
    const found: WhatIf = answerOf(await daybook("what-if", "--reconciler", "none", "--json"))
    expect(found.decisions.map(({ before, version }) => [version, before.outcome])).toEqual([
      [2, "merged"],
      [3, "replaced"],
      [4, "mentioned"],
      [5, "merged"],
      [6, "replaced"],
      [7, "mentioned"]
    ])
    expect(found.decisions.every(({ after }) => after.outcome === "added")).toBe(true)
    expect(found.counts).toMatchObject({ events, decided: 7, different: 6, memories: { live: 1, branch: 7 } })
    expect(log()).toBe(before)
    expect(existsSync(join(folder, "cache")) ? readdirSync(join(folder, "cache")) : []).toEqual([])
  })

  it("prints tables of limited length, memories and counts", async () => {
    const { code, stdout } = await daybook("what-if", "--reconciler", "none", "--limit", "2")
    expect(code).toBe(0)
    expect(stdout).toContain("Decisions that change")
    expect(stdout).toMatch(/version +now +replay +why +title/)
    expect(stdout).toMatch(/2 +merged [a-z0-9]{10} +added +reconciler +The staging database listens on port 6001/)
    expect(stdout).toContain("… and 4 more")
    expect(stdout).toContain("Memories that exist only in the replay")
    expect(stdout).toMatch(/decisions +7 replayed, 6 changed, 1 the same for another reason/)
    expect(stdout).toMatch(/memories +1 now, 7 in the replay/)
    expect(stdout).not.toContain("6006")
  })

  it("accepts a range of versions and a policy file", async () => {
    writeFileSync(join(folder, "strict.toml"), "[reconcile]\nreconciler = 'none'\n")
    const found: WhatIf = answerOf(
      await daybook("what-if", "--policy", join(folder, "strict.toml"), "--from", "3", "--to", "5", "--json")
    )
    expect(found).toMatchObject({ from: 3, to: 5, counts: { decided: 3, different: 3 } })
    const whole = answerOf(await daybook("what-if", "--from", "1", "--to", "1", "--json"))
    expect(whole.decisions).toEqual([])
    expect((await daybook("what-if", "--from", "1", "--to", "1")).stdout).toContain("Nothing would change")
  })

  it("names and refuses settings that it does not follow, unless they are unchanged", async () => {
    const file = join(folder, "gc.toml")
    writeFileSync(file, "[gc]\ncapacity = 3\nremoveAfter = 30\n[tiers]\ndecay = 1\n[reconcile]\nthreshold = 0.4\n")
    expect(refusal(await daybook("what-if", "--policy", file))).toEqual({
      code: 2,
      line: "daybook: policy: the replay ignores gc.capacity, tiers.decay: only `reconcile` and `search.commonShare` may differ from the current policy"
    })
    writeFileSync(file, "[gc]\ncapacity = 500\n[search]\ncommonShare = 0.5\n")
    expect((await daybook("what-if", "--policy", file)).code).toBe(0)
  })

  it("refuses invalid input in one line", async () => {
    for (const [args, code, line] of [
      [["--threshold", "2"], 2, /--threshold: must be a number from 0 to 1/],
      [["--policy", join(folder, "none.toml")], 1, /none.toml: cannot be read: check the path and the permissions$/],
      [["--from", String(events + 1)], 2, new RegExp(`from: must be a whole number from 1 to ${events}$`)],
      [["--trust", "inner"], 1, /what-if requires trust level `full`/]
    ] as const) {
      const refused = refusal(await daybook("what-if", ...args))
      expect(refused.code).toBe(code)
      expect(refused.line).toMatch(line)
    }
    expect((await daybook("what-if", "--reconciler", "oracle")).code).toBe(2)
  })
})
