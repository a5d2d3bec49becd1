import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import { type DaybookEvent, imagesOf } from "../../events/catalogue.js"
import type { Memory } from "../../events/Memory.js"
import { findLifePage, withAccesses } from "../../projections/lifePages.js"
import { memoriesAt } from "../../projections/search.js"
import type { ViewError } from "../../projections/view/build.js"
import type { CommandError } from "../actor/Actor.js"
import type { Command, DecidedEvent } from "../actor/Command.js"
import type { ReaderSource } from "../actor/ReaderSource.js"
import { InvalidInput, TrustRequired } from "../model/errors.js"
import { integerOf } from "../model/filters.js"
import { randomId } from "../model/ids.js"
import { pause } from "../model/pause.js"
import { type StageName, stageNames } from "../model/stages.js"
import type { LifePolicy } from "../ports/policy/life.js"
import type { Judge } from "../ports/Reconciler.js"
import type { SettlerService } from "../ports/Settler.js"
import type { Writer } from "../remember/remember.js"
import { countsOf } from "./counts.js"
import type { Row } from "./facts.js"
import { bornAt, type Portion, maintain as portion, recordRun } from "./maintainCommand.js"
import { type Overlay, overlaid, plannedBorn } from "./overlay.js"
import { chunksOf, type Planned, partsOf, rowsIn, type Stage, together } from "./Stage.js"
import { stages } from "./stages/all.js"
import { type Draft, type Summarizing, summarized } from "./summarize.js"

export interface MaintainOptions {
  /** Which stages, in the order in which they stand in `stageNames`; all of them where absent. */
  readonly stages?: ReadonlyArray<StageName> | undefined
  /** Tells what would be done and writes nothing. */
  readonly dryRun?: boolean | undefined
  /**
   * Milliseconds since the epoch, from which on nothing more is begun: what is done by then stays, and the rest is
   * `left`. Nobody is asked who could still be writing then. A dry run writes nothing and goes to its end.
   */
  readonly deadline?: number | undefined
}

/** What a stage did. */
export interface StageRun {
  readonly stage: StageName
  /** By which it can be undone; absent where nothing was to do, and of a dry run. */
  readonly run?: string
  /** How many memories were promoted, archived …, by what was done. */
  readonly counts: Readonly<Record<string, number>>
  /** Whether there is more to do than one run may. */
  readonly left: boolean
  /** Milliseconds. */
  readonly duration: number
  /** Of a dry run: the very events that would be written, but for the ids of what is new. */
  readonly events?: ReadonlyArray<DecidedEvent>
}

export type MaintainError = CommandError | InvalidInput | TrustRequired

/** Where it is maintained. */
export interface Maintainer extends Pick<ReaderSource, "agent" | "read"> {
  readonly policy: LifePolicy
  /** The digest of the policy in force. */
  readonly digest: string
  /** Who writes what stages make of several memories or turns; rules alone where absent. */
  readonly summarizing?: Summarizing | undefined
  /** Tells whether one memory contradicts another; nobody does where absent. */
  readonly judge?: Judge | undefined
  /** Tells which memories later ones supersede; none are superseded where absent. */
  readonly settler?: SettlerService | undefined
  readonly run: <A, E>(command: Command<A, E>) => Effect.Effect<A, E | CommandError>
}

/** Memories that are looked at without a pause. */
const pageSize = 500
/** No deadline, and no bound. */
const unbounded = Number.MAX_SAFE_INTEGER
/** Memories that are changed without a pause, but for an event that changes more by itself. */
const writtenAtOnce = 10

