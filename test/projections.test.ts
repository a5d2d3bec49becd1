import { existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { describe, expect, it } from "@effect/vitest"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Layer from "effect/Layer"
import { EventLog } from "../events/EventLog.js"
import * as EventLogSqlite from "../events/EventLogSqlite.js"
import type { TrustLevel } from "../events/Trust.js"
import { runAllSteps } from "../events/turns.js"
import { projections as all } from "../projections/all.js"
import { findChanges } from "../projections/history.js"
import { findRestrictedOpenness, findTimeNeighbours, getMemories } from "../projections/observationReads.js"
import { findCandidates, findRecentMemories, readIndexRows } from "../projections/observationSearch.js"
import { contentDigest, findById, findDuplicates } from "../projections/observations.js"
import { type Db, type Projection, sql } from "../projections/Projection.js"
import { findPeople } from "../projections/people.js"
import { countRecalls, findAccesses, findRecall, findRecalls, lastRecallNumber } from "../projections/recalls.js"
import {
  countSchedules,
  findDueSchedules,
  findSchedule,
  findScheduleRun,
  findScheduleRuns,
  findSchedules,
  firstDueAt,
  nextDueAt
} from "../projections/scheduleReads.js"
import { outputDigest } from "../projections/schedules.js"
import * as Generations from "../projections/view/generations.js"
import * as ViewFile from "../projections/view/ViewFile.js"
import { Views } from "../projections/view/Views.js"
import { checkIntegrity, computeDigests } from "../projections/view/viewChecks.js"
import { findWordings } from "../projections/wordings.js"
import { foundation, open, temporaryFolder } from "./support/engine.js"
import { direction, story, type Told, tell, tellAtOnce, timeOf } from "./support/events.js"

const agent = "ada"
const later = timeOf(10_000)
const textTables = ["", "chunk_"].flatMap((prefix) =>
  ["full", "inner", "familiar"].map((level) => `${prefix}text_${level}`)
)

/** A process of its own on the folder: its log and its view of the agent. */
const processOn = (
  folder: string,
  projections: ReadonlyArray<Projection> = all,
  meet: Effect.Effect<unknown> = Effect.void
) =>
  Effect.gen(function* () {
    const shared = Layer.effect(
      EventLog,
      Effect.map(EventLog, (log) => ({ ...log, read: (...asked) => Effect.zipLeft(log.read(...asked), meet) }))
    ).pipe(Layer.provide(EventLogSqlite.layer(folder)))
    const context = yield* Layer.build(foundation(folder, { projections, log: shared }))
    const [log, views] = [Context.get(context, EventLog), Context.get(context, Views)]
    const view = yield* views.open(agent)
    return { log, views, view, read: <A>(f: (db: Db) => A) => views.read(view, f) }
  })

const digestOf = (db: Db, projections: ReadonlyArray<Projection> = all) =>
  runAllSteps(computeDigests(db, projections, "digest")).each

/** Where two processes wait for each other once it is set, and pass when both have come. */
const meeting = Effect.gen(function* () {
  const both = yield* Effect.makeLatch(true)
  let missing = 0
  return {
    set: Effect.suspend(() => {
      missing = 2
      return both.close
    }),
    // A process that has nothing to read any more never comes.
    meet: Effect.suspend(() => (--missing <= 0 ? both.open : Effect.timeoutOption(both.await, "1 seconds")))
  }
})

/**
 * Given events that two processes have followed, when further ones are stored,
 * both deliver them to the view at the same moment; what holds then, holds in
 * both, after opening again and after replaying the whole log.
 */
const projected = (spec: {
  readonly given: ReadonlyArray<Told>
  readonly when: ReadonlyArray<Told>
  readonly holds: (db: Db) => void
}) =>
  Effect.gen(function* () {
    const folder = yield* temporaryFolder
    const live = yield* Effect.scoped(
      Effect.gen(function* () {
        const { meet, set } = yield* meeting
        const [one, other] = [yield* processOn(folder, all, meet), yield* processOn(folder, all, meet)]
        yield* tell(one.log, agent, spec.given)
        yield* Effect.all([one.read(digestOf), other.read(digestOf)])
        yield* tell(one.log, agent, spec.when)
        // Both hold the same events in their hands before either applies them.
        yield* set
        const both = yield* Effect.all([one.read(digestOf), other.read(digestOf)], { concurrency: 2 })
        expect(both[1]).toEqual(both[0])
        yield* one.read(spec.holds)
        yield* other.read(spec.holds)
        return both[0]
      })
    )
    for (const deleted of [false, true]) {
      if (deleted) rmSync(join(folder, "views"), { recursive: true })
      yield* Effect.scoped(
        Effect.gen(function* () {
          const { read, view } = yield* processOn(folder)
          expect(yield* read(digestOf)).toEqual(live)
          yield* read(spec.holds)
          expect(yield* read(ViewFile.findParkedProjections)).toEqual([])
          const writer = ViewFile.openFile(view.file, "write", {
            vectorExtension: ViewFile.bundledVectorExtension()
          }).db
          expect(checkIntegrity(writer, textTables)).toEqual([])
          writer.close()
        })
      )
    }
  })

const ids = (db: Db, born: ReadonlyArray<number>) => readIndexRows(db, born).map(({ id }) => id)
const listed = (db: Db, level: TrustLevel = "full") =>
  ids(db, findRecentMemories(db, level, {}, later, { limit: 100, offset: 0 }))

const found = (
  db: Db,
  level: TrustLevel,
  query: { readonly match?: string; readonly near?: number; readonly model?: string }
) => {
  const candidates = findCandidates(db, {
    level,
    now: later,
    filters: {},
    match: query.match ?? null,
    within: null,
    without: null,
    vector:
      query.near === undefined ? null : { model: query.model ?? "test-4", values: direction(query.near), floor: 0.5 },
    pool: 50
  })
  return ids(
    db,
    candidates.map(({ born }) => born)
  ).sort()
}

describe("schedules", () => {
  const definition = {
    goal: "Tell the tide",
    handler: "tides",
    cadence: { kind: "interval", every: 60_000, from: 0 },
    notify: "always",
    missed: "once",
    keep: 2
  } as const
  const state = (next: number | null, failures = 0) => ({ status: "active", next, failures }) as const
  const run = { kind: "schedule", name: "one" } as const

  it.scopedLive("SCHEDULE and RUN: due times, current runs, and a pruned history", () => {
    const told = story()
    const occurrence = (at: number, id: string, status: "ok" | "failed", output: string) => [
      told.run({ ...run, run: id, phase: "started", occurrence: at, attempt: 1, lease: at + 50 }),
      told.run({ ...run, run: id, phase: "finished", occurrence: at, attempt: 1, status, output, summary: output }),
      told.schedule({ schedule: "one", change: "ran", state: state(at + 100, status === "ok" ? 0 : 1) })
    ]
    return projected({
      given: [
        told.schedule({ schedule: "one", change: "created", definition, state: state(100) }),
        told.schedule({ schedule: "two", change: "created", definition, state: state(700) }),
        ...occurrence(100, "a", "ok", "high"),
        ...occurrence(200, "b", "failed", "low")
      ],
      when: [
        told.run({ run: "m", kind: "maintenance", phase: "started", name: "gc" }),
        told.run({ ...run, run: "c", phase: "started", occurrence: 300, attempt: 1, lease: 400 }),
        told.run({ ...run, run: "c", phase: "finished", occurrence: 300, attempt: 1, status: "abandoned" }),
        told.run({ ...run, run: "d", phase: "started", occurrence: 300, attempt: 2, lease: 500 }),
        told.run({ ...run, run: "d", phase: "started", occurrence: 300, attempt: 3, lease: 600 }),
        // Deleted with all that belongs to it; what ends later belongs to nothing.
        told.schedule({ schedule: "three", change: "created", definition, state: state(1) }),
        told.run({ ...run, run: "e", phase: "started", name: "three", occurrence: 1, attempt: 1, lease: 2 }),
        told.schedule({ schedule: "three", change: "deleted" }),
        told.run({ ...run, run: "e", phase: "finished", name: "three", occurrence: 1, attempt: 1, status: "ok" })
      ],
      holds: (db) => {
        const all = findSchedules(db, { statuses: [], handlers: [] }, { limit: 10, offset: 0 })
        expect(all.map(({ id }) => id)).toEqual(["two", "one"])
        expect(findSchedule(db, "one")).toMatchObject({
          definition,
          state: state(300, 1),
          run: "d",
          lease: 600,
          occurrence: 300,
          attempt: 3,
          abandoned: 1,
          lastStatus: "failed",
          lastOutput: outputDigest({ output: "low" })
        })
        expect(firstDueAt(db)).toBe(600)
        const due = { until: 700, handlers: ["tides"], limit: 10 }
        expect(findDueSchedules(db, due).map(({ id }) => id)).toEqual(["one", "two"])
        expect(findDueSchedules(db, { ...due, until: 599 })).toEqual([])
        expect(findDueSchedules(db, { ...due, handlers: ["kettle"] })).toEqual([])
        expect(nextDueAt(db, ["tides"], 600)).toBe(700)
        const runs = findScheduleRuns(db, "one", { limit: 10, offset: 0 })
        expect(runs.map(({ attempt, run, status }) => [run, status, attempt])).toEqual([
          ["d", "running", 3],
          ["c", "abandoned", 1]
        ])
        expect(findScheduleRun(db, "a")).toBeUndefined()
        expect(findScheduleRun(db, "e")).toBeUndefined()
        expect(findScheduleRun(db, "m")).toBeUndefined()
        expect(countSchedules(db, { statuses: ["active"], handlers: [], text: "TIDE", dueBefore: 700 })).toBe(1)
      }
    })
  })
})

describe("recalls", () => {
  it.scopedLive(
    "RECALL: recalls are numbered in the order of the log, shown memories are counted, nothing else changes",
    () => {
      const { add, forget, recall } = story()
      return projected({
        given: [add("one"), add("two"), recall(1, { ids: ["one", "two"] }, { ids: ["one"], askedAt: timeOf(9) })],
        when: [
          forget("two"),
          recall(3, { ids: ["one", "one"], askedAt: timeOf(2) }, { ids: [] }, { ids: ["one"], kind: "conversation" }),
          recall(6, { ids: ["two"], kind: "get" })
        ],
        holds: (db) => {
          const all = findRecalls(db, { limit: 10, offset: 0 })
          expect(all.map(({ number, place, version }) => [number, version, place])).toEqual([
            [6, 6, 0],
            [5, 5, 2],
            [4, 5, 1],
            [3, 5, 0],
            [2, 3, 1],
            [1, 3, 0]
          ])
          expect(findRecalls(db, { limit: 2, offset: 1 })).toEqual(all.slice(1, 3))
          expect(findRecall(db, 5)).toEqual(all[1])
          expect(findRecall(db, 7)).toBeUndefined()
          expect([countRecalls(db), lastRecallNumber(db)]).toEqual([6, 6])
          // What was said in conversations counts for no memory; the newest asking time counts, not the newest event.
          expect([...findAccesses(db, ["one", "two", "none"])]).toEqual([
            ["one", { accesses: 4, lastAccessedAt: timeOf(9) }],
            ["two", { accesses: 2, lastAccessedAt: timeOf(6) }]
          ])
          expect(listed(db)).toEqual(["one"])
        }
      })
    }
  )

  it.scopedLive("keep their numbers if an earlier recall is erased, and no number is used twice", () => {
    const { add, recall } = story()
    return projected({
      given: [add("one"), recall(5, { ids: ["one"] })],
      when: [recall(4, { ids: [] }, { ids: [] }), recall(9, { ids: [] })],
      holds: (db) => {
        const numbers = findRecalls(db, { limit: 10, offset: 0 }).map(({ number }) => number)
        expect(numbers).toEqual([9, 7, 6, 5])
      }
    })
  })

  it.scopedLive("are not part of the state digest", () =>
    Effect.gen(function* () {
      const folder = yield* temporaryFolder
      const { log, read } = yield* processOn(folder)
      const { add, recall } = story()
      yield* tell(log, agent, [add("one")])
      const state = (db: Db) => runAllSteps(computeDigests(db, all, "stateDigest")).whole
      const [before, digest] = [yield* read(state), yield* read(digestOf)]
      yield* tell(log, agent, [recall(1, { ids: ["one"] })])
      expect(yield* read(state)).toBe(before)
      const { recalls, ...others } = yield* read(digestOf)
      expect(recalls).not.toBe(digest.recalls)
      expect({ ...others, recalls: digest.recalls }).toEqual(digest)
    })
  )
})

describe("observations", () => {
  it.scopedLive("ADD, UPDATE and DELETE: reads show the active memories", () => {
    const { add, forget, imported, update } = story()
    return projected({
      given: [add("one", { title: "tea" }), add("two"), add("three", { expiresAt: timeOf(5) })],
      when: [update("one", { title: "coffee", occurredAt: timeOf(50) }), forget("two"), imported()],
      holds: (db) => {
        expect(listed(db)).toEqual(["one"])
        expect(getMemories(db, "full", ["two", "one", "one", "three", "none"], later).map(({ id }) => id)).toEqual([
          "one"
        ])
        expect(getMemories(db, "full", ["three"], timeOf(4))).toHaveLength(1)
        expect(findById(db, "one")).toMatchObject({ title: "coffee", born: 1, revision: 2 })
        expect(findById(db, "two")?.status).toBe("forgotten")
        expect(findDuplicates(db, "private", contentDigest("coffee", []), later)[0]?.id).toBe("one")
        expect(findDuplicates(db, "shared", contentDigest("coffee", []), later)).toEqual([])
        expect(findDuplicates(db, "private", contentDigest("tea", []), later)).toEqual([])
        expect(findDuplicates(db, "private", contentDigest("two", []), later)).toEqual([])
        expect(findDuplicates(db, "private", contentDigest("three", []), later)).toEqual([])
      }
    })
  })

  it.scopedLive("a memory without a recorded level has the lowest level that could write to any of its stores", () => {
    const { add, update } = story()
    return projected({
      given: [add("private"), add("shared", { store: "shared" }), add("social", { store: "social" }), add("moved")],
      when: [
        update("moved", { store: "social" }),
        update("moved", { store: "private" }),
        add("recorded", { store: "social", level: "full" }),
        update("recorded", { title: "by full", store: "private", level: "full" })
      ],
      holds: (db) => {
        const levels = ["private", "shared", "social", "moved", "recorded"].map((id) => findById(db, id)?.level)
        expect(levels).toEqual(["full", "inner", "familiar", "familiar", "full"])
        const written = sql(db, "SELECT level FROM observations ORDER BY born").pluck().all()
        expect(written).toEqual([0, 1, 2, 2, 0])
      }
    })
  })

  it.scopedLive("DELETE with a replacement: the target is retired, the replacement is added by the same event", () => {
    const { add, replace } = story()
    return projected({
      given: [add("old", { title: "lives in Rome" }), add("between")],
      when: [replace("old", "new", { title: "lives in Oslo", store: "shared" })],
      holds: (db) => {
        expect(listed(db)).toEqual(["new", "between"])
        expect(listed(db, "inner")).toEqual(["new"])
        expect(findById(db, "new")).toMatchObject({ born: 3, lineage: [{ kind: "supersedes", to: "old" }] })
        expect(findById(db, "old")?.status).toBe("superseded")
      }
    })
  })

  it.scopedLive("COMPRESS and ARCHIVE: the sources become inactive, the summary stays", () => {
    const { add, archive, compress } = story()
    return projected({
      given: [add("a"), add("b"), add("c"), add("d")],
      when: [compress("sum", ["a", "b"], { title: "a and b" }), archive("c", "d")],
      holds: (db) => {
        expect(listed(db)).toEqual(["sum"])
        expect(["a", "b", "c", "d"].map((id) => findById(db, id)?.status)).toEqual([
          "compressed",
          "compressed",
          "archived",
          "archived"
        ])
        expect(ids(db, findTimeNeighbours(db, "full", "sum", { before: 9, after: 9 }, later)!)).toEqual(["sum"])
        expect(findTimeNeighbours(db, "full", "a", { before: 9, after: 9 }, later)).toBeUndefined()
      }
    })
  })
})

describe("wordings", () => {
  const said = (db: Db, born: number, most = 9) => findWordings(db, born, most).map(({ at, text }) => [text, at])

  it.scopedLive("UPDATE with a request: other words are stored once each, until the update is undone", () => {
    const { add, forget, mention, undo } = story()
    return projected({
      given: [
        add("home", { title: "Ada lives in Ghent", facts: ["by the harbour"] }),
        add("tea"),
        mention("home", { title: "Ada's home is in Ghent", facts: ["by the harbour"] }),
        mention("home", { title: "Ghent is where Ada lives", tags: ["x"] })
      ],
      when: [
        mention("home", { title: "Ada's home is in Ghent", facts: ["on the quay"] }),
        mention("home", { title: "Ada's home is in Ghent" }),
        mention("home", { tags: ["y"] }),
        mention("tea", { title: "a cup of tea" }),
        undo("home", 4),
        undo("home", 5),
        // The second undo is taken back.
        undo("home", 10),
        forget("tea")
      ],
      holds: (db) => {
        expect(said(db, 1)).toEqual([
          ["Ada's home is in Ghent", timeOf(6)],
          ["Ada's home is in Ghent\non the quay", timeOf(5)]
        ])
        expect(said(db, 1, 1)).toEqual([["Ada's home is in Ghent", timeOf(6)]])
        expect(said(db, 2)).toEqual([])
      }
    })
  })
})

describe("fulltext", () => {
  it.scopedLive("follows text, status and store, in each level's own index", () => {
    const { add, archive, compress, forget, replace, update } = story()
    return projected({
      given: [
        add("edited", { title: "alpha", store: "shared" }),
        add("moved", { title: "beta", narrative: "gamma", store: "social" }),
        add("gone", { facts: ["delta"], store: "social" }),
        add("old", { tags: ["epsilon"] }),
        add("source", { people: ["Zeta"] }),
        add("kept", { title: "eta" })
      ],
      when: [
        update("edited", { title: "theta" }),
        update("moved", { store: "private" }),
        forget("gone"),
        replace("old", "new", { title: "iota", store: "social" }),
        compress("sum", ["source"], { title: "kappa" }),
        archive("kept")
      ],
      holds: (db) => {
        const hits = (match: string) =>
          (["full", "inner", "familiar", "public"] as const).map((level) => found(db, level, { match }).join())
        expect(hits("alpha")).toEqual(["", "", "", ""])
        expect(hits("theta")).toEqual(["edited", "edited", "", ""])
        expect(hits("beta")).toEqual(["moved", "", "", ""])
        expect(hits("narrative : gamma")).toEqual(["moved", "", "", ""])
        expect(hits("title : gamma")).toEqual(["", "", "", ""])
        for (const word of ["delta", "epsilon", "zeta", "eta"]) expect(hits(word)).toEqual(["", "", "", ""])
        expect(hits("iota")).toEqual(["new", "new", "new", ""])
        expect(hits("kappa")).toEqual(["sum", "", "", ""])
      }
    })
  })

  it.scopedLive("an event that leaves the text unchanged leaves the index unchanged", () => {
    const { add, update } = story()
    return projected({
      given: [add("one", { title: "alpha" })],
      when: [update("one", { mentions: 2 }, "duplicate"), update("one", { importance: 1 })],
      holds: (db) => expect(found(db, "full", { match: "alpha" })).toEqual(["one"])
    })
  })
})

describe("vectors", () => {
  it.scopedLive("exist from EMBED on, until the text changes or the memory becomes inactive", () => {
    const { add, archive, compress, embed, forget, replace, update } = story()
    const named = ["kept", "edited", "gone", "old", "source", "stored"]
    return projected({
      given: [...named.map((id) => add(id)), embed(Object.fromEntries(named.map((id) => [id, 1])))],
      when: [
        update("kept", { mentions: 2 }, "duplicate"),
        update("edited", { title: "another" }),
        forget("gone"),
        replace("old", "new"),
        compress("sum", ["source"]),
        archive("stored"),
        embed({ new: 2, sum: 3 })
      ],
      holds: (db) => {
        expect(found(db, "full", { near: 1 })).toEqual(["kept"])
        expect(found(db, "full", { near: 2 })).toEqual(["new"])
        expect(found(db, "full", { near: 3 })).toEqual(["sum"])
        expect(found(db, "full", { near: 0 })).toEqual([])
      }
    })
  })

  it.scopedLive("follow their memory to another store, and never answer for another model", () => {
    const { add, embed, update } = story()
    return projected({
      given: [
        add("down", { store: "social" }),
        add("up", { store: "private" }),
        embed({ down: 1, up: 1 }),
        embed({ down: 2 }, { model: "other-4" })
      ],
      when: [update("down", { store: "private" }), update("up", { store: "shared" })],
      holds: (db) => {
        expect((["full", "inner", "familiar"] as const).map((level) => found(db, level, { near: 1 }))).toEqual([
          ["down", "up"],
          ["up"],
          []
        ])
        expect(found(db, "full", { near: 2 })).toEqual([])
        expect(found(db, "full", { near: 2, model: "other-4" })).toEqual(["down"])
        expect(found(db, "inner", { near: 2, model: "other-4" })).toEqual([])
        expect(found(db, "full", { near: 1, model: "unknown" })).toEqual([])
      }
    })
  })

  it.scopedLive("missing from the cache only count as missing, and a second EMBED replaces the first", () => {
    const { add, embed } = story()
    return projected({
      given: [add("lost"), add("twice"), embed({ twice: 1 })],
      when: [embed({ lost: 1 }, { cached: false }), embed({ twice: 1 })],
      holds: (db) => expect(found(db, "full", { near: 1 })).toEqual(["twice"])
    })
  })
})

describe("people", () => {
  it.scopedLive("counts only what each level may read, and survives everything but forgetting", () => {
    const { add, archive, compress, forget, update } = story()
    return projected({
      given: [
        add("a", { people: ["Ada"], type: "person", title: "Ada: engineer", facts: ["likes tea"], store: "social" }),
        add("b", { people: ["ADA ", "Grace"], store: "private", mentions: 3 }),
        add("c", { people: ["Linus"], store: "social" }),
        add("d", { people: ["Mary"], store: "shared" }),
        add("e", { people: ["Nils"] }),
        add("f", { people: ["Olga"] })
      ],
      when: [
        update("a", { mentions: 2, lastMentionedAt: timeOf(7) }, "duplicate"),
        update("b", { people: ["Ada"], mentions: 4, lastMentionedAt: timeOf(8) }),
        forget("c"),
        update("d", { store: "private" }),
        compress("sum", ["e"]),
        archive("f")
      ],
      holds: (db) => {
        const people = (level: TrustLevel, name = "") => findPeople(db, level, name, { limit: 10, offset: 0 })
        expect(people("full").map(({ mentions, name, stores }) => [name, mentions, stores])).toEqual([
          ["Ada", 6, ["private", "social"]],
          ["Olga", 1, ["private"]],
          ["Nils", 1, ["private"]],
          ["Mary", 1, ["private"]]
        ])
        expect(people("inner")).toEqual([
          {
            name: "Ada",
            stores: ["social"],
            facts: ["Ada: engineer", "likes tea"],
            card: {},
            cards: [],
            mentions: 2,
            lastMentionedAt: timeOf(7)
          }
        ])
        expect(people("familiar")).toEqual(people("inner"))
        expect(people("public")).toEqual([])
        expect(people("full", "aD").map(({ name }) => name)).toEqual(["Ada"])
        expect(people("full", "grace")).toEqual([])
      }
    })
  })
})

describe("history", () => {
  it.scopedLive("indexes every change of a memory that a level may read", () => {
    const { add, archive, compress, embed, forget, replace, update } = story()
    return projected({
      given: [add("a", { store: "shared" }), add("b"), add("c"), add("d")],
      when: [
        update("a", { store: "private" }),
        update("a", { store: "social" }),
        embed({ a: 1 }),
        replace("b", "b2"),
        compress("sum", ["c"]),
        archive("d"),
        forget("a")
      ],
      holds: (db) => {
        const changes = (born: number, level: TrustLevel = "full") =>
          findChanges(db, level, born).map(({ revision, type, version }) => `${version} ${type} ${revision}`)
        expect(changes(1)).toEqual(["1 ADD 1", "5 UPDATE 2", "6 UPDATE 3", "11 DELETE 4"])
        expect(changes(1, "inner")).toEqual(["1 ADD 1", "6 UPDATE 3", "11 DELETE 4"])
        expect(changes(1, "familiar")).toEqual(["6 UPDATE 3", "11 DELETE 4"])
        expect(changes(1, "public")).toEqual([])
        expect(changes(2)).toEqual(["2 ADD 1", "8 DELETE 2"])
        expect(changes(8)).toEqual(["8 DELETE 1"])
        expect(changes(3)).toEqual(["3 ADD 1", "9 COMPRESS 2"])
        expect(changes(9)).toEqual(["9 COMPRESS 1"])
        expect(changes(4)).toEqual(["4 ADD 1", "10 ARCHIVE 2"])
        expect(findRestrictedOpenness(db, 4)).toEqual(new Map())
      }
    })
  })

  it.scopedLive("finds memories restricted since a version", () => {
    const { add, update } = story()
    return projected({
      given: [add("a", { store: "social" }), add("b", { store: "social" }), add("c", { store: "private" })],
      when: [update("a", { store: "private" }), update("b", { store: "shared" }), update("c", { store: "social" })],
      holds: (db) => {
        expect(findRestrictedOpenness(db, 3)).toEqual(
          new Map([
            ["a", 0],
            ["b", 1]
          ])
        )
        expect(findRestrictedOpenness(db, 0)).toEqual(new Map())
      }
    })
  })
})

/** Lets timers, promises and the other fibers have their turn. */
const otherTasks = Effect.async<void>((resume) => void setImmediate(() => resume(Effect.void)))

/** A read model of a program's own: how many titles begin with each letter. */
const tally = (version: number, letterOf: (title: string) => string): Projection => ({
  name: "tally",
  version,
  handles: ["ADD"],
  tables: "CREATE TABLE tally (letter TEXT PRIMARY KEY, n INTEGER NOT NULL);",
  indexes: "CREATE INDEX tally_n ON tally (n);",
  drop: () => "DROP TABLE tally",
  apply: (db, event) => {
    if (event.type !== "ADD") return
    sql(db, "INSERT INTO tally (letter, n) VALUES (?, 1) ON CONFLICT (letter) DO UPDATE SET n = n + 1").run(
      letterOf(event.payload.memory.title)
    )
  },
  digest: (db, digest) => digest.query(db, "SELECT letter, n FROM tally ORDER BY letter"),
  stateDigest: (db, digest) => digest.query(db, "SELECT letter, n FROM tally ORDER BY letter")
})
const first = tally(1, (title) => {
  if (title === "poison") throw new TypeError(`cannot count ${title}`)
  return title.slice(0, 1)
})
const mended = tally(2, (title) => title.slice(0, 1).toUpperCase())
const letters = (db: Db) =>
  Object.fromEntries(db.prepare("SELECT letter, n FROM tally").raw().all() as Array<[string, number]>)

describe("a poison event", () => {
  it.scopedLive("parks only its projection: reads and writes work, stats report it, a fix rebuilds it", () =>
    Effect.gen(function* () {
      const folder = yield* temporaryFolder
      const parked = yield* Effect.scoped(
        Effect.gen(function* () {
          const daybook = yield* open(folder, { projections: [...all, first] })
          const memory = yield* daybook.agent(agent, { trust: "full" })
          yield* memory.remember({ title: "apple" })
          yield* memory.rememberAll([{ title: "banana" }, { title: "poison" }, { title: "avocado" }])
          yield* memory.remember({ title: "cherry" })
          expect((yield* memory.search({ text: "poison" })).map(({ title }) => title)).toEqual(["poison"])
          expect(yield* memory.list()).toHaveLength(5)
          expect((yield* daybook.verify(agent)).ok).toBe(true)
          yield* daybook.backfill(agent)
          const { version, view } = yield* daybook.stats(agent)
          expect(version).toBeGreaterThan(5)
          expect(view.parked).toEqual([{ projection: "tally", position: 2, reason: "TypeError" }])
          yield* daybook.rebuild(agent)
          const again = yield* daybook.stats(agent)
          expect(again.view.parked).toEqual([{ projection: "tally", position: 2, reason: "TypeError" }])
          expect(again.version).toBe(version)
          return yield* daybook.digests(agent)
        })
      )
      const { daybook, memory } = yield* Effect.gen(function* () {
        const daybook = yield* open(folder, { projections: [...all, mended] })
        return { daybook, memory: yield* daybook.agent(agent, { trust: "full" }) }
      })
      expect(yield* memory.list()).toHaveLength(5)
      expect((yield* daybook.stats(agent)).view.parked).toEqual([])
      const { projections } = yield* daybook.digests(agent)
      expect(projections).toMatchObject(parked.projections)
      const mendedDigest = projections.tally
      yield* daybook.rebuild(agent)
      expect((yield* daybook.digests(agent)).projections.tally).toBe(mendedDigest)
    })
  )

  it.scopedLive("is detected in events of other processes, and reported without text", () =>
    Effect.gen(function* () {
      const folder = yield* temporaryFolder
      const projections = [...all, first]
      const { log, read } = yield* processOn(folder, projections)
      const { add } = story()
      yield* tell(log, agent, [add("1", { title: "apple" })])
      expect(yield* read(letters)).toEqual({ a: 1 })
      yield* tell(log, agent, [add("2", { title: "beet" }), add("3", { title: "poison" }), add("4", { title: "corn" })])
      expect(yield* read(letters)).toEqual({ a: 1, b: 1 })
      expect(yield* read(ViewFile.findParkedProjections)).toEqual([
        { projection: "tally", position: 2, reason: "TypeError" }
      ])
      expect(yield* read((db) => listed(db))).toEqual(["4", "3", "2", "1"])
      expect(yield* read(ViewFile.checkpointOf)).toMatchObject({ position: 4 })
      const view = yield* processOn(folder, [...all, mended])
      expect(yield* view.read(letters)).toEqual({ A: 1, B: 1, P: 1, C: 1 })
      expect(yield* view.read(ViewFile.findParkedProjections)).toEqual([])
    })
  )

  it.scopedLive("parks its projection also if only an index detects it, live and in a rebuild", () =>
    Effect.gen(function* () {
      const folder = yield* temporaryFolder
      const parked = [{ projection: "observations", position: 2, reason: "SQLITE_CONSTRAINT_UNIQUE" }]
      const live = yield* Effect.scoped(
        Effect.gen(function* () {
          const { log, read, view, views } = yield* processOn(folder)
          const [one, other] = [story(), story()]
          yield* tell(log, agent, [one.add("same", { title: "apple" }), one.add("2", { title: "beet" })])
          expect(yield* read((db) => listed(db))).toEqual(["2", "same"])
          other.imported()
          other.imported()
          yield* tell(log, agent, [other.add("same", { title: "corn" }), one.imported(), other.imported()])
          expect(yield* read(ViewFile.findParkedProjections)).toEqual(parked)
          const live = yield* read(digestOf)
          yield* views.rebuild(view, ["observations", "people"])
          expect(yield* read(ViewFile.findParkedProjections)).toEqual(parked)
          expect(yield* read(digestOf)).toEqual(live)
          return live
        })
      )
      expect(Object.keys(live)).toEqual(all.map(({ name }) => name).filter((name) => name !== "observations"))
      rmSync(join(folder, "views"), { recursive: true })
      const { read } = yield* processOn(folder)
      expect(yield* read(ViewFile.findParkedProjections)).toEqual(parked)
      expect(yield* read(digestOf)).toEqual(live)
      expect(yield* read((db) => listed(db))).toEqual(["2", "same"])
      expect(yield* read(ViewFile.checkpointOf)).toMatchObject({ position: 5 })
    })
  )
})

describe("generations", () => {
  const many = (count: number) => {
    const { add } = story()
    return Array.from({ length: count }, (_, index) => add(`m${index}`, { title: `plum ${index}` }))
  }

  it.scopedLive("a raised version is rebuilt at open while another process continues to read and write", () =>
    Effect.gen(function* () {
      const folder = yield* temporaryFolder
      const before = yield* open(folder, { projections: [...all, first] })
      const memory = yield* before.agent(agent, { trust: "full" })
      for (const from of [0, 1_000]) {
        yield* memory.rememberAll(Array.from({ length: 1_000 }, (_, index) => ({ title: `plum ${from + index}` })))
      }
      const old = readFileSync(join(folder, "views", agent, "current"), "utf8")
      const opening = yield* Effect.fork(processOn(folder, [...all, mended]))
      let reads = 0
      let written = 0
      while (opening.unsafePoll() === null) {
        expect(yield* memory.list({ limit: 1_000, offset: 1_000 })).toHaveLength(1_000)
        expect((yield* memory.search({ text: "plum", limit: 5 })).length).toBe(5)
        reads++
        if (reads % 5 === 0 && written < 3) {
          yield* memory.update((yield* memory.list({ limit: 1 }))[0]!.id, { importance: (written++ + 1) / 10 })
        }
        yield* otherTasks
      }
      const after = yield* Fiber.join(opening)
      expect(reads).toBeGreaterThan(0)
      expect(yield* after.read(letters)).toEqual({ P: 2_000 })
      expect(yield* memory.list({ limit: 1_000, offset: 1_000 })).toHaveLength(1_000)
      const current = readFileSync(join(folder, "views", agent, "current"), "utf8")
      expect(current).not.toBe(old)
      expect(existsSync(join(folder, "views", agent, old))).toBe(false)
    })
  )

  it.scopedLive("a rebuild retires the old file; other processes change at their next read or write", () =>
    Effect.gen(function* () {
      const folder = yield* temporaryFolder
      const [one, other] = [yield* processOn(folder), yield* processOn(folder)]
      yield* tellAtOnce(one.log, agent, many(700))
      const digest = yield* one.read(digestOf)
      expect(yield* other.read(digestOf)).toEqual(digest)
      const old = other.view.file
      const seen: Array<number> = []
      yield* one.views.rebuild(one.view, null, ({ done, total }) => seen.push(done, total))
      expect(seen).toEqual([500, 700, 700, 700])
      expect(one.view.file).not.toBe(old)
      expect(existsSync(old)).toBe(false)
      expect(other.view.file).toBe(old)
      expect(yield* other.read(digestOf)).toEqual(digest)
      expect(other.view.file).toBe(one.view.file)
      yield* one.views.rebuild(one.view, null)
      const position = yield* other.views.write(other.view, ({ head }) => Effect.succeed(head.position))
      expect(position).toBe(700)
      expect(other.view.file).toBe(one.view.file)
      expect(readdirSync(one.view.generations.folder).filter((name) => name.endsWith(".db"))).toHaveLength(1)
    })
  )

  it.scopedLive("two processes that rebuild at the same time end with one file", () =>
    Effect.gen(function* () {
      const folder = yield* temporaryFolder
      const { add } = story()
      const plums = Array.from({ length: 1_200 }, (_, index) => add(`m${index}`, { title: `plum ${index}` }))
      yield* Effect.scoped(
        Effect.flatMap(processOn(folder, [...all, first]), ({ log, read }) =>
          Effect.zipRight(tellAtOnce(log, agent, plums), read(letters))
        )
      )
      const raised = processOn(folder, [...all, mended])
      const [one, other] = yield* Effect.all([raised, raised], { concurrency: 2 })
      const agree = (count: number) =>
        Effect.gen(function* () {
          expect(yield* one.read(letters)).toEqual({ P: count })
          expect(yield* other.read(letters)).toEqual({ P: count })
          expect(other.view.file).toBe(one.view.file)
          expect(readdirSync(one.view.generations.folder).filter((name) => name.endsWith(".db"))).toHaveLength(1)
        })
      yield* agree(1_200)
      yield* Effect.all([one.views.rebuild(one.view, null), other.views.rebuild(other.view, ["tally"])], {
        concurrency: 2
      })
      yield* agree(1_200)
      yield* tell(one.log, agent, [add("late", { title: "plum" })])
      yield* agree(1_201)
    })
  )

  it.scopedLive("a process that missed another rebuild can still rebuild one projection", () =>
    Effect.gen(function* () {
      const folder = yield* temporaryFolder
      const [one, other] = [yield* processOn(folder), yield* processOn(folder)]
      yield* tell(one.log, agent, many(20))
      const digest = yield* one.read(digestOf)
      yield* other.read(digestOf)
      yield* one.views.rebuild(one.view, null)
      yield* other.views.rebuild(other.view, ["fulltext"])
      expect(yield* one.read(digestOf)).toEqual(digest)
      expect(yield* other.read(digestOf)).toEqual(digest)
      expect(other.view.file).toBe(one.view.file)
    })
  )

  it.scopedLive("a damaged or missing view, or one of another log, is rebuilt", () =>
    Effect.gen(function* () {
      const folder = yield* temporaryFolder
      const { log, read, view, views } = yield* processOn(folder)
      yield* tell(log, agent, many(30))
      const digest = yield* read(digestOf)
      yield* views.write(view, ({ db }) =>
        Effect.sync(() => ViewFile.moveCheckpoint(db, 20, new Uint8Array(32).fill(7), 0))
      )
      expect(yield* read(digestOf)).toEqual(digest)
      rmSync(view.file)
      expect(yield* read(digestOf)).toEqual(digest)
      rmSync(join(folder, "views"), { recursive: true })
      expect(yield* read(digestOf)).toEqual(digest)
      for (const name of readdirSync(view.generations.folder)) {
        if (name.endsWith(".db")) writeFileSync(join(view.generations.folder, name), "not a database".repeat(1_000))
      }
      const again = yield* processOn(folder)
      expect(yield* again.read(digestOf)).toEqual(digest)
    })
  )

  it.scopedLive("a generation that lost its pointer to another one is given up at the next catch-up", () =>
    Effect.gen(function* () {
      const folder = yield* temporaryFolder
      const one = yield* processOn(folder)
      yield* tell(one.log, agent, many(5))
      const digest = yield* one.read(digestOf)
      rmSync(join(one.view.generations.folder, "current"))
      const other = yield* processOn(folder)
      expect(other.view.file).not.toBe(one.view.file)
      yield* one.views.catchUp(one.view)
      expect(one.view.file).toBe(other.view.file)
      expect(yield* one.read(digestOf)).toEqual(digest)
    })
  )

  it.scopedLive("the first of two claims holds, and what dead processes left is swept away", () =>
    Effect.gen(function* () {
      const folder = yield* temporaryFolder
      const generations = Generations.make(folder, "Ada/..\\λ")
      expect(generations.folder.startsWith(`${folder}/`)).toBe(true)
      expect(generations.folder.slice(folder.length + 1)).toMatch(/^[\w%=~.-]+$/)
      expect(generations.folder.slice(folder.length + 1)).not.toContain("..")
      expect(generations.current()).toBeUndefined()
      const [one, two] = [generations.newFile(), generations.newFile()]
      for (const file of [one, two]) writeFileSync(file, "")
      expect(generations.claim(one)).toBe(true)
      expect(generations.claim(two)).toBe(false)
      expect(generations.current()).toBe(one)
      const dead = one.replace(/\.\d+\.db$/, `.${2 ** 22 + 1}.db`)
      for (const suffix of ["", "-wal", "-shm"]) writeFileSync(dead + suffix, "")
      generations.sweep()
      expect([one, two, dead, `${dead}-wal`].map((file) => existsSync(file))).toEqual([true, true, false, false])
      generations.setCurrent(two)
      generations.remove(one)
      expect(generations.current()).toBe(two)
    })
  )
})
