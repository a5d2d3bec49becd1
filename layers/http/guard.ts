import type { IncomingMessage } from "node:http"
import type * as Context from "effect/Context"
import * as Either from "effect/Either"
import { lowestLevel, type TrustLevel } from "../../events/Trust.js"
import type { Caller } from "../access/Caller.js"
import type { TokenFile, TokensUnavailable } from "../access/TokenFile.js"
import { checkHead, type HostRules } from "./guardHead.js"
import type { ServerLimits } from "./guardLimits.js"
import { makeSocketQueue, type SocketQueue } from "./guardQueue.js"
import { makeRateLimiter, makeRequestCounter } from "./guardRate.js"
import { type Refusal, retryLaterRefusal } from "./guardRefusal.js"

export interface GuardOptions {
  readonly tokens: TokenFile
  readonly limits: ServerLimits
  readonly rules: HostRules
  /** The agents that the server serves, as a pattern, and the highest level at which it serves them. */
  readonly agents: string
  readonly trust: TrustLevel
  /** Paths that need no token. Their answers contain no content of any memory. */
  readonly isPublic: (path: string) => boolean
  /** Receives the reason if tokens cannot be checked. */
  readonly onUnavailable: (error: TokensUnavailable) => void
}

/** An admitted request. */
export interface AdmittedRequest {
  /** Undefined on public paths. */
  readonly caller: Context.Tag.Service<Caller> | undefined
  /** Removes the request from the requests in progress. Further calls do nothing. */
  readonly leave: () => void
}

/** Admits or refuses each request by its request line and headers, before its body is read. */
export interface Guard {
  readonly admit: (request: IncomingMessage, path: string) => AdmittedRequest | Refusal
  /** The number of requests in progress. */
  readonly inProgress: () => number
  /** Must be notified of connections and answers, so that it can limit how long requests wait. */
  readonly queue: Pick<SocketQueue, "answered" | "connected">
}

export const makeGuard = (options: GuardOptions): Guard => {
  const { limits, rules } = options
  const rate = makeRateLimiter({ rate: limits.rate, burst: limits.burst })
  const failures = makeRateLimiter({ rate: limits.failureRate, burst: limits.failureBurst })
  const inProgress = makeRequestCounter()
  const queue = makeSocketQueue(limits)
  const overloaded = retryLaterRefusal(503, "Overloaded", "too many requests are waiting: retry later")

  const admit = (request: IncomingMessage, path: string): AdmittedRequest | Refusal => {
    const isLate = queue.mustRefuse(request.socket)
    const refusal = checkHead(request, rules, limits)
    if (refusal !== undefined) return refusal
    if (options.isPublic(path) && (request.method === "GET" || request.method === "HEAD"))
      return inProgress.of("") >= limits.inProgressOfToken
        ? overloaded
        : { caller: undefined, leave: inProgress.enter("") }
    const caller = authenticate(request, options)
    if ("status" in caller) {
      if (caller.status !== 401) return caller
      const wait = failures.take(request.socket.remoteAddress ?? "", performance.now())
      return wait === undefined
        ? caller
        : {
            ...retryLaterRefusal(429, "TooManyRequests", "too many requests without a valid token", wait),
            closes: true
          }
    }
    const wait = rate.take(caller.token, performance.now())
    if (wait !== undefined)
      return {
        ...retryLaterRefusal(
          429,
          "TooManyRequests",
          `a token may send at most ${limits.rate} requests per second`,
          wait
        ),
        closes: hasBody(request)
      }
    if (isLate || inProgress.total() >= limits.inProgress) return { ...overloaded, closes: hasBody(request) }
    if (inProgress.of(caller.token) >= limits.inProgressOfToken)
      return {
        ...retryLaterRefusal(
          429,
          "TooManyRequests",
          `a token may have at most ${limits.inProgressOfToken} requests in progress`
        ),
        closes: hasBody(request)
      }
    return { caller, leave: inProgress.enter(caller.token) }
  }

  return { admit, inProgress: inProgress.total, queue }
}

/** True if the request has a body. The body of a refused request stays unread. */
const hasBody = ({ headers }: IncomingMessage): boolean =>
  headers["transfer-encoding"] !== undefined || Number(headers["content-length"] ?? 0) > 0

/** Finds the caller of a request by its token. The caller's trust level is never above the server's level. */
const authenticate = (
  { headers }: IncomingMessage,
  { agents, onUnavailable, tokens, trust }: GuardOptions
): Context.Tag.Service<Caller> | Refusal => {
  const [, text = ""] = /^Bearer +(\S+) *$/i.exec(headers.authorization ?? "") ?? []
  const checked = tokens.check(text)
  if (Either.isLeft(checked)) {
    onUnavailable(checked.left)
    return {
      ...retryLaterRefusal(503, "TokensUnavailable", "tokens cannot be checked: see the log of the server", 5),
      closes: true
    }
  }
  const token = checked.right
  return token === undefined
    ? {
        status: 401,
        error: "InvalidToken",
        detail:
          "send 'Authorization: Bearer TOKEN' with a token that 'daybook token add' made for the server's data folder",
        headers: { "www-authenticate": 'Bearer realm="daybook"' },
        closes: true
      }
    : {
        ...(token.agents === "*" ? { agents } : { agents: token.agents, served: agents }),
        trust: lowestLevel(token.trust, trust),
        token: token.id
      }
}
