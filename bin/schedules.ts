import type { Cadence } from "../events/Schedule.js"
import type { Scheduled } from "../src/schedules/addSchedule.js"
import type { Schedule, ScheduleRun, WholeScheduleRun } from "../src/schedules/Schedule.js"
import { zoned } from "../src/schedules/zoned.js"
import { second } from "./format.js"
import type { Output } from "./output.js"
import { type Column, fields, table } from "./table.js"

// How schedules and their runs look.

const lengths = [
  [86_400_000, "d"],
  [3_600_000, "h"],
  [60_000, "m"],
  [1_000, "s"],
  [1, "ms"]
] as const

/** A length of time in the largest unit that it is a whole number of. */
const length = (milliseconds: number): string => {
  const [unit, name] = lengths.find(([unit]) => milliseconds % unit === 0)!
  return `${milliseconds / unit}${name}`
}

const cadenceText = (cadence: Cadence): string => {
  switch (cadence.kind) {
    case "cron":
      return `${cadence.expression} ${cadence.zone}`
    case "once":
      return `once, ${second(cadence.at)}`
    case "interval":
      return `every ${length(cadence.every)}`
  }
}

const at = (instant: number | null, cadence: Cadence): string => (instant === null ? "" : zoned(instant, cadence))

export const scheduleTable = (out: Output, rows: ReadonlyArray<Schedule>): Promise<string> =>
  table(out, rows, scheduleColumns)

const scheduleColumns: ReadonlyArray<Column<Schedule>> = [
  { name: "id", of: ({ id }) => id, colour: "cyan" },
  { name: "status", of: ({ running, status }) => (running === null ? status : "running") },
  { name: "when", of: ({ cadence }) => cadenceText(cadence) },
  { name: "next", of: ({ cadence, nextRunAt }) => at(nextRunAt, cadence) },
  { name: "last", of: ({ lastStatus }) => lastStatus ?? "" },
  { name: "handler", of: ({ handler }) => handler },
  { name: "goal", of: ({ goal, name }) => name ?? goal, elastic: true }
]

export const scheduleText = (out: Output, schedule: Schedule): string => {
  const { cadence, channel, context, failures, lastRunAt, lastStatus, name, running } = schedule
  const pairs: ReadonlyArray<readonly [string, string | number | undefined]> = [
    ["id", schedule.id],
    ["name", name],
    ["goal", schedule.goal],
    ["when", cadenceText(cadence)],
    ["status", schedule.status],
    ["next", at(schedule.nextRunAt, cadence)],
    [
      "running",
      running === null ? "" : `run ${running.run}, attempt ${running.attempt}, until ${second(running.leasedUntil)}`
    ],
    ["last", lastRunAt === null ? "" : `${lastStatus}, ${at(lastRunAt, cadence)}`],
    ["failures", failures === 0 ? "" : `${failures} in a row`],
    ["handler", schedule.handler],
    ["notify", schedule.notify],
    ["missed", schedule.missed],
    ["keeps", schedule.keep],
    ["channel", channel],
    ["context", context],
    ["created", second(schedule.createdAt)]
  ]
  return fields(
    out,
    pairs.flatMap(([field, value]) => (value === undefined || value === "" ? [] : [[field, value] as const]))
  )
}

export const runTable = (out: Output, runs: ReadonlyArray<ScheduleRun>, cadence: Cadence): Promise<string> =>
  table(out, runs, [
    { name: "run", of: ({ run }) => run, colour: "cyan" },
    { name: "due", of: ({ dueAt }) => at(dueAt, cadence) },
    { name: "status", of: ({ status }) => status },
    { name: "attempt", of: ({ attempt }) => attempt, right: true },
    { name: "took", of: ({ duration }) => (duration === null ? "" : `${duration} ms`), right: true },
    { name: "told", of: ({ notified }) => (notified ? "yes" : "no") },
    { name: "summary", of: ({ error, summary }) => error ?? summary ?? "", elastic: true }
  ])

export const runText = (out: Output, run: WholeScheduleRun, cadence: Cadence): string => {
  const counts = Object.entries(run.counts).map(([name, count]) => `${name} ${count}`)
  const pairs: ReadonlyArray<readonly [string, string | number]> = [
    ["run", run.run],
    ["schedule", run.schedule],
    ["status", run.status],
    ["attempt", run.attempt],
    ["due", at(run.dueAt, cadence)],
    ["started", at(run.startedAt, cadence)],
    ["finished", at(run.finishedAt, cadence)],
    ["took", run.duration === null ? "" : `${run.duration} ms`],
    ["counts", counts.join(", ")],
    ["told", run.notified ? "yes" : "no"],
    ["error", run.error ?? ""],
    ["output", run.output ?? run.summary ?? ""]
  ]
  return fields(
    out,
    pairs.filter(([, value]) => value !== "")
  )
}

/** What became of a schedule, on one line. */
export const scheduledText = ({ id, nextRunAt, outcome, version }: Scheduled, cadence: Cadence | undefined): string => {
  const next = nextRunAt === null || cadence === undefined ? "" : `, next ${zoned(nextRunAt, cadence)}`
  return `${outcome} ${id} (version ${version})${next}`
}
