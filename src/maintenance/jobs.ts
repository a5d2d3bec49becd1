import type { StageName } from "../model/stages.js"
import type { MaintenancePolicy } from "../ports/policy/maintenance.js"
import type { Job } from "../schedules/Runner.js"

/** Maximum runs in the history of a job's schedule. */
const maxKeptRuns = 30

interface JobPlan {
  readonly name: string
  readonly goal: string
  /** Time of day, such as 03:30. */
  readonly time: string
  /** The weekday field of the cron expression. */
  readonly days: string
  readonly stages: ReadonlyArray<StageName>
}

/**
 * The engine's own jobs, at the policy's times. A job that missed several runs makes up for all of them with one run.
 */
export const makeJobs = ({
  daily,
  gc,
  weekday,
  weekly,
  zone
}: MaintenancePolicy["maintenance"]): ReadonlyArray<Job> => {
  const job = ({ days, goal, name, stages, time }: JobPlan): Job => {
    const [hour, minute] = time.split(":").map(Number)
    const handler = `daybook/${name}`
    return {
      handler,
      stages,
      definition: {
        name: handler,
        goal,
        handler,
        cadence: { kind: "cron", expression: `${minute} ${hour} * * ${days}`, zone },
        notify: "on-failure",
        missed: "once",
        keep: maxKeptRuns
      }
    }
  }
  return [
    job({
      name: "daily",
      goal: "Retire contradicted memories, compress tool runs, write notes of past days, merge repeats, shorten old narratives",
      time: daily,
      days: "*",
      stages: ["settle", "tools", "daily", "compress", "retention", "sessions"]
    }),
    job({
      name: "gc",
      goal: "Promote used memories, archive unused ones",
      time: gc,
      days: "*",
      stages: ["gc", "archive", "cleanup"]
    }),
    job({
      name: "weekly",
      goal: "Rebuild the profile, merge related memories of past weeks",
      time: weekly,
      days: weekday.slice(0, 3),
      stages: ["weekly"]
    })
  ]
}
