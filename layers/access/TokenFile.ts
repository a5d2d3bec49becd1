import { closeSync, fsyncSync, openSync, readFileSync, statSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Schema from "effect/Schema"
import { errorCodeOf } from "../../events/errors.js"
import type { InvalidInput } from "../../src/model/errors.js"
import { findToken, makeToken, type NewToken, type Token, TokenLine } from "./tokens.js"

/** The token file cannot be read or trusted, so no token can be checked. */
export class TokensUnavailable extends Schema.TaggedError<TokensUnavailable>()("TokensUnavailable", {
  file: Schema.String,
  problem: Schema.String
}) {
  override get message() {
    return `token file ${this.file}: ${this.problem}`
  }
}

/** No token has this id. */
export class TokenNotFound extends Schema.TaggedError<TokenNotFound>()("TokenNotFound", { id: Schema.String }) {
  override get message() {
    return `token ${this.id} not found: 'daybook token list' shows the ids`
  }
}

/**
 * The tokens of a data folder, in `tokens.jsonl`: one line for each token and for each revocation, so that two
 * processes can write at once. Only the owner may read or write the file.
 */
export interface TokenFile {
  /** The tokens that are not revoked, oldest first. */
  readonly list: Effect.Effect<ReadonlyArray<Token>, TokensUnavailable>
  /** Adds a token. `text` is the token as its user sends it; only the digest of its secret is stored. */
  readonly add: (
    token: NewToken
  ) => Effect.Effect<{ readonly token: Token; readonly text: string }, TokensUnavailable | InvalidInput>
  /** Revokes a token. A running server refuses the token from the next request on. */
  readonly revoke: (id: string) => Effect.Effect<Token, TokensUnavailable | TokenNotFound>
  /** Finds the token of a text; undefined if it is unknown or revoked. Reads the file again if the file has changed. */
  readonly check: (text: string) => Either.Either<Token | undefined, TokensUnavailable>
  /** True if the token is known and not revoked. False if the file cannot be read. */
  readonly isValid: (id: string) => boolean
}

export const open = (folder: string): TokenFile => {
  const file = join(folder, "tokens.jsonl")
  const unavailable = (problem: string) => new TokensUnavailable({ file, problem })
  let cached: { readonly stamp: string; readonly tokens: ReadonlyMap<string, Token> } | undefined

  /** The tokens by id. A missing file means that there are no tokens. */
  const read = (): Either.Either<ReadonlyMap<string, Token>, TokensUnavailable> =>
    Either.try({
      try: () => {
        const stamp = stampOf(file)
        if (cached?.stamp !== stamp) cached = { stamp, tokens: parse(stamp === "" ? "" : readFileSync(file, "utf8")) }
        return cached.tokens
      },
      catch: (error) =>
        unavailable(error instanceof Untrusted ? error.message : `cannot be read (${errorCodeOf(error)})`)
    })

  const append = (line: TokenLine): Effect.Effect<void, TokensUnavailable> =>
    Effect.flatMap(read(), () =>
      Effect.try({
        try: () => appendLine(file, Schema.encodeSync(TokenLine)(line)),
        catch: (error) => unavailable(`cannot be written (${errorCodeOf(error)})`)
      })
    )

  return {
    list: Effect.suspend(() => Either.map(read(), (tokens) => [...tokens.values()])),
    add: Effect.fnUntraced(function* (input) {
      const made = yield* makeToken(input, yield* Clock.currentTimeMillis)
      yield* append({ add: made.token })
      return made
    }),
    revoke: Effect.fnUntraced(function* (id) {
      const token = (yield* read()).get(id)
      if (token === undefined) return yield* new TokenNotFound({ id })
      yield* append({ revoke: id, revokedAt: yield* Clock.currentTimeMillis })
      return token
    }),
    check: (text) => Either.map(read(), (tokens) => findToken(tokens, text)),
    isValid: (id) => Either.match(read(), { onLeft: () => false, onRight: (tokens) => tokens.has(id) })
  }
}

/** The file must not be used; the message says why. */
class Untrusted extends Error {}

/**
 * Identifies the content of the file; empty if it is missing. Throws if other users could read or replace it. Lines are
 * only appended, so every change changes the size.
 */
const stampOf = (file: string): string => {
  const stats = statSync(file, { throwIfNoEntry: false, bigint: true })
  if (stats === undefined) return ""
  if (!stats.isFile()) throw new Untrusted("is not a file: remove it, and add the tokens again")
  if (process.getuid !== undefined) {
    if ((stats.mode & 0o077n) !== 0n) throw new Untrusted("can be read by other users: run 'chmod 600' on this file")
    const user = process.getuid()
    if (user !== 0 && Number(stats.uid) !== user)
      throw new Untrusted("belongs to another user: remove the file, and add the tokens again")
  }
  return `${stats.dev}:${stats.ino}:${stats.size}:${stats.mtimeNs}:${stats.ctimeNs}`
}

/** Marks the end of an incomplete line, whose write was interrupted. */
const cutMark = "#cut"

/**
 * The tokens of the file's text, by id. Throws at a line that cannot be read, because it may be a revocation. Ignores
 * incomplete lines, because their writers got an error.
 */
const parse = (text: string): ReadonlyMap<string, Token> => {
  const tokens = new Map<string, Token>()
  const lines = text.split("\n")
  for (const [index, content] of lines.entries()) {
    if (content === "" || content.endsWith(cutMark)) continue
    const line = Schema.decodeUnknownEither(TokenLine)(content)
    if (Either.isLeft(line) && index === lines.length - 1) continue
    if (Either.isLeft(line))
      throw new Untrusted(
        `line ${index + 1} is damaged: remove this line, then run 'daybook token list' to check the file`
      )
    if ("add" in line.right) tokens.set(line.right.add.id, line.right.add)
    else tokens.delete(line.right.revoke)
  }
  return tokens
}

/** True if the text ends with an incomplete line. A last line without its line break may still be complete. */
const isCut = (text: string): boolean => {
  const last = text.slice(text.lastIndexOf("\n") + 1)
  return last !== "" && Either.isLeft(Schema.decodeUnknownEither(TokenLine)(last))
}

/**
 * Appends a line, and waits until it is on disk. Marks an incomplete last line first. Removes nothing, because another
 * process may append at the same time. Throws if only a part of the line could be written.
 */
const appendLine = (file: string, line: string): void => {
  const descriptor = openSync(file, "a", 0o600)
  try {
    writeFileSync(descriptor, `${isCut(readFileSync(file, "utf8")) ? cutMark : ""}\n${line}\n`)
    fsyncSync(descriptor)
  } finally {
    closeSync(descriptor)
  }
}
