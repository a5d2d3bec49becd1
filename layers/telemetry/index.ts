/**
 * Traces and metrics: `import * as Telemetry from "daybook/telemetry"`.
 *
 * Provide one of the layers around the program, below `Daybook.layer` too. Without one, nothing is traced.
 */

export type { OtlpOptions, TraceFileOptions } from "./options.js"
export { layerFiltered, layerOtlp, TelemetryUnavailable } from "./otlp.js"
export { layerFile } from "./TraceFile.js"