/** Runs stages one after the other, each on what those before it made. */
export const maintain = (
  maintainer: Maintainer,
  writer: Writer,
  { deadline, dryRun = false, stages: asked }: MaintainOptions = {}
): Effect.Effect<ReadonlyArray<StageRun>, MaintainError> =>
  Effect.gen(function* () {
    if (writer.level !== "full") return yield* new TrustRequired({ what: "maintain" })
    const unknown = (asked ?? []).find((name) => !stageNames.includes(name))
    if (unknown !== undefined) {
      return yield* new InvalidInput({ field: "stages", problem: `must be of ${stageNames.join(", ")}` })
    }
    const end = deadline === undefined ? unbounded : yield* integerOf("deadline", deadline, 0, unbounded)
    const runs: Array<StageRun> = []
    const planned = new Map<number, Memory>()
    for (const stage of stages.filter(({ name }) => asked === undefined || asked.includes(name))) {
      runs.push(yield* dryRun ? tried(maintainer, writer, stage, planned) : carriedOut(maintainer, writer, stage, end))
    }
    return runs
  })

/** What a stage would do after those that were tried before it. */
const tried = (maintainer: Maintainer, writer: Writer, stage: Stage, planned: Map<number, Memory>) =>
  Effect.gen(function* () {
    const began = yield* Clock.currentTimeMillis
    const { drafts = [], events, left } = yield* plan(maintainer, writer, stage, planned)
    const written = yield* summarized(maintainer.summarizing, events, drafts, writer.countTokens)
    const placed = written.map((event, at) => bornAt(event, plannedBorn(planned) + at))
    for (const { payload, type } of placed) {
      for (const image of imagesOf({ type, payload } as never)) planned.set(image.born, image)
    }
    const duration = (yield* Clock.currentTimeMillis) - began
    return { stage: stage.name, counts: countsOf(stage.name, placed), left, duration, events: placed }
  })

const carriedOut = (maintainer: Maintainer, writer: Writer, stage: Stage, deadline: number) =>
  Effect.gen(function* () {
    const began = yield* Clock.currentTimeMillis
    if (began > deadline) return { stage: stage.name, counts: {}, left: true, duration: 0 }
    const planned = yield* plan(maintainer, writer, stage, new Map())
    const { digest, run: carry, summarizing } = maintainer
    const { actor, countTokens } = writer
    const { shown } = planned
    const run = randomId()
    const of = { run, kind: "maintenance", name: stage.name, policy: digest } as const
    const written: Array<DaybookEvent> = []
    let sent = 0
    let moved = 0
    /** Appends portions, as far as there is time for them. */
    const append = (events: ReadonlyArray<DecidedEvent>, until: number) =>
      Effect.gen(function* () {
        for (const some of portionsOf(events)) {
          if ((yield* Clock.currentTimeMillis) > until) return
          const started: DecidedEvent | undefined =
            written.length === 0 ? { type: "RUN", payload: { ...of, phase: "started" } } : undefined
          const done = yield* carry(portion({ run, actor, started, events: some, shown }))
          sent += some.length
          written.push(...done.events)
          moved += done.left
          yield* pause
        }
      })
    // What was asked is written before more is asked, so that nothing that was paid for is lost.
    for (const { drafts, events } of stretchesOf(planned, summarizing?.policy.concurrency ?? unbounded)) {
      if (summarizing === undefined || drafts.length === 0) yield* append(events, deadline)
      else {
        if ((yield* Clock.currentTimeMillis) + summarizing.policy.timeout > deadline) break
        yield* append(yield* summarized(summarizing, events, drafts, countTokens), unbounded)
      }
    }
    const left = planned.left || moved > 0 || sent < planned.events.length
    const duration = (yield* Clock.currentTimeMillis) - began
    if (written.length === 0) return { stage: stage.name, counts: {}, left, duration }
    const counts = countsOf(stage.name, written)
    const told = moved === 0 ? counts : { ...counts, "changed meanwhile": moved }
    yield* carry(
      recordRun(actor, run, {
        type: "RUN",
        payload: { ...of, phase: "finished", status: "ok", counts: told, duration }
      })
    )
    return { stage: stage.name, run, counts: told, left, duration }
  })

