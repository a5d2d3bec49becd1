import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { answerOf, build, daybookIn, lines, newFolder, refusal, removeFolders } from "./support/cli.js"

beforeAll(build, 120_000)
afterAll(removeFolders)

describe("daybook schedules", () => {
  const daybook = daybookIn(newFolder())
  const ids: Array<string> = []

  beforeAll(async () => {
    const calls = [
      ["Tell the desk", "--cron", "30 2 * * *", "--zone", "Europe/Berlin", "--handler", "tides", "--name", "Tides"],
      ["Ask Mira", "--at", "2126-12-01T18:00:00Z", "--notify", "never", "--channel", "desk"],
      ["Look after the kettle", "--every", "15m", "--missed", "each", "--keep", "3", "--command-id", "kettle"]
    ]
    for (const call of calls) ids.push(answerOf(await daybook("schedules", "add", ...call, "--json")).id)
  })

  it("add, list, count and show print the task and its next time in its zone", async () => {
    const again = [
      "Look after the kettle",
      "--every",
      "15m",
      "--missed",
      "each",
      "--keep",
      "3",
      "--command-id",
      "kettle"
    ]
    expect(answerOf(await daybook("schedules", "add", ...again, "--json"))).toMatchObject({
      id: ids[2],
      repeated: true
    })
    const all = answerOf(await daybook("schedules", "--json"))
    expect(all.map(({ id }: { id: string }) => id)).toEqual([...ids].reverse())
    expect(all[1]).toMatchObject({ nextRunAt: "2126-12-01T18:00:00.000Z", notify: "never", channel: "desk" })
    expect(answerOf(await daybook("schedules", "count", "--text", "KETTLE", "--json"))).toEqual({ schedules: 1 })
    expect(answerOf(await daybook("schedules", "list", "--handler", "tides", "--json"))).toHaveLength(1)
    expect(answerOf(await daybook("schedules", "list", "--before", "2126-01-01", "--json"))).toHaveLength(2)
    expect(answerOf(await daybook("schedules", "--as-of", "1", "--json"))).toHaveLength(1)
    const { stdout } = await daybook("schedules", "list")
    expect(lines(stdout)[0]).toMatch(/^id +status +when +next +last +handler +goal$/)
    expect(lines(stdout)[3]).toMatch(
      / active +30 2 \* \* \* Europe\/Berlin +\d{4}-\d\d-\d\d 0[23]:30:00 Europe\/Berlin +tides +Tides$/
    )
    const shown = (await daybook("schedules", "show", ids[2]!)).stdout
    expect(shown).toMatch(/^when +every 15m$/m)
    expect(shown).toMatch(/^keeps +3$/m)
  })

  it("update, pause, resume and delete change a schedule; retime finds nothing to repair", async () => {
    const [, , kettle] = ids
    const said = async (...call: ReadonlyArray<string>) => (await daybook("schedules", ...call)).stdout
    expect(await said("update", kettle!, "--goal", "Look after the pot", "--every", "2h")).toMatch(
      /^updated .* \(version 4\), next .*Z$/m
    )
    expect(await said("pause", kettle!)).toBe(`updated ${kettle} (version 5)\n`)
    expect(answerOf(await daybook("schedules", "list", "--status", "paused", "--json"))).toMatchObject([
      { goal: "Look after the pot" }
    ])
    expect(await said("resume", kettle!)).toMatch(/\(version 6\), next /)
    expect(await said("runs", kettle!)).toBe("nothing found\n")
    expect(await said("retime")).toBe("checked the timers of 1 agent, repaired 0\n")
    expect(await said("delete", kettle!)).toBe(`deleted ${kettle} (version 7)\n`)
    expect((await daybook("log")).stdout).toMatch(/SCHEDULE +cli +\w+ created, Tides, next /)
  })

  it("refuses invalid input in one line", async () => {
    const refusals: ReadonlyArray<readonly [ReadonlyArray<string>, number, string]> = [
      [["frob"], 2, "action: must be one of list, count, show, runs, run, add, update, pause, resume, delete, retime"],
      [["add"], 2, "'schedules add' needs a goal"],
      [["list", "x"], 2, "'schedules list' takes no argument"],
      [["count", "--limit", "3"], 2, "'schedules count' takes no --limit"],
      [["add", "tea", "--every", "soon"], 2, "--every: must be a duration such as 90s, 15m, 2h or 1d"],
      [
        ["add", "tea", "--every", "30s"],
        2,
        "every: must leave at least 60000 ms between runs, as the policy requires in `schedules.minInterval`"
      ],
      [
        ["add", "tea", "--cron", "often"],
        2,
        "cron: must have five or six fields: [second] minute hour day month weekday, such as 30 9 * * mon-fri"
      ],
      [["show", "nobody"], 1, "schedule nobody not found: list the schedules to see their ids"],
      [["run", "nobody"], 1, "run nobody not found: list the runs to see their ids"],
      [["--trust", "inner"], 1, "schedules requires trust level `full`"]
    ]
    for (const [call, code, line] of refusals) {
      expect(refusal(await daybook("schedules", ...call))).toEqual({ code, line: `daybook: ${line}` })
    }
  })
})
