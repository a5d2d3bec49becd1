import type * as LanguageModel from "@effect/ai/LanguageModel"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { runInSpan } from "../../events/tracing.js"
import { countModelCall } from "../../src/ports/modelMetrics.js"
import { type Failure, failureOf } from "./failures.js"

/** A question whose answer is JSON. */
export interface JsonQuestion {
  /** The name of the answer, for the provider. */
  readonly name: string
  /** The answer's JSON schema. */
  readonly schema: Readonly<Record<string, unknown>>
  readonly instructions: string
  readonly question: string
}

/**
 * Asks a language model for JSON. Sends the schema to the model, but accepts any JSON: the caller decodes the answer
 * and reports its problems. Removes null fields, because a strict schema requires every field and the model writes null
 * for an absent field. Failures contain no text of the prompt or the answer.
 */
export const askForJson = (
  model: LanguageModel.Service,
  { instructions, name, question, schema }: JsonQuestion
): Effect.Effect<unknown, Pick<Failure, "reason" | "detail">> =>
  model
    .generateObject({
      objectName: name,
      schema: Schema.Unknown.annotations({ jsonSchema: schema }) as unknown as Schema.Schema<
        unknown,
        Record<string, unknown>
      >,
      prompt: [
        { role: "system", content: instructions },
        { role: "user", content: question }
      ]
    })
    .pipe(
      // The spans of @effect/ai contain the model's answer, which may quote memories.
      Effect.withTracerEnabled(false),
      Effect.map(({ value }) => withoutNulls(value)),
      Effect.mapError((error) => {
        const { detail, reason } = failureOf(error)
        return { reason, ...(detail === undefined ? {} : { detail }) }
      }),
      Effect.catchAllDefect(() => Effect.fail({ reason: "failed" as const, detail: "defect" })),
      Effect.tapBoth({
        onFailure: ({ reason }) => Effect.sync(() => countModelCall(name, reason)),
        onSuccess: () => Effect.sync(() => countModelCall(name, "ok"))
      }),
      (answer) => runInSpan("LanguageModel.ask", answer, { task: name }, { kind: "client" })
    )

const withoutNulls = (value: unknown): unknown =>
  Array.isArray(value)
    ? value.map(withoutNulls)
    : typeof value !== "object" || value === null
      ? value
      : Object.fromEntries(
          Object.entries(value).flatMap(([key, field]) => (field === null ? [] : [[key, withoutNulls(field)]]))
        )
