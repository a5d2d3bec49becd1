/**
 * Traces and metrics: `import * as Telemetry from "daybook/telemetry"`.
 *
 * Provide one of the layers around the program, below `Daybook.layer` too. Without one, nothing is traced.
 */

export { layerFiltered, layerOtlp, type OtlpOptions, TelemetryUnavailable } from "./otlp.js"
export { layerFile, type TraceFileOptions } from "./TraceFile.js"
