import * as HttpApiSchema from "@effect/platform/HttpApiSchema"
import * as Schema from "effect/Schema"
import type { Types } from "./types.js"

/**
 * A JSON value of the interface. It is sent and received without a schema check: the operation itself checks its input,
 * and its answer needs no second check. The OpenAPI document describes it with the type of this name in `types.ts`.
 */
export const schemaFor = <Name extends keyof Types & string>(name: Name): Schema.Schema<Types[Name]> =>
  Schema.Unknown.annotations({
    jsonSchema: { $ref: `#/components/schemas/${name}` },
    ...HttpApiSchema.annotations({ status: 200 })
  }) as unknown as Schema.Schema<Types[Name]>
