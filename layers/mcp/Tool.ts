import * as Effect from "effect/Effect"
import * as z from "zod"
import { InvalidInput } from "../../src/model/errors.js"
import type { Connection } from "./connection.js"

/** The answer of a tool: data for programs, and the same data as compact text for a model. */
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
export interface ToolEffects {
  readonly readOnlyHint: boolean
  readonly destructiveHint: boolean
  readonly idempotentHint: boolean
}

export const readOnlyEffects: ToolEffects = { readOnlyHint: true, destructiveHint: false, idempotentHint: true }
export const addingEffects: ToolEffects = { readOnlyHint: false, destructiveHint: false, idempotentHint: false }
export const replacingEffects: ToolEffects = { readOnlyHint: false, destructiveHint: true, idempotentHint: true }

/** A JSON Schema of an object, as it appears in the list of tools. */
export interface ObjectSchema extends Readonly<Record<string, unknown>> {
  readonly type: "object"
}

/** Options that make a write safe to repeat. */
export interface CallOptions {
  readonly commandId: string | undefined
}

/** One tool of the server. */
export interface Tool {
  readonly name: string
  readonly title: string
  readonly description: string
  readonly annotations: ToolEffects
  readonly inputSchema: ObjectSchema
  readonly outputSchema: ObjectSchema
  /** Checks the arguments and carries out the call. */
  readonly call: (args: unknown, connection: Connection, options: CallOptions) => Effect.Effect<Answer, ToolFailure>
}

interface Definition<Input extends z.ZodObject> extends Pick<Tool, "name" | "title" | "description" | "annotations"> {
  /** A strict object: an unknown parameter is refused. */
  readonly input: Input
  /** The fields of the answer that are always present. */
  readonly output: z.ZodObject
  readonly run: (
    input: z.output<Input>,
    connection: Connection,
    options: CallOptions
  ) => Effect.Effect<Answer, ToolFailure>
}

/** Makes a tool. Its schemas are listed in their shortest form, because the list costs tokens in every conversation. */
export const tool = <Input extends z.ZodObject>({ input, output, run, ...described }: Definition<Input>): Tool => ({
  ...described,
  inputSchema: listedSchema(input),
  outputSchema: listedSchema(output),
  call: (args, connection, options) => {
    const given = withoutNulls(args)
    const parsed = input.safeParse(given)
    if (parsed.success) return run(parsed.data, connection, options)
    const called = { name: described.name, parameters: Object.keys(input.shape), given }
    return Effect.fail(invalidArguments(parsed.error, called))
  }
})

/** Some hosts send null for a parameter that was left out. */
const withoutNulls = (args: unknown): unknown =>
  typeof args === "object" && args !== null && !Array.isArray(args)
    ? Object.fromEntries(Object.entries(args).filter(([, value]) => value !== null))
    : args

/**
 * The problem of the arguments that the caller should fix first. An unknown name comes first, because it often explains
 * why another parameter is missing. Quotes names of parameters, never their values.
 */
const invalidArguments = ({ issues }: z.ZodError, { given, name, parameters }: Called): InvalidInput => {
  const issue = issues.find(({ code }) => code === "unrecognized_keys") ?? issues[0]
  const takes = `; ${name} takes ${parameters.join(", ")}`
  if (issue?.code === "unrecognized_keys") {
    return new InvalidInput({ field: issue.keys[0]!, problem: `is unknown${takes}` })
  }
  const field = issue?.path.join(".") || "arguments"
  const isMissing = issue !== undefined && issue.path.length > 0 && valueAt(given, issue.path) === undefined
  return new InvalidInput({ field, problem: isMissing ? `is missing${takes}` : problemOf(issue) })
}

interface Called {
  readonly name: string
  readonly parameters: ReadonlyArray<string>
  readonly given: unknown
}

const valueAt = (value: unknown, path: ReadonlyArray<PropertyKey>): unknown =>
  path.reduce<unknown>((at, key) => (Object(at) as Record<PropertyKey, unknown>)[key], value)

const problemOf = (issue: z.core.$ZodIssue | undefined): string => {
  switch (issue?.code) {
    case "invalid_value":
      return `must be one of ${issue.values.join(", ")}`
    case "invalid_type":
      return `must be ${typeNames[issue.expected] ?? issue.expected}`
    case "too_small":
      return `must be ${issue.minimum} or more${unitOf(issue.origin)}`
    case "too_big":
      return `must be ${issue.maximum} or less${unitOf(issue.origin)}`
    default:
      return "is not valid"
  }
}

const typeNames: Readonly<Record<string, string>> = {
  string: "text",
  number: "a number",
  int: "a whole number",
  boolean: "true or false",
  array: "a list",
  object: "an object"
}

const unitOf = (origin: string): string => (origin === "string" ? " characters" : origin === "array" ? " entries" : "")

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
