import { describe, expect, it } from "@effect/vitest"
import BetterSqlite3 from "better-sqlite3"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as TestClock from "effect/TestClock"
import { afterImages, type DaybookEvent } from "../events/catalogue.js"
import type { Memory } from "../events/Memory.js"
import { observations } from "../projections/observations.js"
import { recalls } from "../projections/recalls.js"
import { makeLookup } from "../projections/view/decodePage.js"
import { countActions } from "../src/maintenance/counts.js"
import { portionCommand } from "../src/maintenance/portionCommand.js"
import { planStage, type Stage } from "../src/maintenance/Stage.js"
import { dayMillis, type Row } from "../src/maintenance/stageRow.js"
import { archive } from "../src/maintenance/stages/archive.js"
import { compress } from "../src/maintenance/stages/compress.js"
import { daily } from "../src/maintenance/stages/daily.js"
import { gc } from "../src/maintenance/stages/gc.js"
import { retention } from "../src/maintenance/stages/retention.js"
import { decode } from "../src/ports/Policy.js"
import { isNote } from "../src/remember/candidates.js"
import { estimateTokens as estimate } from "../text/normalise/countTokens.js"
import { fresh } from "./support/engine.js"

const now = Date.UTC(2026, 2, 18, 12)

let born = 0
/** A memory that was captured so many days ago. */
const row = (days: number, fields: Partial<Memory> = {}): Row => {
  const at = now - days * dayMillis
  born++
  const memory: Memory = {
    id: `m${born}`,
    born,
    revision: 1,
    status: "active",
    type: "event",
    title: `thing ${born} of ${born * 7}`,
    facts: [],
    tags: [],
    people: [],
    files: [],
    source: { kind: "auto" },
    store: "private",
    tier: "mid",
    importance: 0,
    mentions: 1,
    lastMentionedAt: at,
    createdAt: at,
    updatedAt: at,
    tokens: 9,
    ...fields
  }
  return { memory, accesses: undefined }
}

const planned = (stage: Stage, rows: ReadonlyArray<Row>, policy: object = {}) => {
  let made = 0
  const tools = { newId: () => `new${++made}`, countTokens: estimate }
  return planStage(stage, rows, Either.getOrThrow(decode(policy)), now, tools)
}

describe("daily", () => {
  it("merges only whole groups, also at the limit of a run", () => {
    const log = (project: string, count: number) =>
      Array.from({ length: count }, () => row(1, { tier: "daily", project }))
    const { events, left } = planned(daily, [...log("harbour", 4), ...log("office", 6)], { maintenance: { rows: 8 } })
    expect(left).toBe(true)
    expect(events.map(({ type }) => type)).toEqual(["COMPRESS"])
    // Neither is what is left of a group that is as large as the bound.
    const cut = planned(daily, log("quay", 6), { maintenance: { rows: 6 } })
    expect(cut).toMatchObject({ counts: { compressed: 4, made: 1 }, left: true })
    const [event] = planned(daily, log("pier", 1)).events
    expect(event!.payload).toMatchObject({
      decision: { reason: "no other memory of that day has its type, project and topic" }
    })
  })
})

