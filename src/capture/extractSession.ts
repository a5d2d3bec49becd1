import * as Effect from "effect/Effect"
import { traceEvent } from "../../events/tracing.js"
import type { CommandError } from "../actor/Actor.js"
import { type Command, runCause } from "../actor/Command.js"
import { countFallback } from "../model/operationMetrics.js"
import type { Extraction } from "../ports/Extractor.js"
import { askExtractor, extractNow } from "./ask.js"
import type { CaptureContext } from "./Capture.js"
import { type CapturedMemory, type ExtractCommandResult, extractCommand } from "./extractCommand.js"
import { type Batch, readBatch, type SessionKey } from "./request.js"
import { sourceNameOf, statementsOf } from "./statements.js"

/** Who extracts: the extractor's rules, or its model if it has one. */
export type ExtractionMethod = "rules" | "model"

/** Maximum attempts while other processes change the waiting turns. */
const maxAttempts = 5

/**
 * Extracts all waiting turns of a session in a store, in several extractions if there are many turns. If one extraction
 * fails, the results so far stay, and the other turns keep waiting.
 */
export const extractAll = Effect.fnUntraced(function* (
  capturing: CaptureContext,
  { session, store }: SessionKey,
  by: ExtractionMethod
): Effect.fn.Return<ExtractCommandResult, CommandError> {
  const captured: Array<CapturedMemory> = []
  let attempts = 0
  let pending = 0
  while (attempts < maxAttempts) {
    const batch = yield* capturing.read(({ db }) => readBatch(db, { session, store }, capturing.capture.policy.turns))
    if (batch.turns.length === 0) return { isCurrent: true, captured, pending: 0 }
    const extracted = yield* capturing.runner.runCommand(yield* extractBatch(capturing, batch, by))
    attempts = extracted.isCurrent ? 0 : attempts + 1
    pending = extracted.pending
    captured.push(...extracted.captured)
  }
  return { isCurrent: false, captured, pending }
})

/** Counts and traces an extraction in which the rules replaced a model's answer. */
const reported = ({ by, fallback }: Extraction) => {
  if (fallback === undefined) return Effect.void
  countFallback("extractor")
  return traceEvent("capture.failed", { reason: "extractor", by: by.kind })
}

/** Asks the extractor about a batch, and makes the command that stores the answer. */
export const extractBatch = (
  { capture, writer }: CaptureContext,
  batch: Batch,
  by: ExtractionMethod,
  cause = runCause(sourceNameOf(batch.session))
): Effect.Effect<Command<ExtractCommandResult, never>> => {
  const { mode, policy } = capture
  const extractor = capture.extractor!
  const asked =
    by === "rules" ? Effect.sync(() => extractNow(extractor, batch)) : askExtractor(extractor, batch, policy.timeout)
  return Effect.map(Effect.tap(asked, reported), (extraction) => {
    const settings = { credentials: policy.credentials, hasDailyLog: mode === "buffer" }
    const statements = statementsOf(batch, extraction, { ...writer, actor: "capture" }, settings)
    return extractCommand({
      batch,
      extraction,
      statements,
      extractor: extractor.name,
      actor: "capture",
      cause,
      level: writer.level
    })
  })
}
