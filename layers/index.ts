/** What plugs into the engine, and the default that puts it together. */
export { defaultFolder, readPolicy } from "./config.js"
export * as Default from "./Default.js"
export * as HashEmbedder from "./HashEmbedder.js"
export * as LexicalReranker from "./LexicalReranker.js"
export * as RuleReconciler from "./RuleReconciler.js"
export { hybrid, reconcilerOf } from "./reconcilers.js"
export * as Scheduler from "./Scheduler.js"
export * as WordEmbedder from "./WordEmbedder.js"
