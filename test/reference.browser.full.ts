import { spawnSync } from "node:child_process"
import { afterAll, beforeAll, describe, expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { type Browser, chromium } from "playwright-core"
import { openApi } from "../layers/http/api/openApi.js"
import { startServer } from "./support/httpServer.js"

/** The browser's program, if this machine has one. `.ci/run` installs it. */
const program = ["chromium", "chromium-browser", "google-chrome"]
  .map((name) => spawnSync("sh", ["-c", `command -v ${name}`], { encoding: "utf8" }).stdout.trim())
  .find((path) => path !== "")

const open = async (browser: Browser, url: string) => {
  const page = await browser.newPage({ viewport: { width: 1200, height: 900 } })
  const requests: Array<string> = []
  const faults: Array<string> = []
  page.on("request", (request) => requests.push(request.url()))
  page.on("pageerror", ({ message }) => faults.push(message))
  page.on("console", (message) => {
    if (["error", "warning"].includes(message.type())) faults.push(message.text())
  })
  await page.goto(`${url}/reference`)
  await page.locator(".opblock").first().waitFor()
  return { page, requests, faults }
}

describe("the reference page in a browser", () => {
  let browser: Browser | undefined
  beforeAll(async () => {
    // As root, for example in a container, chromium starts only without its sandbox.
    const args = process.getuid?.() === 0 ? ["--no-sandbox"] : []
    if (program !== undefined) browser = await chromium.launch({ executablePath: program, args })
  })
  afterAll(() => browser?.close())

  it.scopedLive("shows every operation, loads nothing from elsewhere, and sends a call with the token", () =>
    Effect.gen(function* () {
      if (browser === undefined) return console.log("the reference page was not looked at: chromium is missing")
      const { daybook, port, tokenFor, url } = yield* startServer()
      const memory = yield* daybook.agent("coop", { trust: "full" })
      yield* memory.remember({ title: "The ferry leaves at noon" })
      const { text } = yield* tokenFor("coop", "full")
      const { faults, page, requests } = yield* Effect.promise(() => open(browser!, url))
      yield* Effect.promise(async () => {
        const { paths } = openApi() as { readonly paths: Readonly<Record<string, object>> }
        const count = Object.values(paths).flatMap(Object.keys).length
        expect(await page.locator(".opblock").count()).toBe(count)

        await page.locator(".btn.authorize").click()
        await page.locator(".auth-container input").fill(text)
        await page.locator(".auth-btn-wrapper .authorize").click()
        await page.locator(".auth-btn-wrapper .btn-done").click()
        const list = page.locator(".opblock-get", { has: page.locator('[data-path="/memories"]') })
        await list.locator(".opblock-summary-control").click()
        await list.locator(".try-out__btn").click()
        await list.locator(".execute").click()
        await list.locator(".live-responses-table .highlight-code", { hasText: "The ferry leaves at noon" }).waitFor()
      })
      const origin = `http://127.0.0.1:${port}`
      const elsewhere = requests.filter((address) => !address.startsWith(origin) && !address.startsWith("data:"))
      expect(elsewhere).toEqual([])
      expect(requests).toContain(`${origin}/memories`)
      expect(faults).toEqual([])
    })
  )
})
