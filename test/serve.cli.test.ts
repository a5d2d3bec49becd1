import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { answerOf, build, daybookIn, newFolder, removeFolders } from "./support/cli.js"
import { serving } from "./support/serving.js"
import { rounds } from "./support/size.js"

beforeAll(build)
afterAll(removeFolders)

describe("daybook serve", () => {
  it("serves tokens that another process adds, and ends with code 0 on a signal", async () => {
    const data = newFolder()
    const daybook = daybookIn(data)
    const { child, ended, output, url } = await serving(data)
    expect(output.stderr).toBe("no token exists yet: add one with 'daybook token add --agent NAME --trust LEVEL'\n")
    const { token } = answerOf(await daybook("--json", "token", "add", "--agent", "coop", "--trust", "full"))
    const ask = (path: string) => fetch(`${url}${path}`, { headers: { authorization: `Bearer ${token}` } })
    expect((await ask("/stats?agent=coop")).status).toBe(200)
    expect((await fetch(`${url}/health`)).status).toBe(200)
    child.kill("SIGTERM")
    expect(await ended).toBe(0)
  })

  it("has every answered write, once, after it is killed while it writes", async () => {
    const data = newFolder()
    const daybook = daybookIn(data)
    const { token } = answerOf(await daybook("--json", "token", "add", "--agent", "coop", "--trust", "full"))
    const answered: Array<string> = []
    let number = 0
    for (let round = 0; round < rounds({ quick: 1, full: 20, ci: 3 }); round++) {
      const { child, ended, url } = await serving(data)
      const writer = async () => {
        for (;;) {
          const title = `Write number ${++number}`
          const written = await fetch(`${url}/memories?agent=coop`, {
            method: "POST",
            headers: { authorization: `Bearer ${token}`, "content-type": "application/json" },
            body: JSON.stringify({ title, type: "event" })
          }).catch(() => undefined)
          if (written === undefined) return
          expect(written.status).toBeLessThan(300)
          answered.push(title)
        }
      }
      const writers = Array.from({ length: 4 }, writer)
      const target = answered.length + 10 + ((round * 7) % 30)
      while (answered.length < target) await new Promise((resolve) => setTimeout(resolve, 5))
      child.kill("SIGKILL")
      await Promise.all([ended, ...writers])
    }
    const rows: ReadonlyArray<{ readonly title: string }> = answerOf(
      await daybook("--json", "list", "--agent", "coop", "--limit", "1000")
    )
    const titles = rows.map(({ title }) => title)
    expect(new Set(titles).size).toBe(titles.length)
    expect(answered.filter((title) => !titles.includes(title))).toEqual([])
    expect((await daybook("verify")).code).toBe(0)
  })

  it("ends with code 1 and one line when its port is in use", async () => {
    const data = newFolder()
    const first = await serving(data)
    const { port } = new URL(first.url)
    await expect(serving(data, ["--port", port])).rejects.toThrow(
      `daybook: cannot listen on 127.0.0.1:${port}: the port is in use: pass another --port`
    )
    first.child.kill("SIGINT")
    expect(await first.ended).toBe(0)
  })
})
