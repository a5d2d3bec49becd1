import * as Schema from "effect/Schema"
import { collectorAddress, exactOptional, withDefault } from "./fields.js"

/** Where the `daybook` command sends spans, events and metrics: to a file, one JSON object a line, or to a collector. */
export const Trace = Schema.Struct({
  /**
   * The file. A relative path is resolved against the data folder. `$DAYBOOK_TRACE_FILE` takes precedence. Default:
   * none.
   */
  file: exactOptional(
    Schema.String.pipe(
      Schema.filter((path) => path.trim() !== "" && path.length <= 4_096 && !path.includes("\0"), {
        message: () => "must be the path of a file"
      })
    )
  ),
  /**
   * The URL of a collector of OTLP over HTTP, without `/v1/traces`. `$OTEL_EXPORTER_OTLP_ENDPOINT` takes precedence.
   * Default: none.
   */
  otlp: exactOptional(collectorAddress),
  /**
   * Size in bytes at which the file is renamed to FILE.1, which replaces an earlier FILE.1. A new file is then started.
   */
  size: withDefault(Schema.Int.pipe(Schema.between(10_000, 1_000_000_000)), 10_000_000)
})
