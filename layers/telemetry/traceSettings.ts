import { readFileSync } from "node:fs"
import { resolve } from "node:path"
import * as Effect from "effect/Effect"
import { policyFile, readPolicy } from "../config.js"
import { readSetting } from "../settings.js"
import type { TraceFileOptions } from "./TraceFile.js"

/**
 * The trace file of a data folder: `$DAYBOOK_TRACE_FILE`, or `[trace] file` of its policy; undefined without either. A
 * policy that cannot be read names none: the command that opens the policy reports the error.
 */
export const traceSettings = (folder: string): Effect.Effect<TraceFileOptions | undefined> =>
  Effect.gen(function* () {
    const named = yield* readSetting("DAYBOOK_TRACE_FILE")
    const trace = yield* tracePolicy(folder)
    const file = named === undefined ? trace?.file && resolve(folder, trace.file) : resolve(named)
    return file === undefined ? undefined : { file, ...(trace === undefined ? {} : { maxBytes: trace.size }) }
  })

const tracePolicy = (folder: string) =>
  Effect.gen(function* () {
    const { file } = yield* policyFile(folder)
    // Every command runs this, so a policy without a trace section is not parsed twice.
    if (file === undefined || !mentionsTrace(file)) return undefined
    return (yield* readPolicy(folder)).trace
  }).pipe(Effect.orElseSucceed(() => undefined))

const mentionsTrace = (file: string): boolean => {
  try {
    return readFileSync(file, "utf8").includes("trace")
  } catch {
    return false
  }
}
