/** The metrics of Daybook. They are Effect metrics: any exporter of your program sees them. */
export { appendBatch, appendedEvents, appendMillis, cachedVectors } from "../../events/metrics.js"
export { caughtUpEvents, openViews, rebuiltViews, viewLag } from "../../projections/view/metrics.js"
export { fallbacks, operationMillis, waitingCommands } from "../../src/model/operationMetrics.js"
export { embeddedTexts, embedMillis, failedEmbeddings } from "../../src/ports/embedMetrics.js"
export { modelCalls } from "../../src/ports/modelMetrics.js"
export { droppedRecalls, recordedRecalls } from "../../src/recalls/metrics.js"
