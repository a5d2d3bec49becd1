import { limits as inputLimits } from "../../src/model/limits.js"

/** Limits of the HTTP server. Times are milliseconds. They protect the process and change no result. */
export interface ServerLimits {
  /** Maximum open connections. */
  readonly connections: number
  /** Maximum bytes of a request's line and headers, and maximum number of headers. */
  readonly headerBytes: number
  readonly headers: number
  readonly urlLength: number
  readonly bodyBytes: number
  /** Maximum nesting of JSON in a body, and maximum number of its values. */
  readonly jsonDepth: number
  readonly jsonValues: number
  /** Time for the headers, and for the whole request with its body. */
  readonly headersTime: number
  readonly requestTime: number
  /** Time until the answer begins. */
  readonly answerTime: number
  /** Time without any transfer after which a connection is closed. */
  readonly idleTime: number
  /**
   * Time for which a connection stays open between two requests. A request that arrives while the connection closes
   * gets no answer, so this time is longer than any delay of a busy process.
   */
  readonly keepAliveTime: number
  /** Time for which a stopping server waits for requests in progress. */
  readonly drainTime: number
  /** Maximum requests in progress, of all tokens together and of one token. */
  readonly inProgress: number
  readonly inProgressOfToken: number
  /**
   * Maximum time that requests may have waited when the process reads them. Requests that waited longer are mostly
   * refused, unless the queue was empty less than `burstTime` ago.
   */
  readonly queueTime: number
  readonly burstTime: number
  /** Maximum open event streams, of all tokens together and of one token. */
  readonly streams: number
  readonly streamsOfToken: number
  /** Maximum requests of one token: per second on average, and at once. */
  readonly rate: number
  readonly burst: number
  /** Maximum requests without a valid token from one address: per second on average, and at once. */
  readonly failureRate: number
  readonly failureBurst: number
}

export const defaultLimits: ServerLimits = {
  connections: 512,
  headerBytes: 16_384,
  headers: 64,
  urlLength: 8_192,
  // The largest input is one imported file. The additional 1 MiB is for the escapes of its line breaks and quotes.
  bodyBytes: inputLimits.importFile + (1 << 20),
  jsonDepth: inputLimits.jsonDepth,
  jsonValues: 200_000,
  headersTime: 10_000,
  requestTime: 30_000,
  answerTime: 120_000,
  idleTime: 150_000,
  keepAliveTime: 30_000,
  drainTime: 8_000,
  inProgress: 64,
  inProgressOfToken: 48,
  queueTime: 1_000,
  burstTime: 3_000,
  streams: 64,
  streamsOfToken: 48,
  rate: 500,
  burst: 1_000,
  failureRate: 5,
  failureBurst: 50
}
