import type { Cadence } from "../events/Schedule.js"
import type { Scheduled } from "../src/schedules/addSchedule.js"
import { localTimeText } from "../src/schedules/localTimeText.js"
import type { Schedule, ScheduleRun, WholeScheduleRun } from "../src/schedules/Schedule.js"
import { timestampText } from "./format.js"
import type { Output } from "./output.js"
import { type Column, fieldsTable, table } from "./table.js"

// Formats schedules and their runs as text.

const timeUnits = [
  [86_400_000, "d"],
  [3_600_000, "h"],
  [60_000, "m"],
  [1_000, "s"],
  [1, "ms"]
] as const

/** A duration in the largest unit that divides it exactly. */
const durationText = (milliseconds: number): string => {
  const [unit, name] = timeUnits.find(([unit]) => milliseconds % unit === 0)!
  return `${milliseconds / unit}${name}`
}

const cadenceText = (cadence: Cadence): string => {
  switch (cadence.kind) {
    case "cron":
      return `${cadence.expression} ${cadence.zone}`
    case "once":
      return `once, ${timestampText(cadence.at)}`
    case "interval":
      return `every ${durationText(cadence.every)}`
  }
}

const timeText = (instant: number | null, cadence: Cadence): string =>
  instant === null ? "" : localTimeText(instant, cadence)

export const scheduleTable = (out: Output, rows: ReadonlyArray<Schedule>): Promise<string> =>
  table(out, rows, scheduleColumns)

const scheduleColumns: ReadonlyArray<Column<Schedule>> = [
  { name: "id", cell: ({ id }) => id, colour: "cyan" },
  { name: "status", cell: ({ running, status }) => (running === null ? status : "running") },
  { name: "when", cell: ({ cadence }) => cadenceText(cadence) },
  { name: "next", cell: ({ cadence, nextRunAt }) => timeText(nextRunAt, cadence) },
  { name: "last", cell: ({ lastStatus }) => lastStatus ?? "" },
  { name: "handler", cell: ({ handler }) => handler },
  { name: "goal", cell: ({ goal, name }) => name ?? goal, elastic: true }
]

export const scheduleText = (out: Output, schedule: Schedule): string => {
  const { cadence, channel, context, failures, lastRunAt, lastStatus, name, running } = schedule
  const pairs: ReadonlyArray<readonly [string, string | number | undefined]> = [
    ["id", schedule.id],
    ["name", name],
    ["goal", schedule.goal],
    ["when", cadenceText(cadence)],
    ["status", schedule.status],
    ["next", timeText(schedule.nextRunAt, cadence)],
    [
      "running",
      running === null
        ? ""
        : `run ${running.run}, attempt ${running.attempt}, until ${timestampText(running.leasedUntil)}`
    ],
    ["last", lastRunAt === null ? "" : `${lastStatus}, ${timeText(lastRunAt, cadence)}`],
    ["failures", failures === 0 ? "" : `${failures} in a row`],
    ["handler", schedule.handler],
    ["notify", schedule.notify],
    ["missed", schedule.missed],
    ["keeps", schedule.keep],
    ["channel", channel],
    ["context", context],
    ["created", timestampText(schedule.createdAt)]
  ]
  return fieldsTable(
    out,
    pairs.flatMap(([field, value]) => (value === undefined || value === "" ? [] : [[field, value] as const]))
  )
}

export const runTable = (out: Output, runs: ReadonlyArray<ScheduleRun>, cadence: Cadence): Promise<string> =>
  table(out, runs, [
    { name: "run", cell: ({ run }) => run, colour: "cyan" },
    { name: "due", cell: ({ dueAt }) => timeText(dueAt, cadence) },
    { name: "status", cell: ({ status }) => status },
    { name: "attempt", cell: ({ attempt }) => attempt, alignRight: true },
    { name: "took", cell: ({ duration }) => (duration === null ? "" : `${duration} ms`), alignRight: true },
    { name: "notified", cell: ({ notified }) => (notified ? "yes" : "no") },
    { name: "summary", cell: ({ error, summary }) => error ?? summary ?? "", elastic: true }
  ])

export const runText = (out: Output, run: WholeScheduleRun, cadence: Cadence): string => {
  const counts = Object.entries(run.counts).map(([name, count]) => `${name} ${count}`)
  const pairs: ReadonlyArray<readonly [string, string | number]> = [
    ["run", run.run],
    ["schedule", run.schedule],
    ["status", run.status],
    ["attempt", run.attempt],
    ["due", timeText(run.dueAt, cadence)],
    ["started", timeText(run.startedAt, cadence)],
    ["finished", timeText(run.finishedAt, cadence)],
    ["took", run.duration === null ? "" : `${run.duration} ms`],
    ["counts", counts.join(", ")],
    ["notified", run.notified ? "yes" : "no"],
    ["error", run.error ?? ""],
    ["output", run.output ?? run.summary ?? ""]
  ]
  return fieldsTable(
    out,
    pairs.filter(([, value]) => value !== "")
  )
}

/** The result of a change to a schedule, on one line. */
export const scheduleChangeText = (
  { id, nextRunAt, outcome, version }: Scheduled,
  cadence: Cadence | undefined
): string => {
  const next = nextRunAt === null || cadence === undefined ? "" : `, next ${localTimeText(nextRunAt, cadence)}`
  return `${outcome} ${id} (version ${version})${next}`
}
