import * as AiError from "@effect/ai/AiError"
import type { ReconcilerError } from "../../src/ports/Reconciler.js"
import type { ErrorHandling } from "./limitRequests.js"
import { isRetryable, retryAfterMillisOf } from "./transport.js"

type Reason = Extract<ReconcilerError["reason"], "failed" | "timeout" | "refused" | "unreadable">

/** A failed request without private data: no URL, header, text or answer. */
export interface Failure {
  readonly reason: Reason
  readonly detail?: string
  /** True if the same request may succeed later. */
  readonly retryable: boolean
  /** Milliseconds to wait before a retry, from the server. */
  readonly retryAfterMillis?: number
}

const module = "LanguageModels"

const failure = (method: Reason, description?: string): AiError.AiError =>
  new AiError.UnknownError({ module, method, ...(description === undefined ? {} : { description }) })

/** The model refused to answer. */
export const refusedError: AiError.AiError = failure("refused")

/** The model's answer is incomplete. */
export const cutOffError: AiError.AiError = failure("unreadable", "cut off")

/** No answer in time. */
export const timedOutError: AiError.AiError = failure("timeout")

/** A bug in this program. */
export const internalError: AiError.AiError = failure("failed", "defect")

/** The model does not support the request. */
export const unsupportedError: AiError.AiError = failure("failed", "unsupported request")

/** Removes URLs and answers from an error of the package. */
export const withoutPrivateData = (error: AiError.AiError): AiError.AiError => {
  const { detail, reason } = failureOf(error)
  return failure(reason, detail)
}

/** The kind of a failure, without the rest of the error. */
export const failureOf = (error: unknown): Failure => {
  if (!AiError.isAiError(error)) return { reason: "failed", retryable: false }
  switch (error._tag) {
    case "HttpRequestError":
      return { reason: "failed", detail: "no connection", retryable: error.reason === "Transport" }
    case "HttpResponseError":
      return failureOfResponse(error)
    case "MalformedOutput":
      return { reason: "unreadable", retryable: false }
    case "MalformedInput":
      return { reason: "failed", detail: "unsupported request", retryable: false }
    case "UnknownError": {
      if (error.module !== module) return { reason: "failed", retryable: false }
      const detail = error.description === undefined ? {} : { detail: error.description }
      return { reason: error.method as Reason, retryable: false, ...detail }
    }
  }
}

const failureOfResponse = ({ response: { headers, status } }: AiError.HttpResponseError): Failure => {
  if (status < 300) return { reason: "unreadable", retryable: false }
  const retryAfterMillis = retryAfterMillisOf(headers)
  return {
    reason: "failed",
    detail: `status ${status}`,
    retryable: isRetryable(status),
    ...(retryAfterMillis === undefined ? {} : { retryAfterMillis })
  }
}

/** How `limitRequests` handles these errors. */
export const modelErrors: ErrorHandling<AiError.AiError> = {
  failureOf,
  sanitize: withoutPrivateData,
  broken: internalError,
  timedOut: timedOutError
}