/**
 * Reads a stage's rows, page by page, and plans. `planned` has what earlier stages of a dry run would have made of
 * memories, by row number: they stand where they would be read, whatever kind of row they were before.
 */
const plan = (
  { judge, policy, read, settler }: Maintainer,
  { countTokens }: Writer,
  stage: Stage,
  planned: Overlay
): Effect.Effect<Planned & Pick<Portion, "shown">, ViewError> =>
  Effect.gen(function* () {
    const now = yield* read((snapshot) => snapshot.now)
    const tools = { newId: randomId, countTokens, judge, settler }
    const shown = new Map<string, number>()
    const parts = partsOf(stage, policy, now, tools)
    if (stage.read !== undefined) {
      for (const { gathering, store } of parts) {
        const rows = yield* read(({ db }) => stage.read!(db, policy, now, store))
        gathering.take(rows.filter(({ memory }) => !planned.has(memory.born)))
      }
    } else {
      const before = stage.before(policy, now)
      let after: number | undefined = 0
      while (after !== undefined) {
        const from: number = after
        const page = yield* read(({ db }) => {
          const found = findLifePage(db, stage.kind, { after: from, before, now, size: pageSize })
          return { ...found, rows: overlaid(db, found, from, planned) }
        })
        for (const { accesses, memory } of page.rows) {
          if (accesses !== undefined && memory.store === "private") shown.set(memory.id, accesses.accesses)
        }
        for (const { gathering, store } of parts) gathering.take(rowsIn(store, page.rows))
        after = parts.every(({ gathering }) => gathering.full?.() === true) ? undefined : page.next
        yield* pause
      }
    }
    const all: Array<Planned> = []
    for (const { gathering, store } of parts) {
      while (gathering.look !== undefined && (yield* read(({ db }) => gathering.look!(db)))) yield* pause
      const whole: Array<Row> = []
      for (const some of chunksOf(gathering.wanted?.() ?? [], pageSize)) {
        whole.push(
          ...(yield* read(({ db }) => {
            const stored = memoriesAt(db, some)
            return withAccesses(
              db,
              some.flatMap((born) => planned.get(born) ?? stored.get(born) ?? [])
            )
          }))
        )
        yield* pause
      }
      const own = rowsIn(store, whole)
      while (gathering.weigh?.(tools, own) === true) yield* pause
      all.push(gathering.plan(tools, own))
      yield* pause
    }
    // What is read otherwise is not in use.
    return { ...together(all), shown: stage.read === undefined ? shown : undefined }
  })

/** Planned events in their order, with no more drafts among those of a stretch than are asked at once. */
const stretchesOf = (
  { drafts = [], events }: Planned,
  atOnce: number
): ReadonlyArray<{ readonly events: ReadonlyArray<DecidedEvent>; readonly drafts: ReadonlyArray<Draft> }> => {
  const places = new Map(drafts.map((draft) => [draft.at, draft]))
  const stretches: Array<{ readonly events: Array<DecidedEvent>; readonly drafts: Array<Draft> }> = []
  for (const [at, event] of events.entries()) {
    const draft = places.get(at)
    const full = draft !== undefined && (stretches.at(-1)?.drafts.length ?? 0) >= atOnce
    if (full || stretches.length === 0) stretches.push({ events: [], drafts: [] })
    const last = stretches.at(-1)!
    if (draft !== undefined) last.drafts.push({ ...draft, at: last.events.length })
    last.events.push(event)
  }
  return stretches
}

const portionsOf = (events: ReadonlyArray<DecidedEvent>): ReadonlyArray<ReadonlyArray<DecidedEvent>> => {
  const portions: Array<Array<DecidedEvent>> = []
  let room = 0
  for (const event of events) {
    const memories = Math.max(1, imagesOf(event as never).length)
    if (memories > room || portions.length === 0) {
      portions.push([])
      room = writtenAtOnce
    }
    portions.at(-1)!.push(event)
    room -= memories
  }
  return portions
}
