import { readFileSync } from "node:fs"
import * as OpenApi from "@effect/platform/OpenApi"
import { assetFile } from "../../../text/assetFile.js"
import { Api } from "./Api.js"

const readSchemas = (): Readonly<Record<string, object>> => {
  const file = assetFile("schemas.json")
  if (file === undefined) throw new Error("assets/schemas.json is missing; reinstall the package")
  return JSON.parse(readFileSync(file, "utf8"))
}

const problem = (description: string) => ({
  description,
  content: { "application/problem+json": { schema: { $ref: "#/components/schemas/ProblemDetails" } } }
})

const logEvents = {
  tags: ["operations"],
  operationId: "operations.logEvents",
  summary: "Follow the events of an agent as server-sent events",
  parameters: [
    { name: "agent", in: "query", schema: { type: "string" }, required: false },
    { name: "after", in: "query", schema: { type: "number" }, required: false, description: "Only later versions." },
    {
      name: "Last-Event-ID",
      in: "header",
      schema: { type: "string" },
      required: false,
      description: "The version after which to continue. A client sends it when it reconnects."
    }
  ],
  responses: {
    "200": {
      description: "One event for each event of the log: its version, its type, and the event as JSON.",
      content: { "text/event-stream": { schema: { type: "string" } } }
    }
  }
}

/** Operations that report progress if the client accepts `text/event-stream`. */
const reporting = new Set([
  "operations.rebuild",
  "operations.whatIf",
  "operations.switchEmbedder",
  "operations.switchBack"
])

interface Operation {
  readonly operationId: string
  readonly responses: Readonly<Record<string, { readonly content?: object }>>
}

/** Completes the description of an operation: adds its problems, the answer to an unchanged read, and progress. */
const completed = (method: string, operation: Operation) => {
  const answer = operation.responses["200"]
  const progress = { "text/event-stream": { schema: { type: "string" } } }
  const content = { ...answer?.content, ...(reporting.has(operation.operationId) ? progress : {}) }
  return {
    ...operation,
    security: [{ token: [] }],
    responses: {
      "200": { description: "The answer", content },
      ...(method === "get"
        ? { "304": { description: "The client already has this answer: see `If-None-Match`." } }
        : {}),
      "4XX": problem("A problem with the request"),
      "5XX": problem("A problem of the server")
    }
  }
}

const complete = (spec: Readonly<Record<string, unknown>>) => ({
  ...spec,
  info: {
    title: "Daybook",
    version: "1",
    description:
      "Long-term memory for AI agents. Each call names its agent in the query; the trust level comes from the token.",
    license: { name: "MIT", identifier: "MIT" }
  },
  security: [{ token: [] }],
  paths: Object.fromEntries(
    Object.entries<Record<string, Operation>>({ ...Object(spec.paths), "/log/events": { get: logEvents } }).map(
      ([path, methods]) => [
        path,
        Object.fromEntries(Object.entries(methods).map(([method, operation]) => [method, completed(method, operation)]))
      ]
    )
  ),
  components: {
    schemas: readSchemas(),
    securitySchemes: { token: { type: "http", scheme: "bearer", description: "`daybook token add` prints a token." } }
  }
})

/** The definition of the interface, with the parts that only its OpenAPI document needs. */
export const makeDocumentedApi = () => Api.annotate(OpenApi.Transform, complete)

/** The interface as an OpenAPI 3.1 document. */
export const openApi = (): object => OpenApi.fromApi(makeDocumentedApi())
