import * as HttpApiEndpoint from "@effect/platform/HttpApiEndpoint"
import * as OpenApi from "@effect/platform/OpenApi"
import * as Schema from "effect/Schema"
import { schemaFor } from "./json.js"
import { idempotencyHeaders, pathText, querySchema, readParameters, writeParameters } from "./parameters.js"
import type { Types } from "./types.js"

interface Operation<Answer extends keyof Types, Own extends Schema.Struct.Fields> {
  /** A summary of the operation, in one line. */
  readonly summary: string
  readonly answer: Answer
  /** Its parameters, in addition to those of every read or write. */
  readonly query: Own
}

/** An operation that reads. */
export const readEndpoint = <const Name extends string, Answer extends keyof Types, Own extends Schema.Struct.Fields>(
  name: Name,
  path: `/${string}`,
  { answer, query: own, summary }: Operation<Answer, Own>
) =>
  HttpApiEndpoint.get(name, path)
    .setUrlParams(querySchema({ ...readParameters, ...own }))
    .addSuccess(schemaFor(answer))
    .annotate(OpenApi.Summary, summary)

/** An operation that reads, with its query as the JSON body, because a user's message may be too long for a URL. */
export const bodyReadEndpoint = <const Name extends string, Answer extends keyof Types, Body extends keyof Types>(
  name: Name,
  path: `/${string}`,
  { answer, body, summary }: { readonly summary: string; readonly answer: Answer; readonly body: Body }
) =>
  HttpApiEndpoint.post(name, path)
    .setUrlParams(querySchema(readParameters))
    .setPayload(schemaFor(body))
    .addSuccess(schemaFor(answer))
    .annotate(OpenApi.Summary, summary)

type WriteMethod = "POST" | "PUT" | "PATCH" | "DELETE"

/** An operation that writes. The header `Idempotency-Key` makes it safe to repeat. */
export const writeEndpoint = <const Name extends string, Answer extends keyof Types, Own extends Schema.Struct.Fields>(
  name: Name,
  route: `${WriteMethod} /${string}`,
  { answer, query: own, summary }: Operation<Answer, Own>
) => {
  const [method, path] = route.split(" ") as [WriteMethod, `/${string}`]
  return HttpApiEndpoint.make(method)(name, path)
    .setUrlParams(querySchema({ ...writeParameters, ...own }))
    .setHeaders(idempotencyHeaders)
    .addSuccess(schemaFor(answer))
    .annotate(OpenApi.Summary, summary)
}

/** The parameters in the path of a URL. */
export const idPath = Schema.Struct({ id: pathText })
export const namePath = Schema.Struct({ name: pathText })
export const runPath = Schema.Struct({ run: pathText })