describe("the archive", () => {
  const start = Date.UTC(2026, 0, 1, 9)
  const prepared = Effect.gen(function* () {
    yield* TestClock.setTime(start)
    const policy = { actors: { idle: 1_000 * 365 * dayMillis }, recall: { log: true } }
    const { daybook } = yield* fresh({ vectorExtension: null, policy })
    const memory = yield* daybook.agent("ada", { trust: "full" })
    const {
      turn: { id: turn }
    } = yield* memory.sessions.append({ session: "monday", text: "Fog at six." })
    const source = { kind: "auto" } as const
    const { id } = yield* memory.remember({ title: "Fog at six", source, from: [{ kind: "turn", id: turn }] })
    const { id: other } = yield* memory.remember({ title: "Tea at four", source })
    yield* TestClock.setTime(start + 40 * dayMillis)
    return { daybook, memory, id, other }
  })

  it.scoped("takes a memory by hand, as far as its writer's level allows", () =>
    Effect.gen(function* () {
      const { daybook, id, memory } = yield* prepared
      const familiar = yield* daybook.agent("ada", { trust: "familiar" })
      expect(yield* Effect.flip(familiar.archive.add(id))).toMatchObject({ _tag: "MemoryNotFound" })
      const open = yield* memory.remember({ title: "Open to all", store: "social" })
      expect(yield* Effect.flip(familiar.archive.add(open.id))).toMatchObject({ _tag: "LevelTooLow" })
      const added = yield* memory.archive.add(open.id, { commandId: "once" })
      expect(added).toMatchObject({ outcome: "archived", id: open.id, repeated: false })
      expect(yield* memory.archive.add(open.id, { commandId: "once" })).toEqual({ ...added, repeated: true })
      expect(yield* memory.get([open.id])).toEqual([])
      expect(yield* memory.search({ text: "Open to all" })).toEqual([])
      expect(yield* memory.archive.list()).toMatchObject([{ id: open.id, reason: "asked to archive it" }])
      yield* memory.undo({ event: added.version! })
      expect(yield* memory.get([open.id])).toMatchObject([{ tier: "long" }])
    })
  )

  it.scoped("can be forgotten from", () =>
    Effect.gen(function* () {
      const { id, memory } = yield* prepared
      yield* memory.maintenance.run({ stages: ["archive"] })
      expect((yield* memory.archive.list()).length).toBe(2)
      yield* memory.forget(id)
      expect((yield* memory.archive.list()).map((one) => one.title)).toEqual(["Tea at four"])
      expect(yield* Effect.flip(memory.archive.restore(id))).toMatchObject({ _tag: "MemoryNotFound" })
    })
  )

  it.scoped("restores a memory as stale if it lost its source meanwhile", () =>
    Effect.gen(function* () {
      const { id, memory } = yield* prepared
      yield* memory.maintenance.run({ stages: ["archive"] })
      yield* memory.sessions.forget("monday")
      expect((yield* memory.archive.list()).length).toBe(2)
      yield* memory.archive.restore(id)
      expect((yield* memory.get([id]))[0]).toMatchObject({ stale: { kind: "turn", reason: "forgotten" } })
    })
  )

  it.scoped("keeps the time and reason of archiving when an undo brings a memory back", () =>
    Effect.gen(function* () {
      const { daybook, id, memory } = yield* prepared
      yield* memory.maintenance.run({ stages: ["archive"] })
      const before = yield* memory.archive.list()
      yield* TestClock.setTime(start + 50 * dayMillis)
      const { version } = yield* memory.archive.restore(id)
      yield* memory.undo({ event: version! })
      const told = ({ archivedAt, id, reason }: (typeof before)[number]) => [id, archivedAt, reason]
      expect((yield* memory.archive.list()).map(told)).toEqual(before.map(told))
      // Half a year at a time: maintenance waits where the clock seems to have jumped by more than a year.
      yield* TestClock.setTime(start + 250 * dayMillis)
      yield* memory.remember({ title: "the tide turns at noon" })
      yield* TestClock.setTime(start + 500 * dayMillis)
      const [run] = yield* memory.maintenance.run({ stages: ["cleanup"] })
      yield* memory.undo({ run: run!.run! })
      expect((yield* memory.archive.list()).map(told)).toEqual(before.map(told))
      const live = yield* daybook.digests("ada")
      yield* daybook.rebuild("ada")
      expect(yield* daybook.digests("ada")).toEqual(live)
    })
  )
})

