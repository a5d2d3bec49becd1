import * as Effect from "effect/Effect"
import { Maintenance } from "../../layers/Maintenance.js"
import { Daybook } from "../../src/Daybook.js"
import type { Memory } from "../../src/Memory.js"
import type { SetClock } from "../year/clock.js"

/** A statement of the dialogue, and whether it is true when the dialogue ends. */
export interface Statement {
  readonly n: number
  /** ISO time. */
  readonly at: string
  readonly title: string
  readonly type?: string
  /** `true`: still true. `ended`: was true, or was corrected as wrong. `never`: a question, joke, rumour or idea. */
  readonly atEnd: "true" | "ended" | "never"
  /** The number of the statement that ended this one; absent if a date ended it. */
  readonly endedBy?: number
}

/** The state of a statement's memory at the end of the dialogue. */
export interface FinalState {
  readonly statement: Statement
  readonly outcome: string
  /** `active`, `disputed` (active, but contradicted), or how the memory was retired. */
  readonly status: string
  /** The reason of the memory's last decision, for statements that are not active. */
  readonly reason: string
}

export interface DialogueResult {
  readonly nights: number
  readonly events: number
  readonly active: number
  readonly fates: ReadonlyArray<FinalState>
}

const agent = "dialogue"
const day = 86_400_000

/**
 * Remembers the statements at their times, and runs the maintenance layer each night. Reports the state of each
 * statement's memory at the end of the last day.
 */
export const replayDialogue = (
  statements: ReadonlyArray<Statement>,
  clock: SetClock
): Effect.Effect<DialogueResult, unknown, Daybook | Maintenance> =>
  Effect.gen(function* () {
    const daybook = yield* Daybook
    const maintenance = yield* Maintenance
    const memory = yield* daybook.agent(agent, { trust: "full", actor: "dialogue" })
    const stored: Array<{ readonly statement: Statement; readonly id: string; readonly outcome: string }> = []
    let nights = 0
    let night = nightAfter(Date.parse(statements[0]!.at))

    const sleepUntil = (instant: number) =>
      Effect.gen(function* () {
        for (; night <= instant; night += day) {
          yield* daybook.flush(agent)
          yield* clock.set(night)
          yield* finishedJobs(maintenance)
          nights++
        }
        yield* clock.set(instant)
      })

    for (const statement of statements) {
      const { at, title, type } = statement
      yield* sleepUntil(Date.parse(at))
      const { id, outcome } = yield* memory.remember({ title, ...(type === undefined ? {} : { type }) })
      stored.push({ statement, id, outcome })
    }
    yield* sleepUntil(nightAfter(Date.parse(statements.at(-1)!.at)))
    const fates: Array<FinalState> = []
    for (const { id, outcome, statement } of stored) {
      fates.push({ statement, outcome, ...(yield* fateOf(memory, id)) })
    }
    const { events } = yield* daybook.verify(agent)
    const { memories } = yield* daybook.stats(agent)
    return { nights, events, active: memories.active, fates }
  })

/** 05:00 UTC of the next day, when every job of the night is due. */
const nightAfter = (instant: number): number => (Math.floor(instant / day) + 1) * day + 5 * 3_600_000

/** Wakes the maintenance layer and waits until it has nothing left to run. */
const finishedJobs = (maintenance: Maintenance["Type"]) =>
  Effect.gen(function* () {
    yield* maintenance.checkNow
    let idleChecks = 0
    while (idleChecks < 3) {
      yield* Effect.sleep(15)
      idleChecks = (yield* maintenance.running).length === 0 ? idleChecks + 1 : 0
    }
  })

/** The status of a memory, or of the memory that it was merged into. */
const fateOf = (memory: Memory, id: string, steps = 5): Effect.Effect<Pick<FinalState, "status" | "reason">, unknown> =>
  Effect.gen(function* () {
    const why = yield* memory.why(id)
    const { disputedBy, status } = why.memory
    const reason = why.versions.at(-1)?.decision?.reason ?? ""
    if (status === "active") return { status: disputedBy === undefined ? "active" : "disputed", reason }
    if (status === "compressed" && why.supersededBy !== null && steps > 0) {
      return yield* fateOf(memory, why.supersededBy.id, steps - 1)
    }
    return { status, reason: `${reason}${why.supersededBy === null ? "" : ` ← ${why.supersededBy.title}`}` }
  })
