import * as HttpApiGroup from "@effect/platform/HttpApiGroup"
import * as Schema from "effect/Schema"
import { ScheduleStatus } from "../../../../events/Schedule.js"
import type { MaintainOptions } from "../../../../src/maintenance/maintain.js"
import { stageNames } from "../../../../src/model/stages.js"
import type { ScheduleFilter } from "../../../../src/schedules/Schedules.js"
import { idPath, readEndpoint, runPath, writeEndpoint } from "../endpoints.js"
import { schemaFor } from "../json.js"
import {
  booleanParameter,
  choiceListParameter,
  instantParameter,
  numberParameter,
  type ParametersOf,
  pageParameters,
  pathText,
  textListParameter,
  textParameter
} from "../parameters.js"

const byNumber = Schema.Struct({ number: pathText })

const scheduleFilters = {
  statuses: choiceListParameter(ScheduleStatus.literals)("Statuses."),
  handlers: textListParameter("Handlers."),
  text: textParameter("A part of the name or the goal."),
  before: instantParameter("Due before this time.")
} satisfies ParametersOf<ScheduleFilter>

/** Schedules and their runs. */
export const schedulesGroup = HttpApiGroup.make("schedules")
  .add(
    writeEndpoint("add", "POST /schedules", { summary: "Add a schedule", answer: "Scheduled", query: {} }).setPayload(
      schemaFor("ScheduleInput")
    )
  )
  .add(
    readEndpoint("list", "/schedules", {
      summary: "List schedules, newest first",
      answer: "SchedulePage",
      query: { ...pageParameters, ...scheduleFilters }
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
    }).setPath(runPath)
  )
  .add(
    readEndpoint("get", "/schedules/:id", { summary: "Read a schedule", answer: "Schedule", query: {} }).setPath(idPath)
  )
  .add(
    readEndpoint("runs", "/schedules/:id/runs", {
      summary: "List the runs of a schedule, newest first",
      answer: "ScheduleRunPage",
      query: pageParameters
    }).setPath(idPath)
  )
  .add(
    writeEndpoint("update", "PATCH /schedules/:id", {
      summary: "Change, pause or resume a schedule",
      answer: "Scheduled",
      query: {}
    })
      .setPath(idPath)
      .setPayload(schemaFor("ScheduleChanges"))
  )
  .add(
    writeEndpoint("delete", "DELETE /schedules/:id", {
      summary: "Remove a schedule and its history from every read",
      answer: "Scheduled",
      query: {}
    }).setPath(idPath)
  )

export const recallsGroup = HttpApiGroup.make("recalls")
  .add(
    readEndpoint("list", "/recalls", {
      summary: "List recorded recalls, newest first",
      answer: "RecallPage",
      query: pageParameters
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
export const maintenanceGroup = HttpApiGroup.make("maintenance")
  .add(
    writeEndpoint("run", "POST /maintenance", {
      summary: "Promote, archive, compress and summarize memories, in stages",
      answer: "StageRuns",
      query: {
        stages: choiceListParameter(stageNames)("Stages. Default: all."),
        dryRun: booleanParameter("Returns the planned events and writes nothing."),
        deadline: numberParameter("No work begins after this time, in milliseconds since the epoch."),
        confirmClock: booleanParameter("Confirms that the clock is right after a jump of more than a year.")
      } satisfies ParametersOf<MaintainOptions>
    })
  )
  .add(
    writeEndpoint("gc", "POST /gc", {
      summary: "Re-score short-lived memories: promote, demote or archive them",
      answer: "Collected",
      query: { dryRun: booleanParameter("Returns the planned events and writes nothing.") }
    })
  )
  .add(
    readEndpoint("list", "/maintenance", {
      summary: "List maintenance runs, newest first",
      answer: "RunPage",
      query: pageParameters
    })
  )
  .add(
    readEndpoint("tiers", "/maintenance/tiers", {
      summary: "Count memories and scores by tier",
      answer: "Tiers",
      query: { limit: numberParameter("Number of best memories to list. Default 10.") }
    })
  )
  .add(
    readEndpoint("get", "/maintenance/:run", { summary: "Read a maintenance run", answer: "Run", query: {} }).setPath(
      runPath
    )
  )