describe("changes by others while a run is planned", () => {
  it("keep memories that were shown; the report has exactly the written changes", () => {
    const db = new BetterSqlite3(":memory:")
    observations.tables.split(";\n").forEach((text) => void db.exec(text))
    db.exec(recalls.tables)
    const rows = [row(40), row(40)]
    for (const { memory } of rows) {
      const event = { type: "ADD", version: memory.born, payload: { memory } } as unknown as DaybookEvent
      observations.apply(
        db,
        event,
        makeLookup(() => undefined)
      )
    }
    const { events } = planned(archive, rows)
    const [seen, unseen] = rows.map(({ memory }) => memory)
    db.prepare("INSERT INTO accesses (id, accesses, accessed_at) VALUES (?, 1, ?)").run(seen!.id, now)
    const decide = (shown: ReadonlyMap<string, number>) =>
      Either.getOrThrow(
        portionCommand({ run: "r", actor: "a", started: undefined, events, shown, generation: db.name }).decide({
          db,
          version: 9
        } as never)
      ) as { readonly events?: ReadonlyArray<DaybookEvent> }
    const archived = (shown: ReadonlyMap<string, number>) => (decide(shown).events ?? []).flatMap(afterImages)
    expect(archived(new Map()).map(({ id }) => id)).toEqual([unseen!.id])
    expect(countActions("archive", decide(new Map()).events ?? [])).toEqual({ archived: 1 })
    expect(archived(new Map([[seen!.id, 1]]))).toHaveLength(2)
  })
})

describe("a memory that the rules move", () => {
  it("does not count as changed for retention, and stays where it is", () => {
    const narrative = "It was a long day at the harbour, with this and that. ".repeat(20)
    const told = row(91, { narrative, mentions: 4, lastMentionedAt: now - dayMillis })
    const made = (stage: Stage, one: Row) =>
      planned(stage, [one]).events.flatMap((event) => afterImages(event as never))
    const [long] = made(gc, told)
    expect(long).toMatchObject({ tier: "long", updatedAt: told.memory.updatedAt })
    const [dropped] = made(retention, { memory: long!, accesses: undefined })
    expect(dropped).not.toHaveProperty("narrative")
    const [mid] = made(gc, row(91, { narrative, tier: "long", promotedAt: now - 60 * dayMillis }))
    expect(mid).toMatchObject({ tier: "mid", movedAt: now })
    // It has the days of a mid memory before it goes.
    expect(made(archive, { memory: mid!, accesses: undefined })).toEqual([])
    const [kept] = made(daily, row(91, { tier: "daily", narrative }))
    expect(made(retention, { memory: kept!, accesses: undefined })).toHaveLength(1)
  })
})

describe("compress", () => {
  const three = (fields: Partial<Memory>, facts: ReadonlyArray<string>) =>
    facts.map((fact) => row(20, { ...fields, facts: [fact, "it is said every week of the year, again and again"] }))
  const folded = (rows: ReadonlyArray<Row>) => planned(compress, rows).counts.compressed ?? 0

  it("skips stale memories", () => {
    const stale = { kind: "turn", of: "t", reason: "forgotten" } as const
    const facts = ["the cranes run", "the cranes stand", "the cranes lie"]
    expect(folded(three({ title: "Report" }, facts))).toBe(3)
    expect(folded(three({ title: "Report", stale }, facts))).toBe(0)
  })

  it("merges standalone types only if they say the same", () => {
    for (const type of ["preference", "identity", "decision", "config"]) {
      expect(folded(three({ title: "Editor", type }, ["Vim", "Emacs", "Zed"]))).toBe(0)
      expect(folded(three({ title: "Editor", type }, ["Vim", "Vim", "Vim"]))).toBe(3)
    }
    expect(folded(three({ title: "Door", type: "credential" }, ["1234", "1234", "1234"]))).toBe(0)
  })

  it("adds memories without asking the reconciler", () => {
    const { events } = planned(
      compress,
      three({ title: "Report" }, ["the cranes run", "the crane broke", "all is well"])
    )
    const made = events.flatMap((event) => afterImages(event as never)).filter(({ status }) => status === "active")
    expect(made.map(isNote)).toEqual([true])
  })
})
