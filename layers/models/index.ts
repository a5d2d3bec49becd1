/** Language models and their callers. They need the optional package `@effect/ai` and the package of the provider. */
export * as LanguageModels from "./LanguageModels.js"
export { MaxRequestMillis } from "./limitRequests.js"
export * as ModelExtractor from "./ModelExtractor.js"
export * as ModelReconciler from "./ModelReconciler.js"
export * as ModelSummarizer from "./ModelSummarizer.js"
