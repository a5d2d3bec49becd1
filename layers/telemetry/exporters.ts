/** The parts of the optional package `@effect/opentelemetry` that `layerOtlp` uses. A bundle contains only these. */
export { make as makeMetrics } from "@effect/opentelemetry/OtlpMetrics"
export { layerJson as serialization } from "@effect/opentelemetry/OtlpSerialization"
export { make as makeTracer } from "@effect/opentelemetry/OtlpTracer"
