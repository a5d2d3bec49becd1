import { readFileSync } from "node:fs"
import { resolve } from "node:path"
import * as Effect from "effect/Effect"
import { findPolicyFile, readPolicy } from "../config.js"
import { readSetting } from "../settings.js"
import type { TraceFileOptions } from "./options.js"

/** The destinations of a data folder's traces. */
export interface TraceSettings {
  readonly file: TraceFileOptions | undefined
  /** The URL of a collector. If the URL comes from the environment (`isVariable`), it is not checked yet. */
  readonly otlp: { readonly url: string; readonly isVariable: boolean } | undefined
}

/**
 * The trace file of a data folder is `$DAYBOOK_TRACE_FILE`, or `[trace] file` of its policy. Its collector is
 * `$OTEL_EXPORTER_OTLP_ENDPOINT`, or `[trace] otlp`, unless `$OTEL_SDK_DISABLED` is true. A policy that cannot be read
 * is ignored here: the command that opens the policy reports the error.
 */
export const traceSettings = Effect.fnUntraced(function* (folder: string): Effect.fn.Return<TraceSettings> {
  const named = yield* readSetting("DAYBOOK_TRACE_FILE")
  const endpoint = yield* readSetting("OTEL_EXPORTER_OTLP_ENDPOINT")
  const isDisabled = (yield* readSetting("OTEL_SDK_DISABLED"))?.toLowerCase() === "true"
  const trace = yield* tracePolicy(folder)
  const file = named === undefined ? trace?.file && resolve(folder, trace.file) : resolve(named)
  const url = isDisabled ? undefined : (endpoint ?? trace?.otlp)
  return {
    file: file === undefined ? undefined : { file, ...(trace === undefined ? {} : { maxBytes: trace.size }) },
    otlp: url === undefined ? undefined : { url, isVariable: endpoint !== undefined }
  }
})

const tracePolicy = (folder: string) =>
  Effect.gen(function* () {
    const { file } = yield* findPolicyFile(folder)
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
