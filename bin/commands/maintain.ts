import * as Effect from "effect/Effect"
import { afterImages, type DaybookEvent } from "../../events/catalogue.js"
import type { RunRow } from "../../projections/runs.js"
import type { MaintainOptions, StageRun } from "../../src/maintenance/maintain.js"
import { isPlanned } from "../../src/maintenance/overlay.js"
import { type StageName, stageNames } from "../../src/model/stages.js"
import { countText, timestampText } from "../format.js"
import { flag, oneOfParser, option, parseRowCount, repeatableOption } from "../options.js"
import type { Output } from "../output.js"
import { type Column, table } from "../table.js"
import { awaitVectors } from "../vectors.js"
import type { Call, Command } from "./Command.js"

const dryRun = flag("--dry-run", "show the events without writing them")

interface MaintainCall {
  readonly stage?: ReadonlyArray<StageName>
  readonly dryRun?: boolean
  readonly history?: boolean
  readonly confirmClock?: boolean
  readonly limit?: number
}

export const maintain: Command<MaintainCall> = {
  usage: "maintain",
  summary: "promote, archive, compress and summarize memories, in stages",
  operator: true,
  options: [
    repeatableOption("--stage <name>", "run only this stage", oneOfParser(stageNames)),
    dryRun,
    flag("--history", "list past runs, newest first"),
    flag("--confirm-clock", "confirm that the clock is right after a jump of more than a year"),
    option("--limit <n>", "with --history: list at most n runs (default: 50)", parseRowCount)
  ],
  details: [`Stages: ${stageNames.join(", ")}`],
  examples: ["maintain --dry-run", "maintain --stage gc --stage archive", "maintain --history"],
  afterInterruption: "finished work stays; run the same command again to do the rest",
  run: (call, { confirmClock, dryRun, history, limit, stage }) =>
    history === true
      ? Effect.gen(function* () {
          const runs = yield* Effect.flatMap(call.memory, (memory) => memory.maintenance.list({ limit }))
          yield* call.out.show(runs, () => table<RunRow>(call.out, runs, historyColumns))
        })
      : runStages(call, { stages: stage, dryRun, confirmClock })
}

export const gc: Command<{ readonly dryRun?: boolean }> = {
  usage: "gc",
  summary: "re-score short-lived memories: promote, demote or archive them",
  operator: true,
  options: [dryRun],
  examples: ["gc --dry-run", "gc"],
  run: (call, { dryRun }) => runStages(call, { stages: ["gc"], dryRun })
}

const runStages = (call: Call, options: MaintainOptions) =>
  Effect.gen(function* () {
    const { memory, out } = call
    const runs = yield* Effect.flatMap(memory, (opened) => opened.maintenance.run(options))
    if (runs.some(({ run }) => run !== undefined)) yield* awaitVectors(call)
    yield* out.show(runs, () => (options.dryRun === true ? planText(out, runs) : runsText(out, runs)))
  })

const runsText = (out: Output, runs: ReadonlyArray<StageRun>): Promise<string> =>
  table<StageRun>(out, runs, [
    { name: "stage", cell: ({ stage }) => stage },
    { name: "run", cell: ({ run }) => run ?? "", colour: "cyan" },
    { name: "ms", cell: ({ duration }) => duration, alignRight: true },
    { name: "result", cell: countsOf }
  ])

const countsOf = ({ counts, left }: Pick<StageRun, "counts" | "left">): string =>
  [
    ...Object.entries(counts).map(([name, number]) => `${number} ${name}`),
    ...(Object.keys(counts).length === 0 ? ["nothing to do"] : []),
    ...(left ? ["the next run does the rest"] : [])
  ].join(", ")

/** A memory that a dry run would change. */
interface Change {
  readonly stage: string
  readonly type: string
  readonly memory: string
  readonly becomes: string
  readonly reason: string
  readonly title: string
}

const planText = async (out: Output, runs: ReadonlyArray<StageRun>): Promise<string> => {
  const changes = runs.flatMap(({ events = [], stage }) =>
    events.flatMap(({ payload, type }) => {
      if (type === "SUMMARIZE") {
        const { decision, session, store, summary } = payload
        const title = `${session} (${store}): ${summary?.request ?? ""}`
        return [{ stage, type, memory: "(session)", becomes: "summarized", reason: decision.reason, title }]
      }
      return afterImages({ type, payload } as DaybookEvent).map((image): Change => {
        const { reason } = "decision" in payload ? payload.decision : { reason: "" }
        const newState = image.status === "active" ? image.tier : image.status
        return {
          stage,
          type,
          memory: isPlanned(image) ? "(new)" : image.id,
          becomes: newState,
          reason,
          title: image.title
        }
      })
    })
  )
  const written = runs.reduce((sum, { events = [] }) => sum + events.length, 0)
  const left = runs.filter((run) => run.left).map(({ stage }) => stage)
  return [
    ...(changes.length === 0 ? [] : [await table<Change>(out, changes, changeColumns)]),
    written === 0
      ? "nothing to do"
      : `would change ${countText(changes.filter(({ type }) => type !== "SUMMARIZE").length, "memory", "memories")} with ${countText(written, "event")}; nothing was written`,
    ...(left.length === 0 ? [] : [`a later run would do the rest of ${left.join(", ")}`])
  ].join("\n")
}

const changeColumns: ReadonlyArray<Column<Change>> = [
  { name: "stage", cell: ({ stage }) => stage },
  { name: "event", cell: ({ type }) => type },
  { name: "memory", cell: ({ memory }) => memory, colour: "cyan" },
  { name: "becomes", cell: ({ becomes }) => becomes },
  { name: "why", cell: ({ reason }) => reason },
  { name: "title", cell: ({ title }) => title, elastic: true }
]

const historyColumns: ReadonlyArray<Column<RunRow>> = [
  { name: "run", cell: ({ run }) => run, colour: "cyan" },
  { name: "stage", cell: ({ stage }) => stage },
  { name: "started", cell: ({ startedAt }) => timestampText(startedAt) },
  { name: "ms", cell: ({ duration }) => duration ?? "", alignRight: true },
  { name: "status", cell: ({ status }) => status ?? "interrupted" },
  { name: "policy", cell: ({ policy }) => policy ?? "" },
  { name: "result", cell: ({ counts }) => countsOf({ counts, left: false }) }
]
