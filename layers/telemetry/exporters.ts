/** What `layerOtlp` needs of the optional package `@effect/opentelemetry`. A bundle contains no more of it than this. */
export { make as makeMetrics } from "@effect/opentelemetry/OtlpMetrics"
export { layerJson as serialization } from "@effect/opentelemetry/OtlpSerialization"
export { make as makeTracer } from "@effect/opentelemetry/OtlpTracer"
