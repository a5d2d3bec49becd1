import * as Effect from "effect/Effect"
import * as z from "zod"
import { InvalidInput } from "../../src/model/errors.js"
import type { Connection } from "./connection.js"

/** The answer of a tool: data for programs, and the same as compact text for a model. */
export interface Answer {
  readonly data: Readonly<Record<string, unknown>>
  readonly text: string
}

/** An expected failure. Its message says what is wrong and what to do, in one line. */
export interface ToolFailure {
  readonly _tag: string
  readonly message: string
}

/** The effect of a tool on the memory, in the protocol's terms. */
export interface Effects {
  readonly readOnlyHint: boolean
  readonly destructiveHint: boolean
  readonly idempotentHint: boolean
}

export const reads: Effects = { readOnlyHint: true, destructiveHint: false, idempotentHint: true }
export const adds: Effects = { readOnlyHint: false, destructiveHint: false, idempotentHint: false }
export const replaces: Effects = { readOnlyHint: false, destructiveHint: true, idempotentHint: true }

/** A JSON Schema of an object, as the list of tools has it. */
export interface ObjectSchema extends Readonly<Record<string, unknown>> {
  readonly type: "object"
}

/** How a write is made safe to repeat. */
export interface CallOptions {
  readonly commandId: string | undefined
}

/** One tool of the server. */
export interface Tool {
  readonly name: string
  readonly title: string
  readonly description: string
  readonly annotations: Effects
  readonly inputSchema: ObjectSchema
  readonly outputSchema: ObjectSchema
  /** Checks the arguments and carries out the call. */
  readonly call: (args: unknown, connection: Connection, options: CallOptions) => Effect.Effect<Answer, ToolFailure>
}

interface Definition<Input extends z.ZodObject> extends Pick<Tool, "name" | "title" | "description" | "annotations"> {
  /** A strict object: an unknown parameter is refused. */
  readonly input: Input
  /** The fields of the answer that are always there. */
  readonly output: z.ZodObject
  readonly run: (
    input: z.output<Input>,
    connection: Connection,
    options: CallOptions
  ) => Effect.Effect<Answer, ToolFailure>
}

/** Makes a tool. Its schemas are listed in their shortest form, because every conversation pays for the list. */
export const tool = <Input extends z.ZodObject>({ input, output, run, ...described }: Definition<Input>): Tool => ({
  ...described,
  inputSchema: listedSchema(input),
  outputSchema: listedSchema(output),
  call: (args, connection, options) => {
    const parsed = input.safeParse(withoutNulls(args))
    return parsed.success
      ? run(parsed.data, connection, options)
      : Effect.fail(invalidArguments(described.name, parsed.error, Object.keys(input.shape)))
  }
})

/** Some hosts send null for a parameter that was left out. */
const withoutNulls = (args: unknown): unknown =>
  typeof args === "object" && args !== null && !Array.isArray(args)
    ? Object.fromEntries(Object.entries(args).filter(([, value]) => value !== null))
    : args

/**
 * The problem of the arguments to mend first: an unknown name, which explains why another one is missing. It quotes names
 * of parameters, never their values.
 */
const invalidArguments = (name: string, { issues }: z.ZodError, parameters: ReadonlyArray<string>): InvalidInput => {
  const issue = issues.find(({ code }) => code === "unrecognized_keys") ?? issues[0]
  if (issue?.code === "unrecognized_keys") {
    return new InvalidInput({ field: issue.keys[0]!, problem: `is unknown; ${name} takes ${parameters.join(", ")}` })
  }
  const field = issue?.path.join(".") || "arguments"
  if (issue?.code === "invalid_value") {
    return new InvalidInput({ field, problem: `must be one of ${issue.values.join(", ")}` })
  }
  const expected = issue?.code === "invalid_type" ? issue.expected : "another type"
  return new InvalidInput({ field, problem: `must be ${expected}; ${name} takes ${parameters.join(", ")}` })
}

const listedSchema = (schema: z.ZodObject): ObjectSchema => {
  const { $schema: _, ...listed } = z.toJSONSchema(schema, {
    override: ({ jsonSchema }) => {
      delete jsonSchema.additionalProperties
      if (Object.keys(jsonSchema.properties ?? {}).length === 0) delete jsonSchema.properties
      if (jsonSchema.enum !== undefined) delete jsonSchema.type
      if (jsonSchema.type !== "integer") return
      delete jsonSchema.minimum
      delete jsonSchema.maximum
    }
  })
  return listed as ObjectSchema
}
