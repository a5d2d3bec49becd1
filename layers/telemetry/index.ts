/**
 * Traces and metrics: `import * as Telemetry from "daybook/telemetry"`.
 *
 * Provide one of the layers to the whole program, including `Daybook.layer`. Without such a layer, nothing is traced.
 */

export type { OtlpOptions, TraceFileOptions } from "./options.js"
export { layerFiltered, layerOtlp, TelemetryUnavailable } from "./otlp.js"
export { layerFile } from "./TraceFile.js"
