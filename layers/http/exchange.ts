import type { IncomingMessage, ServerResponse } from "node:http"
import { Readable } from "node:stream"
import { pipeline } from "node:stream/promises"
import type { Refusal } from "./guardRefusal.js"
import { problemMembers, problemType } from "./problemDetails.js"

/** Headers that concern one connection, or that only the guard may see. */
const withheldHeaders = new Set([
  "authorization",
  "connection",
  "expect",
  "keep-alive",
  "te",
  "transfer-encoding",
  "upgrade"
])

/** A request of Node as a web request with its complete body, without the token. */
export const toWebRequest = (request: IncomingMessage, body: Buffer, signal: AbortSignal): Request => {
  const headers = new Headers()
  for (const [name, values] of Object.entries(request.headersDistinct)) {
    if (!withheldHeaders.has(name)) for (const value of values ?? []) headers.append(name, value)
  }
  return new Request(`http://${request.headers.host}${request.url}`, {
    // HEAD is answered like GET, with the same headers but without the body.
    method: request.method === "HEAD" ? "GET" : (request.method ?? "GET"),
    headers,
    signal,
    ...(body.length === 0 ? {} : { body: new Uint8Array(body) })
  })
}

/** Headers of every answer. A header that a handler sets replaces the default. */
const defaultHeaders = {
  "cache-control": "no-store",
  "cross-origin-resource-policy": "same-origin",
  "referrer-policy": "no-referrer",
  "x-content-type-options": "nosniff",
  "x-frame-options": "DENY"
} as const

/** Statuses that tell the client to retry, and the seconds of `Retry-After` if the handler does not set that header. */
const retryStatuses = new Set([429, 503])
const retrySeconds = 1

export const isEventStream = (response: Response): boolean =>
  response.headers.get("content-type")?.startsWith("text/event-stream") === true

/**
 * Sends a web response. Resolves when its last byte is sent or the client has disconnected. Fails if the body fails
 * while the client is still connected.
 */
export const sendResponse = async (response: Response, to: ServerResponse): Promise<void> => {
  to.statusCode = response.status
  for (const [name, value] of Object.entries(defaultHeaders)) to.setHeader(name, value)
  response.headers.forEach((value, name) => {
    to.setHeader(name, value)
  })
  if (retryStatuses.has(response.status) && !to.hasHeader("retry-after")) to.setHeader("retry-after", retrySeconds)
  if (response.body === null || to.req.method === "HEAD") to.end()
  else if (response.headers.has("content-length")) to.end(Buffer.from(await response.arrayBuffer()))
  else await sendBody(response.body, to)
}

const sendBody = async (body: ReadableStream<Uint8Array>, to: ServerResponse): Promise<void> => {
  const failures: Array<unknown> = []
  const reader = body.getReader()
  const watched = new ReadableStream<Uint8Array>({
    pull: async (controller) => {
      const { done, value } = await reader.read().catch((error: unknown) => {
        // At this point, only the client or the end of the server closes a response.
        if (!to.destroyed && !to.writableEnded) failures.push(error)
        throw error
      })
      if (done) controller.close()
      else controller.enqueue(value)
    },
    cancel: (reason) => reader.cancel(reason)
  })
  // The client may disconnect at any time. The pipeline then cancels the body; this is not a failure.
  await pipeline(Readable.fromWeb(watched as Parameters<typeof Readable.fromWeb>[0]), to).catch(() => {})
  if (failures.length > 0) throw failures[0]
}

export const sendRefusal = (refusal: Refusal, to: ServerResponse): void => {
  const body = JSON.stringify(problemMembers(refusal.status, refusal.error, refusal.detail))
  for (const [name, value] of Object.entries({ ...defaultHeaders, ...refusal.headers })) to.setHeader(name, value)
  if (refusal.closes === true) to.setHeader("connection", "close")
  to.writeHead(refusal.status, { "content-type": problemType, "content-length": Buffer.byteLength(body) })
  to.end(to.req.method === "HEAD" ? undefined : body)
}
