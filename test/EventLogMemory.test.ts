import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { EventLog } from "../events/EventLog.js"
import * as EventLogMemory from "../events/EventLogMemory.js"
import { ByHand, eventLogSuite } from "./suites/eventLog.js"

/** The rows that the log answers with are the ones that it keeps. */
const byHand = Layer.effect(
  ByHand,
  Effect.map(EventLog, (log) => ({
    erase: (stream: string, version: number) =>
      Effect.map(Effect.orDie(log.at(stream, [version])), ([row]) => {
        Object.assign(row!, { payload: null, salt: null, requestDigest: null, erasedAt: row!.recordedAt })
      })
  }))
)

eventLogSuite("EventLogMemory", Layer.provideMerge(byHand, EventLogMemory.layer))
