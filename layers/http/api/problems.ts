import * as HttpApiSchema from "@effect/platform/HttpApiSchema"
import { RequestError } from "@effect/platform/HttpServerError"
import * as Cause from "effect/Cause"
import * as Schema from "effect/Schema"
import * as LogErrors from "../../../events/errors.js"
import * as Errors from "../../../src/model/errors.js"
import { EmbedderError } from "../../../src/ports/Embedder.js"
import { EmbedderUnavailable, UnknownEmbedder } from "../../../src/ports/Embedders.js"
import { problemMembers, problemType } from "../problemDetails.js"
import type { ProblemDetails } from "./types.js"

/** The token does not permit the agent. */
export class AgentForbidden extends Schema.TaggedError<AgentForbidden>()("AgentForbidden", {
  /** The pattern of the agents that the token permits. */
  agents: Schema.String
}) {
  override get message() {
    return `agent: the token permits only ${this.agents}: set \`agent\` to a name that the token permits, or use another token`
  }
}

/** The request came without a caller: no token was checked. */
export class NoCaller extends Schema.TaggedError<NoCaller>()("NoCaller", {}) {
  override get message() {
    return "the request has no caller: send the header `Authorization: Bearer TOKEN`"
  }
}

/** A fault of the server. The cause stays in its log, because it may quote a memory. */
export class InternalError extends Schema.TaggedError<InternalError>()("InternalError", {}) {
  override get message() {
    return "the server failed: see its log for the kind of failure"
  }
}

/** The server refused the request before an operation ran, because of its token, content type, size or rate. */
export class RequestRefused extends Schema.TaggedError<RequestRefused>()("RequestRefused", {
  status: Schema.Number,
  /** The tag of the refusal. */
  title: Schema.String,
  detail: Schema.String
}) {
  override get message() {
    return this.detail
  }
}

interface TaggedError {
  readonly _tag: string
  readonly message: string
}

const problemDetails = (status: number, { _tag, message }: TaggedError) => problemMembers(status, _tag, message)

const details = { type: Schema.String, title: Schema.String, status: Schema.Number, detail: Schema.String }

const describe = <A>(status: number, schema: Schema.Schema.AnyNoContext): Schema.Schema<A, ProblemDetails> =>
  HttpApiSchema.withEncoding(
    schema.annotations({
      jsonSchema: { $ref: "#/components/schemas/ProblemDetails" },
      description: "A problem: see `error`",
      ...HttpApiSchema.annotations({ status })
    }),
    { kind: "Json", contentType: problemType }
  ) as Schema.Schema.AnyNoContext

/** Encodes errors of a class as problem details, and decodes them in the client. */
const problem =
  (status: number) =>
  <A extends TaggedError, I>(error: Schema.Schema<A, I>): Schema.Schema<A, ProblemDetails> =>
    describe(
      status,
      Schema.transform(Schema.Struct({ ...details, error }), Schema.typeSchema(error), {
        strict: false,
        decode: (body) => body.error,
        encode: (failure) => ({ ...problemDetails(status, failure), error: failure })
      })
    )

/** Encodes a failure that is not an error of the interface as the problem details of a substitute error. */
const insteadOf = <A extends TaggedError, I>(
  is: (cause: unknown) => boolean,
  status: number,
  error: Schema.Schema<A, I>,
  substitute: A
): Schema.Schema<A, ProblemDetails> =>
  describe(
    status,
    Schema.transform(
      Schema.Struct({ ...details, error }),
      Schema.declare((cause): cause is A => is(cause)),
      {
        strict: false,
        decode: (body) => body.error,
        encode: () => ({ ...problemDetails(status, substitute), error: substitute })
      }
    )
  )

/** Encodes a refusal with this status. In the client, decodes any other problem with this status. */
const refused = (status: number) =>
  describe<RequestRefused>(
    status,
    Schema.transform(
      Schema.Struct(details),
      Schema.typeSchema(RequestRefused).pipe(Schema.filter((refusal) => refusal.status === status)),
      {
        strict: false,
        decode: ({ detail, title }) => new RequestRefused({ status, title, detail }),
        encode: ({ detail, title }) => problemMembers(status, title, detail)
      }
    )
  )

/** True if the body of a request is not JSON. */
const isUnreadable = (cause: unknown): boolean => cause instanceof RequestError && cause.reason === "Decode"

/** All errors of the interface, each with its HTTP status. */
export const problems = Schema.Union(
  problem(400)(Errors.InvalidInput),
  problem(400)(Errors.PathRefused),
  problem(401)(NoCaller),
  problem(403)(AgentForbidden),
  problem(403)(Errors.StoreForbidden),
  problem(403)(Errors.CredentialForbidden),
  problem(403)(Errors.LevelTooLow),
  problem(403)(Errors.TrustRequired),
  problem(404)(Errors.MemoryNotFound),
  problem(404)(Errors.SessionNotFound),
  problem(404)(Errors.SourceNotFound),
  problem(404)(Errors.FileNotFound),
  problem(404)(Errors.RecallNotFound),
  problem(410)(Errors.RecallErased),
  problem(404)(Errors.ScheduleNotFound),
  problem(404)(Errors.RunNotFound),
  problem(404)(Errors.VersionNotFound),
  problem(404)(Errors.NothingToUndo),
  problem(404)(Errors.NothingToErase),
  problem(404)(Errors.NoSuchIndex),
  problem(404)(UnknownEmbedder),
  problem(409)(Errors.SequenceConflict),
  problem(409)(Errors.FileInSession),
  problem(409)(Errors.NotUndoable),
  problem(409)(Errors.TooManySchedules),
  problem(409)(Errors.LeaseLost),
  problem(409)(Errors.ClockUnconfirmed),
  problem(409)(LogErrors.VersionConflict),
  problem(409)(LogErrors.CommandConflict),
  problem(409)(LogErrors.ErasedMeanwhile),
  problem(409)(LogErrors.NotAccepted),
  problem(410)(LogErrors.AlreadyErased),
  problem(502)(EmbedderError),
  problem(503)(EmbedderUnavailable),
  problem(503)(Errors.Overloaded),
  problem(503)(Errors.ProjectionParked),
  problem(503)(LogErrors.StorageError),
  problem(500)(LogErrors.UnknownEvent),
  problem(500)(LogErrors.InvalidEvent),
  problem(500)(InternalError),
  insteadOf(isUnreadable, 400, Errors.InvalidInput, new Errors.InvalidInput({ field: "body", problem: "is not JSON" })),
  insteadOf((cause) => !Cause.isInterruptedException(cause), 500, InternalError, new InternalError()),
  ...[400, 401, 403, 404, 405, 408, 413, 415, 421, 429, 500, 503].map(refused)
)

/** The problem details of a failure. A failure that is not an error of the interface becomes `InternalError`. */
export const problemOf: (failure: unknown) => ProblemDetails = Schema.encodeUnknownSync(problems)

/** The error that problem details describe. */
export const errorOf: (problem: unknown) => typeof problems.Type = Schema.decodeUnknownSync(problems)
