/** Why a request is refused before it reaches its handler. Never quotes the request. */
export interface Refusal {
  readonly status: number
  /** The name of the error, for programs. */
  readonly error: string
  /** Says what is wrong, and what to do. */
  readonly detail: string
  readonly headers?: Readonly<Record<string, string>>
  /** True if the connection is closed afterwards, because the rest of the request was not read. */
  readonly closes?: boolean
}

/** A refusal after which the client may retry: see `seconds`. */
export const retryLaterRefusal = (status: 429 | 503, error: string, detail: string, seconds = 1): Refusal => ({
  status,
  error,
  detail,
  headers: { "retry-after": String(seconds) }
})
