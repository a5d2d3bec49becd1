import { appendFileSync, readdirSync, readFileSync, renameSync } from "node:fs"
import { join } from "node:path"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { type Append, EventLog } from "../../events/EventLog.js"
import * as EventLogSqlite from "../../events/EventLogSqlite.js"
import * as Default from "../../layers/Default.js"
import { textDigest } from "../../projections/vectors.js"
import { Daybook } from "../../src/Daybook.js"
import type { DaybookService } from "../../src/DaybookService.js"
import type { Scripted } from "./embedders.js"
import { known } from "./embedders.js"
import { agent, ask, judge, policy } from "./switchChecks.js"
import { liveQuestion, type Question, type World } from "./switchWorld.js"
import { allKinds, changing, type Prey, writing } from "./switchWriter.js"
import { tongues } from "./tongues.js"

// A process that is written to and searched while embedders are switched, by it or by another one, until it is killed:
// see switchStorm.ts. What it finds out is left in files of the folder of the storm, a line each.

export interface RunnerOptions {
  /** Where the memory is. */
  readonly folder: string
  /** Where what is found out is left. */
  readonly notes: string
  /** `switcher` asks for the switch and writes little; `other` lives on and writes much. */
  readonly role: "switcher" | "other"
  readonly goal: "near" | "far"
  readonly world: World
  /** Milliseconds of one answer of the embedder that is switched to. */
  readonly latency: number
  /** Milliseconds between two writes. */
  readonly pause: number
  /** A version before any switch. */
  readonly version: number
}

/** A moment at which whoever comes to it dies: before the events are stored, or before the view has them. */
export interface Armed {
  readonly type: "EMBED" | "EMBEDDER"
  readonly state?: string
  readonly model: string
  readonly when: "before" | "after"
  /** Whose moment it is; that of either where absent. */
  readonly role?: RunnerOptions["role"]
}

/** What the process was asked before any switch, and what was answered. */
export interface Before {
  readonly question: Question
  readonly answer: string
}

/** One answer: begun and ended at, milliseconds of one clock for all processes. */
export interface AnswerLine {
  readonly pid: number
  readonly begun: number
  readonly ended: number
  readonly inForce: "near" | "far" | null
  readonly told: ReadonlyArray<string>
  /** Of memories, with no word of them. */
  readonly wordless: boolean
}

/** Texts that were sent to a model at a time, and whether it is what came back. */
export interface SentLine {
  readonly pid: number
  readonly at: number
  readonly model: string
  readonly digests: ReadonlyArray<string>
  readonly received: boolean
}

/** The same, for whoever looks on. */
export interface ReceivedLine {
  readonly model: string
  readonly texts: number
}

const clock = () => Number(process.hrtime.bigint()) / 1e6

