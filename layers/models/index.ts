/** Language models and their callers. They need the optional packages `@effect/ai` and the provider's. */
export * as LanguageModels from "./LanguageModels.js"
export { MaxPatience } from "./limitRequests.js"
export * as ModelExtractor from "./ModelExtractor.js"
export * as ModelReconciler from "./ModelReconciler.js"
export * as ModelSummarizer from "./ModelSummarizer.js"
