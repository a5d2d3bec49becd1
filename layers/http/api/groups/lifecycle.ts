import * as HttpApiGroup from "@effect/platform/HttpApiGroup"
import * as Schema from "effect/Schema"
import { ScheduleStatus } from "../../../../events/Schedule.js"
import type { MaintainOptions } from "../../../../src/maintenance/maintain.js"
import { stageNames } from "../../../../src/model/stages.js"
import type { ScheduleFilter } from "../../../../src/schedules/Schedules.js"
import { byId, byRun, readEndpoint, writeEndpoint } from "../endpoints.js"
import { json } from "../json.js"
import { choices, flag, instant, number, type ParametersOf, page, pathText, text, texts } from "../parameters.js"

const byNumber = Schema.Struct({ number: pathText })

const scheduleFilters = {
  statuses: choices(ScheduleStatus.literals)("Statuses."),
  handlers: texts("Handlers."),
  text: text("A part of the name or the goal."),
  before: instant("Due before this time.")
} satisfies ParametersOf<ScheduleFilter>

/** Schedules and their runs. */
export const schedules = HttpApiGroup.make("schedules")
  .add(
    writeEndpoint("add", "POST /schedules", { summary: "Add a schedule", answer: "Scheduled", query: {} }).setPayload(
      json("ScheduleInput")
    )
  )
  .add(
    readEndpoint("list", "/schedules", {
      summary: "List schedules, newest first",
      answer: "SchedulePage",
      query: { ...page, ...scheduleFilters }
    })
  )
  .add(
    readEndpoint("count", "/schedules/count", { summary: "Count schedules", answer: "Count", query: scheduleFilters })
  )
  .add(
    readEndpoint("run", "/schedules/runs/:run", {
      summary: "Read one run of a schedule with its whole output",
      answer: "WholeScheduleRun",
      query: {}
    }).setPath(byRun)
  )
  .add(
    readEndpoint("get", "/schedules/:id", { summary: "Read a schedule", answer: "Schedule", query: {} }).setPath(byId)
  )
  .add(
    readEndpoint("runs", "/schedules/:id/runs", {
      summary: "List the runs of a schedule, newest first",
      answer: "ScheduleRunPage",
      query: page
    }).setPath(byId)
  )
  .add(
    writeEndpoint("update", "PATCH /schedules/:id", {
      summary: "Change, pause or resume a schedule",
      answer: "Scheduled",
      query: {}
    })
      .setPath(byId)
      .setPayload(json("ScheduleChanges"))
  )
  .add(
    writeEndpoint("delete", "DELETE /schedules/:id", {
      summary: "Remove a schedule and its history from every read",
      answer: "Scheduled",
      query: {}
    }).setPath(byId)
  )

export const recalls = HttpApiGroup.make("recalls")
  .add(
    readEndpoint("list", "/recalls", {
      summary: "List recorded recalls, newest first",
      answer: "RecallPage",
      query: page
    })
  )
  .add(
    readEndpoint("get", "/recalls/:number", {
      summary: "Read a recall with everything that its answer depended on",
      answer: "Recall",
      query: {}
    }).setPath(byNumber)
  )
  .add(
    readEndpoint("rerun", "/recalls/:number/rerun", {
      summary: "Repeat a recall at its time, and compare the results",
      answer: "Rerun",
      query: {}
    }).setPath(byNumber)
  )
  .add(
    writeEndpoint("flush", "POST /recalls/flush", {
      summary: "Record pending recalls now",
      answer: "Count",
      query: {}
    })
  )

/** Maintenance: its runs, tiers and scores. */
export const maintenance = HttpApiGroup.make("maintenance")
  .add(
    writeEndpoint("run", "POST /maintenance", {
      summary: "Promote, archive, compress and summarize memories, in stages",
      answer: "StageRuns",
      query: {
        stages: choices(stageNames)("Stages. Default: all."),
        dryRun: flag("Returns the planned events and writes nothing."),
        deadline: number("No work begins after this time, in milliseconds since the epoch."),
        confirmClock: flag("Confirms that the clock is right after a jump of more than a year.")
      } satisfies ParametersOf<MaintainOptions>
    })
  )
  .add(
    writeEndpoint("gc", "POST /gc", {
      summary: "Re-score short-lived memories: promote, demote or archive them",
      answer: "Collected",
      query: { dryRun: flag("Returns the planned events and writes nothing.") }
    })
  )
  .add(
    readEndpoint("list", "/maintenance", {
      summary: "List maintenance runs, newest first",
      answer: "RunPage",
      query: page
    })
  )
  .add(
    readEndpoint("tiers", "/maintenance/tiers", {
      summary: "Count memories and scores by tier",
      answer: "Tiers",
      query: { limit: number("Number of best memories to list. Default 10.") }
    })
  )
  .add(
    readEndpoint("get", "/maintenance/:run", { summary: "Read a maintenance run", answer: "Run", query: {} }).setPath(
      byRun
    )
  )
