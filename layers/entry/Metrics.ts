/** The metrics of Daybook. They are Effect metrics: any exporter of your program sees them. */
export { appendBatch, appendedEvents, appendMillis, cachedVectors } from "../../events/metrics.js"
export { caughtUpEvents, rebuiltViews, viewLag } from "../../projections/view/metrics.js"
export { embeddedTexts, embedMillis, failedEmbeddings } from "../../src/ports/embedMetrics.js"
export { droppedRecalls, recordedRecalls } from "../../src/recalls/metrics.js"
