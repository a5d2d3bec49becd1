import { setFlagsFromString } from "node:v8"
import { runInNewContext } from "node:vm"
import Database from "better-sqlite3"
import { describe, expect, it } from "vitest"
import { conversation } from "../projections/conversation.js"
import { summaries } from "../projections/summaries.js"
import { sessions } from "../src/maintenance/stages/sessions.js"
import { defaults } from "../src/ports/Policy.js"
import { estimateTokens as estimate } from "../text/normalise/countTokens.js"

const tools = { newId: () => "new", countTokens: estimate }

/** A view with the sessions that are said, each a list of turns: who says what. */
const viewOf = (said: Iterable<ReadonlyArray<readonly [string, string]>>) => {
  const db = new Database(":memory:")
  for (const { indexes = "", tables } of [conversation, summaries]) db.exec(`${tables} ${indexes}`)
  const turn = db.prepare("INSERT INTO turns VALUES (?, ?, ?, 'private', 0, ?, 1, ?)")
  const session = db.prepare("INSERT INTO sessions VALUES (?, 'private', 0, ?, 0, ?, 1, 1, ?, 0)")
  let born = 0
  let number = 0
  db.transaction(() => {
    for (const turns of said) {
      const name = `s${++number}`
      for (const [at, [role, text]] of turns.entries())
        turn.run(++born, `t${born}`, name, at + 1, JSON.stringify({ role, text }))
      session.run(name, turns.length, turns.length, born)
    }
  })()
  return db
}

const gathered = (db: ReturnType<typeof viewOf>, rows: number) => {
  const policy = { ...defaults, sessions: { ...defaults.sessions, rows } }
  const gathering = sessions.gather(policy, 10 ** 12, tools, "private")
  while (gathering.readMore!(db)) {}
  return gathering
}

describe("the stage that summarizes sessions", () => {
  it("finds sessions behind any number of silent ones", () => {
    const silent = Array.from({ length: 10_050 }, () => [["tool", "06:40"]] as const)
    const db = viewOf([...silent, [["user", "Is the pump on?"]], [["user", "Is the door shut?"]]])
    const { events, left } = gathered(db, 200).plan(tools, [])
    expect([events.length, left]).toEqual([2, false])
    const first = gathered(db, 1).plan(tools, [])
    expect([first.events.length, first.left]).toEqual([1, true])
  })

  it("reads no more of a session than it summarizes", () => {
    setFlagsFromString("--expose-gc")
    const gc = runInNewContext("gc") as () => void
    const count = 16
    const db = viewOf(
      (function* () {
        for (let at = 0; at < count; at++) {
          yield Array.from(
            { length: 200 },
            (_, turn) =>
              [
                turn % 2 === 0 ? "user" : "assistant",
                `We decided on number ${at} ${turn}. ${"It goes on and on. ".repeat(200)}`
              ] as const
          )
        }
      })()
    )
    gc()
    const before = process.memoryUsage().heapUsed
    const gathering = gathered(db, count)
    gc()
    // 4,000 characters of 200 turns would be 800 kB for each.
    expect((process.memoryUsage().heapUsed - before) / count).toBeLessThan(200_000)
    expect(gathering.plan(tools, []).events.length).toBe(count)
  })
})
