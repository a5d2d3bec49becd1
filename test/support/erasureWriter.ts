import * as Effect from "effect/Effect"
import { type EraseRequest, EventLog } from "../../events/EventLog.js"
import * as EventLogSqlite from "../../events/EventLogSqlite.js"
import { dieAtStep } from "./dieAtStep.js"

/** A process that erases, and kills itself at one step of it: a statement, or a write or flush of a file. */
export interface ErasureWriterOptions {
  readonly folder: string
  readonly request: EraseRequest
  /** The step at which it dies, from 1. */
  readonly step: number
}

const { folder, request, step } = JSON.parse(process.argv[2]!) as ErasureWriterOptions
const steps = dieAtStep(step)

const work = Effect.gen(function* () {
  const log = yield* EventLog
  steps.start()
  yield* log.erase(request)
  yield* log.clean(yield* log.cleanings)
  console.log(steps.stop())
})

Effect.runPromise(Effect.provide(work, EventLogSqlite.layer(folder))).catch((cause) => {
  console.error(cause)
  process.exitCode = 1
})
