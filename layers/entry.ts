/**
 * The public entry of the package: `import { Daybook } from "daybook"`.
 *
 * `Daybook.layer({ folder })` is a complete memory system. The namespaces contain replacements for its parts:
 * `Embedder.layerOpenAi()`, `Reranker.layerNone`. Models and optional packages are loaded at their first use.
 */

export { limits } from "../src/model/limits.js"
export { gateMessage } from "../text/normalise/gate.js"
export * as Backup from "./entry/Backup.js"
export { Daybook, type DaybookOptions } from "./entry/Daybook.js"
export * as Embedder from "./entry/Embedder.js"
export * as Erasure from "./entry/Erasure.js"
export * as Extractor from "./entry/Extractor.js"
export * from "./entry/errors.js"
export * as Metrics from "./entry/Metrics.js"
export * as Policy from "./entry/Policy.js"
export * as Prompt from "./entry/Prompt.js"
export type * as Recall from "./entry/Recall.js"
export * as Reconciler from "./entry/Reconciler.js"
export * as Reranker from "./entry/Reranker.js"
export * as Schedule from "./entry/Schedule.js"
export type * as Session from "./entry/Session.js"
export * as Settler from "./entry/Settler.js"
export * as StatementReader from "./entry/StatementReader.js"
export * as Summarizer from "./entry/Summarizer.js"
export * from "./entry/schemas.js"
export * as TokenCounter from "./entry/TokenCounter.js"
export type * from "./entry/types.js"
export type * as Undo from "./entry/Undo.js"
export type * as WhatIf from "./entry/WhatIf.js"
export type * as Why from "./entry/Why.js"
export { type HostMemory, type HostOptions, hostMemory } from "./hosts/HostMemory.js"
export { MemoryClosed } from "./hosts/MemoryClosed.js"
export { openMemory } from "./hosts/openMemory.js"
export * as Maintenance from "./Maintenance.js"
export * as Scheduler from "./Scheduler.js"
