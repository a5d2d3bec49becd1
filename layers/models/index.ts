/** Language models and their callers. Needs the optional packages `@effect/ai` and the provider's. */
export * as LanguageModels from "./LanguageModels.js"
export * as ModelReconciler from "./ModelReconciler.js"
export * as ModelSummarizer from "./ModelSummarizer.js"
