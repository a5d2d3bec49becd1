import { describe, expect, it } from "@effect/vitest"
import type * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import type { Daybook } from "../src/Daybook.js"
import { type Answered, requestBytes, sendRaw, startServer } from "./support/httpServer.js"

type System = Context.Tag.Service<Daybook>

/** Milliseconds for which a request keeps the process busy. */
const busyMillis = 20

/** An engine whose every request costs the process the same time. */
const busy = (daybook: System): System =>
  new Proxy(daybook, {
    get: (target, name: keyof System) => {
      if (name !== "agent" && name !== "stats") return target[name]
      const until = performance.now() + busyMillis
      while (performance.now() < until);
      return target[name]
    }
  })

interface Timed extends Answered {
  /** Milliseconds since the start at which it was sent, and until it was answered. */
  readonly sentAt: number
  readonly millis: number
  /** Undefined for a read. */
  readonly title: string | undefined
}

const callers = 40
const seconds = 5

/** Callers that each send again as soon as they are answered: all together they wait for 800 ms. One call of four writes. */
const overload = (port: number, token: string): Promise<ReadonlyArray<Timed>> => {
  const startedAt = performance.now()
  const answers: Array<Timed> = []
  const caller = async (name: number) => {
    for (let number = name; performance.now() - startedAt < seconds * 1_000; number++) {
      const sentAt = performance.now()
      const title = number % 4 === 0 ? `Caller ${name} writes number ${number}` : undefined
      const write = { method: "POST", path: "/memories?agent=coop", body: JSON.stringify({ title, type: "note" }) }
      const parts = title === undefined ? { path: "/stats?agent=coop" } : write
      const answer = await sendRaw(port, requestBytes(port, token, parts), 30_000)
      answers.push({ ...answer, title, sentAt: sentAt - startedAt, millis: performance.now() - sentAt })
    }
  }
  return Promise.all(Array.from({ length: callers }, (_, name) => caller(name))).then(() => answers)
}

const median = (answers: ReadonlyArray<Timed>): number =>
  answers.map(({ millis }) => millis).sort((a, b) => a - b)[answers.length >> 1]!

describe("a server with more requests than it can answer", () => {
  it.scopedLive(
    "refuses those that would wait, at once, so that it answers the others soon, and stores what it acknowledged",
    () =>
      Effect.gen(function* () {
        const { daybook, port, tokenFor } = yield* startServer({
          wrap: busy,
          limits: { queueTime: 250, burstTime: 500 }
        })
        const { text } = yield* tokenFor("coop", "full")
        const answers = yield* Effect.promise(() => overload(port, text))
        // 429 is the share of the token, which all callers use; it may be reached first.
        const statuses = new Set(answers.map(({ status }) => status).filter((status) => status !== 429))
        expect([...statuses].sort()).toEqual([200, 503])
        const refused = answers.filter(({ status }) => status === 503)
        for (const { body, headers } of refused) {
          expect(headers).toMatch(/retry-after: \d+/i)
          expect(JSON.parse(body)).toMatchObject({ title: "Overloaded", status: 503 })
        }
        // Without the bound, each caller waits for all others.
        const answered = answers.filter(({ status }) => status === 200)
        expect(answered.length).toBeGreaterThan(20)
        expect(median(answered)).toBeLessThan((callers * busyMillis) / 1.5)
        expect(median(refused)).toBeLessThan((callers * busyMillis) / 1.5)
        const acknowledged = answers.flatMap(({ status, title }) =>
          status === 200 && title !== undefined ? [title] : []
        )
        const memory = yield* daybook.agent("coop", { trust: "full" })
        const stored = yield* memory.list({ limit: 1_000 })
        expect(acknowledged.length).toBeGreaterThan(3)
        expect(stored.map(({ title }) => title)).toEqual(expect.arrayContaining(acknowledged))
        // As soon as the callers stop, the server answers again.
        const next = yield* Effect.promise(() => sendRaw(port, requestBytes(port, text, { path: "/stats?agent=coop" })))
        expect(next.status).toBe(200)
      }),
    60_000
  )
})
