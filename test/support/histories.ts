import { mkdirSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import * as Clock from "effect/Clock"
import type * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as fc from "effect/FastCheck"
import { stores, type TrustLevel } from "../../events/Trust.js"
import type { FileInput } from "../../src/conversation/fileInput.js"
import type { TurnInput } from "../../src/conversation/turnInput.js"
import type { Daybook } from "../../src/Daybook.js"
import type { Changes, Observation } from "../../src/model/input.js"
import type { NoteInput } from "../../src/notes/Notes.js"
import type { PersonFacts } from "../../src/remember/personFacts.js"
import type { Choice } from "../../src/remember/settleDispute.js"
import type { ScheduleChanges, ScheduleInput } from "../../src/schedules/input.js"
import type { Probe, Probes } from "./engine.js"

/** One thing that happens to one agent. `which` counts into what it was asked to remember before, wrapping around. */
export type Step = { readonly agent: string } & (
  | {
      readonly kind: "remember"
      readonly level: TrustLevel
      readonly observation: Observation
      readonly expiresIn: number | null
    }
  | { readonly kind: "batch"; readonly observations: ReadonlyArray<Observation> }
  | { readonly kind: "again"; readonly which: number }
  | { readonly kind: "update"; readonly level: TrustLevel; readonly which: number; readonly changes: Changes }
  | { readonly kind: "forget"; readonly which: number }
  | {
      readonly kind: "claim"
      readonly level: TrustLevel
      readonly thing: string
      readonly value: string
      readonly sure: number
    }
  | { readonly kind: "settle"; readonly which: number; readonly isOlder: boolean; readonly choice: Choice }
  | { readonly kind: "import"; readonly name: string; readonly lines: ReadonlyArray<string> }
  | { readonly kind: "turns"; readonly level: TrustLevel; readonly turns: ReadonlyArray<TurnInput> }
  | { readonly kind: "say"; readonly level: TrustLevel; readonly turn: TurnInput }
  | { readonly kind: "extract"; readonly level: TrustLevel }
  | { readonly kind: "forgetSession"; readonly level: TrustLevel; readonly session: string }
  | {
      readonly kind: "note"
      readonly level: TrustLevel
      readonly which: number
      readonly note: NoteInput
      readonly change: "save" | "update" | "delete"
    }
  | { readonly kind: "person"; readonly level: TrustLevel; readonly name: string; readonly facts: PersonFacts }
  | {
      readonly kind: "scratchpad"
      readonly level: TrustLevel
      readonly session: string
      readonly items: ReadonlyArray<string>
    }
  | {
      readonly kind: "rolling"
      readonly level: TrustLevel
      readonly session: string
      /** Null: the engine condenses turns. */
      readonly text: string | null
    }
  | { readonly kind: "recall"; readonly level: TrustLevel; readonly texts: ReadonlyArray<string> }
  | { readonly kind: "file"; readonly level: TrustLevel; readonly file: FileInput }
  | { readonly kind: "forgetFile"; readonly level: TrustLevel; readonly path: string }
  | { readonly kind: "schedule"; readonly schedule: ScheduleInput }
  | { readonly kind: "reschedule"; readonly which: number; readonly changes: ScheduleChanges | null }
  | { readonly kind: "run"; readonly ends: ReadonlyArray<"ok" | "failed" | "timeout" | "released" | "never"> }
  | { readonly kind: "sumUp" }
  | { readonly kind: "embed" }
  | { readonly kind: "switch"; readonly to: "words" | "hash"; readonly adopt: boolean }
  | { readonly kind: "drop" }
  | { readonly kind: "wait"; readonly minutes: number }
)

/** What the agents of a history have been asked so far. */
export type Asked = Map<string, Array<{ readonly id: string; readonly observation: Observation }>>

export interface Stage {
  readonly daybook: Context.Tag.Service<Daybook>
  readonly folder: string
  readonly asked: Asked
  /** The actor of a step; default: always the same. */
  readonly actorOf?: (step: Step) => string
  /** Lets milliseconds pass. */
  readonly wait: (millis: number) => Effect.Effect<void>
}

/** Carries out one step. What a level may not do is refused, and no fault of the history. */
export const perform = ({ actorOf = () => "history", asked, daybook, folder, wait }: Stage, step: Step) =>
  Effect.gen(function* () {
    const known = asked.get(step.agent) ?? []
    asked.set(step.agent, known)
    const memory = yield* daybook.agent(step.agent, {
      trust: "level" in step ? step.level : "full",
      actor: actorOf(step)
    })
    const chosen = "which" in step && known.length > 0 ? known[step.which % known.length]! : undefined
    switch (step.kind) {
      case "remember": {
        const now = yield* Clock.currentTimeMillis
        const expiresAt = step.expiresIn === null ? {} : { expiresAt: now + step.expiresIn * 60_000 }
        const observation = { ...step.observation, ...expiresAt }
        known.push({ id: (yield* memory.remember(observation)).id, observation })
        return
      }
      case "batch":
        for (const [index, one] of (yield* memory.rememberAll(step.observations)).entries()) {
          if (Either.isRight(one)) known.push({ id: one.right.id, observation: step.observations[index]! })
        }
        return
      case "again":
        if (chosen !== undefined) yield* memory.remember(chosen.observation)
        return
      case "update":
        if (chosen !== undefined) yield* memory.update(chosen.id, step.changes)
        return
      case "forget":
        if (chosen !== undefined) yield* memory.forget(chosen.id)
        return
      case "claim": {
        // The reconciler of `disputes.ts` takes it for a contradiction of the last claim about the thing.
        const observation = {
          title: `the ${step.thing} is ${step.value}`,
          facts: [String(step.sure)],
          store: "social" as const
        }
        known.push({ id: (yield* memory.remember(observation)).id, observation })
        return
      }
      case "settle": {
        const open = yield* memory.decisions({ open: true })
        const dispute = open[step.which % open.length]
        if (dispute === undefined) return
        yield* memory.decide(step.isOlder ? dispute.disputedBy![0]!.id : dispute.id, step.choice)
        return
      }
      case "import": {
        const file = join(folder, "notes", step.name)
        mkdirSync(join(folder, "notes"), { recursive: true })
        writeFileSync(file, `${step.lines.map((line) => `- ${line}`).join("\n")}\n`)
        yield* memory.importMarkdown([file])
        return
      }
      case "turns":
        yield* memory.sessions.appendAll(step.turns)
        return
      case "say":
        yield* memory.sessions.append(step.turn)
        return
      case "extract":
        yield* memory.sessions.extract()
        return
      case "forgetSession":
        yield* memory.sessions.forget(step.session)
        return
      case "note": {
        if (step.change === "save") {
          yield* memory.notes.save(step.note)
          return
        }
        const notes = yield* memory.notes.list()
        const { id = "" } = notes[step.which % notes.length] ?? {}
        const { content, tags } = step.note
        if (step.change === "update") yield* memory.notes.update(id, { content, tags })
        else yield* memory.notes.delete(id)
        return
      }
      case "person":
        // A step may find no fact to remove.
        yield* Effect.catchTag(memory.updatePerson(step.name, step.facts), "InvalidInput", () => Effect.void)
        return
      case "scratchpad":
        if (step.items.length === 0) yield* memory.scratchpad.clear(step.session)
        else yield* memory.scratchpad.write(step.session, step.items)
        return
      case "rolling": {
        const { rolling } = memory.sessions
        if (step.text === null) yield* rolling.roll(step.session, { tokens: 200 })
        else {
          const epoch = (yield* rolling.read(step.session))?.epoch ?? 0
          yield* rolling.write(step.session, { text: step.text, upperSequence: 0, epoch })
        }
        return
      }
      case "recall": {
        const recorded = { trust: step.level, actor: "history", session: "monday" }
        const reader = yield* daybook.agent(step.agent, recorded)
        for (const text of step.texts) {
          yield* reader.search({ text })
          yield* reader.sessions.search({ text, limit: 3 })
        }
        yield* reader.get(known.slice(0, 3).map(({ id }) => id))
        yield* daybook.flush(step.agent)
        return
      }
      case "file":
        yield* memory.files.add(step.file)
        return
      case "forgetFile":
        yield* memory.files.forget(step.path)
        return
      case "schedule":
        yield* memory.schedules.add(step.schedule)
        return
      case "reschedule": {
        const all = yield* memory.schedules.list()
        const one = all[step.which % all.length]
        if (one === undefined) return
        if (step.changes === null) yield* memory.schedules.delete(one.id)
        else yield* memory.schedules.update(one.id, step.changes)
        return
      }
      case "run": {
        const { runner } = daybook
        const { claimed } = yield* runner.claim(step.agent, new Map([["tides", 30 * 60_000]]), step.ends.length)
        for (const [index, run] of claimed.entries()) {
          const status = step.ends[index]!
          if (status === "released") yield* runner.release(step.agent, run)
          else if (status === "ok")
            yield* runner.finish(step.agent, run, { status, output: `${run.occurrence % 3} tea` })
          else if (status !== "never") {
            yield* runner.renew(step.agent, { ...run, attempt: run.attempt + 1 }, run.lease + 60_000)
            yield* runner.finish(step.agent, { ...run, attempt: run.attempt + 1 }, { status, error: "no tea" })
          }
        }
        return
      }
      case "sumUp":
        yield* memory.maintenance.run({ stages: ["sessions"] })
        return
      case "embed":
        yield* daybook.backfill(step.agent)
        return
      case "switch":
        yield* daybook.embedders.switchTo(step.agent, step.to, { adopt: step.adopt })
        return
      case "drop":
        yield* daybook.embedders.drop(step.agent)
        return
      case "wait":
        yield* wait(step.minutes * 60_000)
    }
  }).pipe(
    Effect.catchTag(
      "MemoryNotFound",
      "NoSuchIndex",
      "SessionNotFound",
      "FileNotFound",
      "FileInSession",
      "LevelTooLow",
      "StoreForbidden",
      "CredentialForbidden",
      () => Effect.void
    ),
    // A file may not be more open than its session; what is over needs another time to go on; two processes may end a run.
    Effect.catchIf(
      (error) =>
        ((step.kind === "file" || step.kind === "reschedule" || step.kind === "schedule") &&
          error._tag === "InvalidInput") ||
        error._tag === "LeaseLost" ||
        error._tag === "ScheduleNotFound",
      () => Effect.void
    )
  )

/** Words of several scripts, few enough that texts share them. */
export const vocabulary: ReadonlyArray<string> =
  "green tea kettle deploy release café naïve Straße C++ what's foo-bar 100% $HOME 東京都に住んでいます 京都 สวัสดี 🚀 Ада the of".split(
    " "
  )
export const names: ReadonlyArray<string> = ["Ada Lovelace", "Grace", "Žofie", "小林", "ada lovelace"]

const text = (min: number, max: number) =>
  fc.array(fc.constantFrom(...vocabulary), { minLength: min, maxLength: max }).map((words) => words.join(" "))
const some = (values: ReadonlyArray<string>, maxLength = 2) => fc.uniqueArray(fc.constantFrom(...values), { maxLength })
const days = ["2026-02-28", "2024-02-29T23:59:59.999+14:00", "2025-12-31T00:00:00Z"]
const levels = fc.constantFrom<TrustLevel>("full", "full", "inner", "familiar")

const observation: fc.Arbitrary<Observation> = fc.record(
  {
    title: text(1, 5),
    narrative: text(0, 12),
    facts: fc.array(text(1, 4), { maxLength: 3 }),
    tags: some(["work", "home", "ci"]),
    people: some(names),
    type: fc.constantFrom("discovery", "person", "task", "decision"),
    store: fc.constantFrom(...stores),
    project: fc.constantFrom("apollo", "gemini"),
    session: fc.constantFrom("monday", "friday"),
    importance: fc.constantFrom(0, 0.5, 1),
    occurredAt: fc.constantFrom(...days)
  },
  { requiredKeys: ["title"] }
)

const turn: fc.Arbitrary<TurnInput> = fc.record(
  {
    session: fc.constantFrom("monday", "friday"),
    text: fc.oneof(text(1, 8), text(100, 160)),
    role: fc.constantFrom("user" as const, "assistant" as const, "tool" as const),
    speaker: fc.constantFrom(...names),
    toolCalls: fc.constant([{ name: "kettle", arguments: "{}", result: "green tea" }]),
    store: fc.constantFrom(...stores),
    at: fc.constantFrom(...days)
  },
  { requiredKeys: ["session", "text"] }
)

/** A turn that the extractor of `extractor.ts` understands, as far as its text is of a user or an assistant. */
const saying: fc.Arbitrary<TurnInput> = fc.tuple(turn, text(1, 2), text(1, 2)).map(([said, a, b]) => ({
  ...said,
  text: `I like ${a}. My kettle is ${b}. I no longer like ${b}.`
}))

const paths = ["notes/tea.md", "kettle.ts", "Straße.txt"]

const file: fc.Arbitrary<FileInput> = fc.record(
  {
    path: fc.constantFrom(...paths),
    text: fc.oneof(
      text(0, 12),
      fc.array(text(1, 12), { minLength: 1, maxLength: 25 }).map((lines) => `# tea\n\n${lines.join("\n")}\n`)
    ),
    session: fc.constantFrom("monday", "friday"),
    store: fc.constantFrom(...stores),
    at: fc.constantFrom(...days),
    move: fc.boolean()
  },
  { requiredKeys: ["path", "text"] }
)

const schedule: fc.Arbitrary<ScheduleInput> = fc
  .tuple(
    fc.record(
      {
        goal: text(1, 5),
        name: text(1, 2),
        handler: fc.constantFrom("tides", "tides", "kettle"),
        notify: fc.constantFrom("always" as const, "on-change" as const, "on-failure" as const, "never" as const),
        missed: fc.constantFrom("once" as const, "each" as const),
        keep: fc.constantFrom(1, 2, 100)
      },
      { requiredKeys: ["goal", "handler"] }
    ),
    fc.constantFrom(
      { every: 60 * 60_000 },
      { every: 90 * 60_000 },
      { at: "2026-03-14T12:00:00Z" },
      { cron: "15 * * * *" },
      { cron: "0 9 * * *", zone: "Asia/Tokyo" }
    )
  )
  .map(([one, cadence]) => ({ ...one, ...cadence }))

const scheduleChanges: fc.Arbitrary<ScheduleChanges | null> = fc.constantFrom<ScheduleChanges | null>(
  null,
  { status: "paused" },
  { status: "active" },
  { goal: "green tea", keep: 1 },
  { cron: "30 */2 * * *", zone: "America/New_York" }
)

const changes = (moving: boolean): fc.Arbitrary<Changes> =>
  fc
    .record(
      {
        title: text(1, 5),
        narrative: fc.option(text(0, 6)),
        facts: fc.array(text(1, 3), { maxLength: 2 }),
        people: some(names),
        tags: some(["work", "garden"]),
        importance: fc.constantFrom(0.25, 0.75),
        project: fc.constantFrom("apollo", null),
        expiresAt: fc.constantFrom("2026-03-14T08:00:00Z", null),
        ...(moving ? { store: fc.constantFrom(...stores) } : {})
      },
      { requiredKeys: [] }
    )
    .filter((changed) => Object.keys(changed).length > 0)

export interface HistoryOptions {
  readonly agents?: ReadonlyArray<string>
  readonly minLength?: number
  readonly maxLength?: number
  /** Whether memories move between stores. */
  readonly moving?: boolean
}

/** Everything that happens to an installation, at random: writes, repeats, moves, expiry, imports and embedding. */
export const histories = (options: HistoryOptions = {}): fc.Arbitrary<ReadonlyArray<Step>> => {
  const { agents = ["ada", "bob", "Ωμέγα"], maxLength = 60, minLength = 30, moving = true } = options
  const agent = fc.constantFrom(...agents)
  const which = fc.nat({ max: 1_000 })
  const remember = fc.record({
    kind: fc.constant("remember" as const),
    agent,
    level: levels,
    observation,
    expiresIn: fc.option(fc.integer({ min: 1, max: 300 }), { freq: 3 })
  })
  const step: fc.Arbitrary<Step> = fc.oneof(
    { weight: 8, arbitrary: remember },
    {
      weight: 1,
      arbitrary: fc.record({
        kind: fc.constant("batch" as const),
        agent,
        observations: fc.array(observation, { minLength: 1, maxLength: 8 })
      })
    },
    { weight: 3, arbitrary: fc.record({ kind: fc.constant("again" as const), agent, which }) },
    {
      weight: 5,
      arbitrary: fc.record({
        kind: fc.constant("update" as const),
        agent,
        level: levels,
        which,
        changes: changes(moving)
      })
    },
    { weight: 2, arbitrary: fc.record({ kind: fc.constant("forget" as const), agent, which }) },
    {
      weight: 4,
      arbitrary: fc.record({
        kind: fc.constant("claim" as const),
        agent,
        level: levels,
        thing: fc.constantFrom("kettle", "door"),
        value: fc.constantFrom("red", "blue", "green"),
        sure: fc.constantFrom(0.5, 0.9, 0.98, 1)
      })
    },
    {
      weight: 1,
      arbitrary: fc.record({
        kind: fc.constant("settle" as const),
        agent,
        which,
        isOlder: fc.boolean(),
        choice: fc.constantFrom<Choice>("keep", "replace", "both")
      })
    },
    {
      weight: 1,
      arbitrary: fc.record({
        kind: fc.constant("import" as const),
        agent,
        name: fc.constantFrom("2026-03-13.md", "notes.md"),
        lines: fc.array(text(1, 6), { minLength: 1, maxLength: 4 })
      })
    },
    {
      weight: 3,
      arbitrary: fc.record({
        kind: fc.constant("turns" as const),
        agent,
        level: levels,
        turns: fc.array(turn, { minLength: 1, maxLength: 4 })
      })
    },
    { weight: 3, arbitrary: fc.record({ kind: fc.constant("say" as const), agent, level: levels, turn: saying }) },
    { weight: 1, arbitrary: fc.record({ kind: fc.constant("extract" as const), agent, level: levels }) },
    {
      weight: 1,
      arbitrary: fc.record({
        kind: fc.constant("forgetSession" as const),
        agent,
        level: levels,
        session: fc.constantFrom("monday", "friday")
      })
    },
    {
      weight: 2,
      arbitrary: fc.record({
        kind: fc.constant("note" as const),
        agent,
        level: levels,
        which,
        change: fc.constantFrom("save" as const, "save" as const, "update" as const, "delete" as const),
        note: fc.record(
          {
            // Some notes have several pieces.
            content: fc.oneof(
              text(1, 6),
              text(1, 6).map((words) => `${words}\n${words.repeat(40)}. `.repeat(4))
            ),
            tags: some(["work", "garden"]),
            user: fc.constantFrom("ada", "mira")
          },
          { requiredKeys: ["content"] }
        )
      })
    },
    {
      weight: 1,
      arbitrary: fc.record({
        kind: fc.constant("rolling" as const),
        agent,
        level: levels,
        session: fc.constantFrom("monday", "friday"),
        text: fc.option(text(1, 4))
      })
    },
    {
      weight: 2,
      arbitrary: fc.record({
        kind: fc.constant("person" as const),
        agent,
        level: levels,
        name: fc.constantFrom("Ada", "Mira"),
        facts: fc.record({
          birthday: fc.constantFrom("12-10", "1990-12-10", null, undefined),
          relationship: fc.option(text(1, 2))
        })
      })
    },
    {
      weight: 1,
      arbitrary: fc.record({
        kind: fc.constant("scratchpad" as const),
        agent,
        level: levels,
        session: fc.constantFrom("monday", "friday"),
        items: fc.array(text(1, 4), { maxLength: 3 })
      })
    },
    {
      weight: 2,
      arbitrary: fc.record({
        kind: fc.constant("recall" as const),
        agent,
        level: levels,
        texts: fc.array(text(0, 3), { minLength: 1, maxLength: 2 })
      })
    },
    {
      weight: 2,
      arbitrary: fc.record({ kind: fc.constant("file" as const), agent, level: levels, file })
    },
    {
      weight: 1,
      arbitrary: fc.record({
        kind: fc.constant("forgetFile" as const),
        agent,
        level: levels,
        path: fc.constantFrom(...paths)
      })
    },
    { weight: 2, arbitrary: fc.record({ kind: fc.constant("schedule" as const), agent, schedule }) },
    {
      weight: 2,
      arbitrary: fc.record({ kind: fc.constant("reschedule" as const), agent, which, changes: scheduleChanges })
    },
    {
      weight: 4,
      arbitrary: fc.record({
        kind: fc.constant("run" as const),
        agent,
        ends: fc.array(
          fc.constantFrom(
            "ok" as const,
            "ok" as const,
            "failed" as const,
            "timeout" as const,
            "released" as const,
            "never" as const
          ),
          {
            minLength: 1,
            maxLength: 3
          }
        )
      })
    },
    { weight: 1, arbitrary: fc.record({ kind: fc.constant("sumUp" as const), agent }) },
    { weight: 2, arbitrary: fc.record({ kind: fc.constant("embed" as const), agent }) },
    {
      weight: 1,
      arbitrary: fc.record({
        kind: fc.constant("switch" as const),
        agent,
        to: fc.constantFrom("words" as const, "hash" as const),
        adopt: fc.boolean()
      })
    },
    { weight: 1, arbitrary: fc.record({ kind: fc.constant("drop" as const), agent }) },
    {
      weight: 3,
      arbitrary: fc.record({ kind: fc.constant("wait" as const), agent, minutes: fc.integer({ min: 1, max: 240 }) })
    }
  )
  return fc.array(step, { minLength, maxLength, size: "max" })
}

/** What to ask after a history: every id it made, some it did not, words and names that it used. */
export const probeOf = (asked: Asked, agent: string): Probe => ({
  ids: ["0000000000", ...new Set((asked.get(agent) ?? []).map(({ id }) => id))],
  texts: ["tea", "green tea", "cafe", "東京", "+kettle -deploy", '"foo bar"', "C++", "🚀", "the of"],
  people: ["ada", "Grace", "林", "nobody"]
})

export const probesOf = (asked: Asked): Probes =>
  new Map([...asked.keys()].map((agent) => [agent, probeOf(asked, agent)]))
