import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import { afterImages, type DaybookEvent } from "../../../events/catalogue.js"
import { readAll } from "../../../events/EventLog.js"
import type { Removal } from "../../../events/erasure/remains.js"
import type { PlanError, PlanSource } from "./planAgent.js"
import { type AgentErasure, makeReport } from "./report.js"
import { makeSubjects } from "./Subjects.js"
import type { Selection } from "./selection.js"
import type { Subjects } from "./subjectSets.js"

/** Reports everything that the log contains about an agent, for the dry run of an erasure of the whole agent. */
export const reportWholeAgent = Effect.fnUntraced(function* (
  { codec, log }: PlanSource,
  agent: string
): Effect.fn.Return<AgentErasure, PlanError> {
  const selection: Selection = { kind: "agent" }
  const { subjects } = makeSubjects(selection)
  const report = makeReport(agent, { selection, subjects }, true)
  yield* Stream.runForEach(readAll(log, agent), (row) => {
    if (row.payload === null || row.type === "ERASE" || row.type === "REMAINS") return Effect.void
    return Effect.map(codec.decode(row), (decoded) => {
      const event = decoded as DaybookEvent
      select(subjects, event)
      report.add(event, removalOfAll(event), false)
    })
  })
  return report.finish()
})

const select = (subjects: Subjects, event: DaybookEvent): void => {
  for (const { born, id } of afterImages(event)) {
    subjects.rows.add(born)
    subjects.ids.add(id)
  }
  if (event.type === "TURN") {
    subjects.turns.add(event.version)
    subjects.sources.add(`turn ${event.payload.turn.id}`)
  }
  if (event.type === "FILE") {
    subjects.files.add(event.version)
    subjects.sources.add(`file ${event.payload.file.path}`)
  }
  if (event.type === "SCHEDULE") subjects.schedules.add(event.payload.schedule)
}

/** Selects a whole event. A RECALL event lists its queries, because each query is counted. */
const removalOfAll = (event: DaybookEvent): Removal =>
  event.type === "RECALL" ? { lists: { recalls: event.payload.recalls.map((_, index) => index) } } : "whole"
