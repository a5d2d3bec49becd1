import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import { imagesOf } from "../../events/catalogue.js"
import type { Memory } from "../../events/Memory.js"
import type { ViewError } from "../../projections/build.js"
import { findLifePage, withAccesses } from "../../projections/lifePages.js"
import { memoriesAt } from "../../projections/search.js"
import type { CommandError } from "../Actor.js"
import type { Command, DecidedEvent } from "../commands/Command.js"
import { bornAt, maintain as portion, recordRun } from "../commands/maintain.js"
import type { Writer } from "../commands/remember.js"
import { InvalidInput, TrustRequired } from "../errors.js"
import { randomId } from "../ids.js"
import { pause } from "../pause.js"
import type { LifePolicy } from "../policy/life.js"
import type { ReaderSource } from "../ReaderSource.js"
import type { Row } from "./facts.js"
import { type Overlay, overlaid, plannedBorn } from "./overlay.js"
import type { Judge } from "./pairs.js"
import { chunksOf, type Planned, type Stage } from "./Stage.js"
import { stages } from "./stages/all.js"
import { type Summarizing, summarized } from "./summarize.js"

export type StageName = Stage["name"]

export interface MaintainOptions {
  /** Which stages, in the order in which they stand in `stageNames`; all of them where absent. */
  readonly stages?: ReadonlyArray<StageName> | undefined
  /** Tells what would be done and writes nothing. */
  readonly dryRun?: boolean | undefined
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
  readonly run: <A, E>(command: Command<A, E>) => Effect.Effect<A, E | CommandError>
}

export const stageNames: ReadonlyArray<StageName> = stages.map(({ name }) => name)

/** Memories that are looked at without a pause. */
const pageSize = 500
/** Memories that are changed without a pause, but for an event that changes more by itself. */
const writtenAtOnce = 10

/** Runs stages one after the other, each on what those before it made. */
export const maintain = (
  maintainer: Maintainer,
  writer: Writer,
  { dryRun = false, stages: asked }: MaintainOptions = {}
): Effect.Effect<ReadonlyArray<StageRun>, MaintainError> =>
  Effect.gen(function* () {
    if (writer.level !== "full") return yield* new TrustRequired({ what: "maintain" })
    const unknown = (asked ?? []).find((name) => !stageNames.includes(name))
    if (unknown !== undefined) {
      return yield* new InvalidInput({ field: "stages", problem: `must be of ${stageNames.join(", ")}` })
    }
    const runs: Array<StageRun> = []
    const planned = new Map<number, Memory>()
    for (const stage of stages.filter(({ name }) => asked === undefined || asked.includes(name))) {
      runs.push(yield* dryRun ? tried(maintainer, writer, stage, planned) : carriedOut(maintainer, writer, stage))
    }
    return runs
  })

/** What a stage would do after those that were tried before it. */
const tried = (maintainer: Maintainer, writer: Writer, stage: Stage, planned: Map<number, Memory>) =>
  Effect.gen(function* () {
    const began = yield* Clock.currentTimeMillis
    const { counts, events, left } = yield* plan(maintainer, writer, stage, planned)
    const placed = events.map((event, at) => bornAt(event, plannedBorn(planned) + at))
    for (const { payload, type } of placed) {
      for (const image of imagesOf({ type, payload } as never)) planned.set(image.born, image)
    }
    const duration = (yield* Clock.currentTimeMillis) - began
    return { stage: stage.name, counts: some(counts), left, duration, events: placed }
  })

const carriedOut = (maintainer: Maintainer, writer: Writer, stage: Stage) =>
  Effect.gen(function* () {
    const began = yield* Clock.currentTimeMillis
    const { counts, events, left } = yield* plan(maintainer, writer, stage, new Map())
    const { digest, run: carry } = maintainer
    const { actor } = writer
    const run = randomId()
    const of = { run, kind: "maintenance", name: stage.name, policy: digest } as const
    let written = 0
    let moved = 0
    for (const some of portionsOf(events)) {
      const started: DecidedEvent = { type: "RUN", payload: { ...of, phase: "started" } }
      const done = yield* carry(portion({ run, actor, started: written === 0 ? started : undefined, events: some }))
      written += done.events
      moved += done.left
      yield* pause
    }
    const duration = (yield* Clock.currentTimeMillis) - began
    if (written === 0) return { stage: stage.name, counts: {}, left: left || moved > 0, duration }
    const told = some(moved === 0 ? counts : { ...counts, "changed meanwhile": moved })
    yield* carry(
      recordRun(actor, run, {
        type: "RUN",
        payload: { ...of, phase: "finished", status: "ok", counts: told, duration }
      })
    )
    return { stage: stage.name, run, counts: told, left: left || moved > 0, duration }
  })

/**
 * Reads a stage's rows, page by page, and plans. `planned` has what earlier stages of a dry run would have made of
 * memories, by row number: they stand where they would be read, whatever kind of row they were before.
 */
const plan = (
  { judge, policy, read, summarizing }: Maintainer,
  { countTokens }: Writer,
  stage: Stage,
  planned: Overlay
): Effect.Effect<Planned, ViewError> =>
  Effect.gen(function* () {
    const now = yield* read((snapshot) => snapshot.now)
    const tools = { newId: randomId, countTokens, judge }
    const gathering = stage.gather(policy, now, tools)
    if (stage.read !== undefined) {
      const rows = yield* read(({ db }) => stage.read!(db, policy, now))
      gathering.take(rows.filter(({ memory }) => !planned.has(memory.born)))
    } else {
      const before = stage.before(policy, now)
      let after: number | undefined = 0
      while (after !== undefined) {
        const from: number = after
        const page = yield* read(({ db }) => {
          const found = findLifePage(db, stage.kind, { after: from, before, now, size: pageSize })
          return { ...found, rows: overlaid(db, found, from, planned) }
        })
        gathering.take(page.rows)
        after = gathering.full?.() === true ? undefined : page.next
        yield* pause
      }
    }
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
    const made = gathering.plan(tools, whole)
    return { ...made, events: yield* summarized(summarizing, made.events, made.drafts ?? [], countTokens) }
  })

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

const some = (counts: Readonly<Record<string, number>>) =>
  Object.fromEntries(Object.entries(counts).filter(([, number]) => number > 0))
