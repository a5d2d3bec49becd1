import type { StageName } from "../model/stages.js"
import type { LifePolicy } from "../ports/policy/life.js"
import type { Job } from "../schedules/Runner.js"

/** Runs that the history of such a schedule keeps. */
const keep = 30

/** The engine's own jobs, at the times of the policy. What was missed is done once. */
export const jobsOf = ({ daily, gc, weekday, weekly, zone }: LifePolicy["maintenance"]): ReadonlyArray<Job> => {
  const job = (name: string, goal: string, time: string, days: string, stages: ReadonlyArray<StageName>): Job => {
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
        keep
      }
    }
  }
  return [
    job(
      "daily",
      "Retire what is no longer so, make knowledge of the days that are over, fold what says the same, shorten what is old",
      daily,
      "*",
      ["settle", "daily", "compress", "retention", "sessions"]
    ),
    job("gc", "Promote what is in use, archive what is not", gc, "*", ["gc", "archive", "cleanup"]),
    job("weekly", "Choose the profile anew, bring together what belongs together", weekly, weekday.slice(0, 3), [
      "weekly"
    ])
  ]
}
