import type { IncomingMessage, Server, ServerResponse } from "node:http"
import type * as Context from "effect/Context"
import type { Caller } from "../access/Caller.js"
import { isEventStream, sendRefusal, sendResponse, toWebRequest } from "./exchange.js"
import type { AdmittedRequest, Guard } from "./guard.js"
import { readBody } from "./guardBody.js"
import type { ServerLimits } from "./guardLimits.js"
import { type Refusal, retryLaterRefusal } from "./guardRefusal.js"

export interface ConnectionsOptions {
  readonly guard: Guard
  readonly limits: ServerLimits
  /** True if the token with this id is still valid. */
  readonly isValid: (token: string) => boolean
  readonly answer: (
    path: string,
    request: Request,
    caller: Context.Tag.Service<Caller> | undefined,
    isClosing: boolean
  ) => Promise<Response>
  /** Receives an unexpected error. The client never sees it, because its message may quote a memory. */
  readonly onFailure: (error: unknown) => void
}

/** Answers Node's requests within the limits, and ends all of them when the server stops. */
export interface Connections {
  readonly handle: (request: IncomingMessage, response: ServerResponse) => void
  /** Refuses further requests, ends event streams, waits for requests in progress, then closes every connection. */
  readonly close: (server: Server) => Promise<void>
}

/** Milliseconds between two checks of the tokens of open event streams. */
const recheckMillis = 2_000

/** An open event stream, and the id of the token that opened it. */
interface OpenStream {
  readonly token: string
  readonly abort: AbortController
}

// Longer than 80 lines: its functions share the open streams.
export const makeConnections = (options: ConnectionsOptions): Connections => {
  const { guard, isValid, limits } = options
  const streams = new Set<OpenStream>()
  let isClosing = false
  let whenIdle = () => {}

  const exchange = async (request: IncomingMessage, response: ServerResponse) => {
    const path = request.url?.split("?", 1)[0] ?? ""
    if (isClosing) response.setHeader("connection", "close")
    if (isClosing && path !== "/health") return sendRefusal(closing, response)
    const admitted = guard.admit(request, path)
    if ("status" in admitted) return sendRefusal(admitted, response)
    try {
      await serveAdmitted(request, response, admitted, path)
    } finally {
      admitted.leave()
      if (guard.inProgress() === 0) whenIdle()
    }
  }

  const serveAdmitted = async (
    request: IncomingMessage,
    response: ServerResponse,
    { caller, leave }: AdmittedRequest,
    path: string
  ) => {
    // Sent only after admission, so that a refused client does not send its body.
    if (request.headers.expect?.toLowerCase() === "100-continue") response.writeContinue()
    const body = await readBody(request, limits)
    if (body === undefined) return
    if ("refusal" in body) return sendRefusal(body.refusal, response)
    const abort = new AbortController()
    response.once("close", () => abort.abort())
    const answer = options.answer(path, toWebRequest(request, body.bytes, abort.signal), caller, isClosing)
    const answered = await withTimeout(answer, limits.answerTime)
    if (answered === undefined) {
      sendRefusal(tooSlow, response)
      return abort.abort()
    }
    if (caller === undefined || !isEventStream(answered)) return sendResponse(answered, response)
    const refusal = refuseStream(streams, caller.token, limits)
    if (refusal !== undefined) {
      abort.abort()
      return sendRefusal(refusal, response)
    }
    // A revoked token must not keep its connection.
    response.shouldKeepAlive = false
    const stream = { token: caller.token, abort }
    streams.add(stream)
    leave()
    if (guard.inProgress() === 0) whenIdle()
    abort.signal.addEventListener("abort", () => response.end(), { once: true })
    await sendResponse(answered, response).finally(() => streams.delete(stream))
  }

  const recheck = setInterval(() => {
    for (const { abort, token } of streams) if (!isValid(token)) abort.abort()
  }, recheckMillis)
  recheck.unref()

  return {
    handle: (request, response) => {
      response.once("finish", () => guard.queue.answered(request.socket))
      exchange(request, response).catch((error: unknown) => {
        options.onFailure(error)
        if (response.headersSent) response.destroy()
        else sendRefusal(failed, response)
      })
    },
    close: async (server) => {
      isClosing = true
      clearInterval(recheck)
      const closed = new Promise((resolve) => server.close(resolve))
      for (const { abort } of streams) abort.abort()
      if (guard.inProgress() > 0)
        await withTimeout(
          new Promise<true>((resolve) => {
            whenIdle = () => resolve(true)
          }),
          limits.drainTime
        )
      server.closeIdleConnections()
      // Waits a moment until the last answers are sent. Then every connection is closed.
      await withTimeout(closed, closeMillis)
      server.closeAllConnections()
      await closed
    }
  }
}

/** Seconds after which a client may request an event stream again. */
const streamRetry = 5

const refuseStream = (streams: ReadonlySet<OpenStream>, token: string, limits: ServerLimits): Refusal | undefined => {
  if (streams.size >= limits.streams)
    return retryLaterRefusal(503, "Overloaded", "too many event streams are open: close one", streamRetry)
  const ofToken = [...streams].filter((stream) => stream.token === token).length
  if (ofToken < limits.streamsOfToken) return undefined
  const detail = `a token may have at most ${limits.streamsOfToken} open event streams: close one`
  return retryLaterRefusal(429, "TooManyRequests", detail, streamRetry)
}

/** Milliseconds for sending the last answers. */
const closeMillis = 500

/** The value of a promise; undefined if the promise takes longer than `millis`. */
const withTimeout = async <A>(promise: Promise<A>, millis: number): Promise<A | undefined> => {
  let timer: NodeJS.Timeout | undefined
  const timeout = new Promise<undefined>((resolve) => {
    timer = setTimeout(() => resolve(undefined), millis)
  })
  return Promise.race([promise, timeout]).finally(() => clearTimeout(timer))
}

const closing: Refusal = { ...retryLaterRefusal(503, "Closing", "the server is stopping: retry later"), closes: true }

const tooSlow = retryLaterRefusal(
  503,
  "TooSlow",
  "the answer took too long; a write may have been stored: repeat the request with the same Idempotency-Key",
  5
)

const failed: Refusal = {
  status: 500,
  error: "InternalError",
  detail: "the server failed: see its log for the kind of failure"
}