const run = (options: RunnerOptions) => {
  const { folder, goal, latency, notes, pause, role, version, world } = options
  const { pid } = process
  const note = (file: string, line: unknown) => appendFileSync(join(notes, file), `${JSON.stringify(line)}\n`)
  const complain = (what: unknown) => Effect.sync(() => note("wrong", `${role} ${pid}: ${String(what)}`))
  const read = (file: string) => JSON.parse(readFileSync(join(notes, file), "utf8"))

  const { distant, far, home, near } = tongues()
  for (const one of [near, distant, home] as ReadonlyArray<Scripted>) {
    const { model } = one.service
    const embed = one.embed
    const slow = model === goal || (goal === "far" && model === "home")
    one.embed = (texts, purpose) => {
      if (purpose === "query") return embed(texts, purpose)
      const digests = texts.map(textDigest)
      const sent = { pid, at: Date.now(), model, digests }
      note("sent", { ...sent, received: false })
      // An answer that is on its way when the process is killed was not received.
      return Effect.delay(embed(texts, purpose), slow && texts.length > 8 ? latency : 0).pipe(
        Effect.tap(() =>
          Effect.sync(() => {
            note("sent", { ...sent, received: true })
            note("received", { model, texts: texts.length } satisfies ReceivedLine)
          })
        )
      )
    }
  }

  /** Whether this is a moment that somebody was to die at, and it is us. */
  const isArmed = ({ commands }: Append, when: Armed["when"]): boolean => {
    const events = commands.flatMap((command) => command.events)
    if (!events.some(({ type }) => type === "EMBED" || type === "EMBEDDER")) return false
    for (const file of readdirSync(notes).filter((name) => /^armed-\d+$/.test(name))) {
      try {
        const at = read(file) as Armed
        const isIt = events.some(({ payload, type }) => {
          if (type !== at.type) return false
          const said = JSON.parse(payload)
          return said.model === at.model && (at.state === undefined || said.state === at.state)
        })
        if (!isIt || at.when !== when || (at.role ?? role) !== role) continue
        renameSync(join(notes, file), join(notes, `${file}.${pid}`))
        return true
      } catch {}
    }
    return false
  }
  const die = () => process.kill(pid, "SIGKILL")
  const log = Layer.effect(
    EventLog,
    Effect.map(EventLog, (log) => ({
      ...log,
      append: (append: Append) => {
        if (isArmed(append, "before")) die()
        return Effect.tap(log.append(append), () => Effect.sync(() => isArmed(append, "after") && die()))
      }
    }))
  ).pipe(Layer.provide(EventLogSqlite.layer(folder)))

  const asks = (daybook: DaybookService) =>
    Effect.gen(function* () {
      const before = read("before") as ReadonlyArray<Before>
      let number = pid
      for (let count = 0; ; count++) {
        if (role === "other" && count % 200 === 10) {
          const { answer, question } = before[number % before.length]!
          const now = JSON.stringify(yield* ask(daybook, world, question, version))
          if (now !== answer) yield* complain(`as of before the switch: ${JSON.stringify(question)}`)
          note("past", pid)
        }
        const question = liveQuestion(number++)
        const begun = clock()
        const answer = yield* ask(daybook, world, question)
        const ended = clock()
        const { faults, inForce, told } = judge(question, answer)
        const wordless = question.of === "memories" && !question.words
        note("answers", { pid, begun, ended, inForce, told, wordless } satisfies AnswerLine)
        for (const fault of faults) {
          yield* complain(`${JSON.stringify(question)} by ${answer.model}, ${answer.hits.length} hits: ${fault}`)
        }
        if (count === 0) console.log("ready")
        yield* Effect.sleep(15)
      }
    })

  const switches = (daybook: DaybookService) =>
    Effect.gen(function* () {
      while (true) {
        const { inForce } = yield* daybook.embedders.status(agent)
        if (inForce.model === goal) break
        // Who writes faster than vectors are made is told so.
        yield* (goal === "far" ? daybook.embedders.switchTo(agent, "far") : daybook.embedders.back(agent)).pipe(
          Effect.catchTag("NoSuchIndex", ({ problem }) =>
            Effect.zipRight(
              Effect.sync(() => note("behind", problem)),
              Effect.sleep(50)
            )
          )
        )
      }
      console.log("switched")
    })

  let writes = true
  process.stdin.on("data", () => {
    writes = false
  })
  const writesOn = (daybook: DaybookService) =>
    Effect.gen(function* () {
      const prey = (read("prey") as ReadonlyArray<Prey>).filter((_, at) => at % 2 === (role === "other" ? 0 : 1))
      const memory = yield* daybook.agent(agent, { trust: "full", record: false })
      const write = writing(memory, world, `${role[0]}${pid}`, prey, role === "other" ? allKinds : changing)
      while (writes) {
        note("writes", yield* write)
        yield* Effect.sleep(pause)
      }
      // With the next write is made whatever another one left: nobody asks for a backfill.
      note("writes", yield* writing(memory, world, `${role[0]}${pid}last`, [], ["add"]))
      const until = Date.now() + 30_000
      while (Date.now() < until) {
        const { apart, inForce } = yield* daybook.embedders.status(agent)
        if (inForce.model === goal && inForce.lacking + (apart?.lacking ?? 0) === 0) {
          console.log("whole")
          return
        }
        yield* Effect.sleep(100)
      }
      yield* complain(`never whole: ${JSON.stringify(yield* daybook.embedders.status(agent))}`)
      console.log("whole")
    })

  return Effect.gen(function* () {
    const made = Default.layer({ folder, policy, log, ...known(near, far, home) })
    const daybook = Context.get(yield* Layer.build(made), Daybook)
    yield* Effect.forkScoped(Effect.tapErrorCause(asks(daybook), complain))
    yield* Effect.forkScoped(Effect.tapErrorCause(writesOn(daybook), complain))
    if (role === "switcher") yield* Effect.forkScoped(Effect.tapErrorCause(switches(daybook), complain))
    yield* Effect.never
  }).pipe(Effect.scoped, Effect.tapErrorCause(complain))
}

const text = process.argv[2]
if (text !== undefined) Effect.runFork(run(JSON.parse(text) as RunnerOptions))
