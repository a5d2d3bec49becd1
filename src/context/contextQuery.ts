import * as Either from "effect/Either"
import * as Schema from "effect/Schema"
import type { InvalidInput } from "../model/errors.js"
import {
  checkInteger,
  decodeOptionalInstant,
  decodeOptionalText,
  failWithInvalidInput,
  refuseUnknownOptions
} from "../model/filters.js"
import { decodeKey, type InstantInput } from "../model/input.js"
import { limits } from "../model/limits.js"
import type { PolicyValues } from "../ports/Policy.js"
import { indexSettings } from "../ports/policy/prompt.js"
import type { ContextFormat } from "./parts.js"

/** The request for a context. */
export interface ContextQuery {
  /** The session of the conversation. Without it the context has no turns. */
  readonly session?: string | undefined
  /** The user's new message; it recalls memories. Default: the last turn of the session, if the user said it. */
  readonly message?: string | undefined
  /** The token budget of everything that the context contains. Default: `prompt.tokens`. */
  readonly tokens?: number | undefined
  /**
   * Maximum memories that the message recalls, and also maximum memories that are chosen by score. Default: 20, at most
   * `prompt_index.limit`.
   */
  readonly k?: number | undefined
  /** The time of the question. Default: now; for a past version, the time of that version. */
  readonly at?: InstantInput | undefined
  /** Default: `text`. */
  readonly format?: ContextFormat | undefined
  /**
   * `recalled`: only the memories that the message recalls, for a program that has already sent the other parts.
   * Default: `all`.
   */
  readonly parts?: "all" | "recalled" | undefined
}

/** A checked query. */
export interface ContextRequest {
  readonly session: string | undefined
  readonly message: string | undefined
  readonly tokens: number
  readonly k: number
  readonly at: number | undefined
  readonly format: ContextFormat
  readonly parts: "all" | "recalled"
}

const optionNames = ["session", "message", "tokens", "k", "at", "format", "parts"]

export const decodeContextQuery = (
  query: ContextQuery,
  policy: Pick<PolicyValues, "prompt" | "prompt_index">
): Either.Either<ContextRequest, InvalidInput> =>
  Either.gen(function* () {
    yield* refuseUnknownOptions(query, optionNames)
    const { format = "text", parts = "all", session } = query
    if (session !== undefined) yield* decodeKey("session", session)
    if (!Schema.is(Schema.Literal("text", "markdown"))(format)) {
      return yield* failWithInvalidInput("format", "must be `text` or `markdown`")
    }
    if (parts !== "all" && parts !== "recalled")
      return yield* failWithInvalidInput("parts", "must be `all` or `recalled`")
    return {
      session,
      message: (yield* decodeOptionalText("message", query.message)).message,
      tokens: yield* checkInteger("tokens", query.tokens ?? policy.prompt.tokens, 1, Number.MAX_SAFE_INTEGER),
      k: yield* checkInteger("k", query.k ?? Math.min(20, indexSettings(policy.prompt_index).limit), 1, limits.ids),
      at: (yield* decodeOptionalInstant("at", query.at)).at,
      format,
      parts
    }
  })
