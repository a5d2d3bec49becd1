import { createHash, randomBytes, timingSafeEqual } from "node:crypto"
import * as Either from "effect/Either"
import * as Schema from "effect/Schema"
import { TrustLevel } from "../../events/Trust.js"
import { InvalidInput } from "../../src/model/errors.js"
import { randomId } from "../../src/model/ids.js"
import { limits } from "../../src/model/limits.js"

/** The permissions of a token. Only the digest of its secret is stored. */
export const Token = Schema.Struct({
  id: Schema.String.pipe(Schema.pattern(/^[0-9a-z]{10}$/)),
  /** A label for people: what uses the token. */
  name: Schema.optional(Schema.String),
  /** The agents that the token permits: a name or a pattern, in which `*` matches any characters. */
  agents: Schema.String,
  trust: TrustLevel,
  /** SHA-256 of the secret, in hexadecimal. A secret has 256 random bits, so a slow hash would protect nothing. */
  digest: Schema.String.pipe(Schema.pattern(/^[0-9a-f]{64}$/)),
  /** Milliseconds since the epoch. */
  createdAt: Schema.Number
})
export type Token = typeof Token.Type

/** A line of the token file: a new token, or the revocation of an earlier one. */
export const TokenLine = Schema.parseJson(
  Schema.Union(Schema.Struct({ add: Token }), Schema.Struct({ revoke: Schema.String, revokedAt: Schema.Number }))
)
export type TokenLine = typeof TokenLine.Type

export interface NewToken {
  readonly agents: string
  readonly trust: TrustLevel
  readonly name?: string | undefined
}

/** Makes a token, and the text that its user sends. The text is not stored, so it cannot be shown again. */
export const makeToken = (
  { agents, name, trust }: NewToken,
  createdAt: number
): Either.Either<{ readonly token: Token; readonly text: string }, InvalidInput> => {
  const visible = (length: number) => new RegExp(`^[^\\p{C}\\p{Zl}\\p{Zp}]{1,${length}}$`, "u")
  if (!visible(limits.agent).test(agents) || /\s/u.test(agents))
    return invalid("agent", `must be a name or a pattern such as "team-*", of 1 to ${limits.agent} visible characters`)
  if (name !== undefined && !visible(limits.agent).test(name))
    return invalid("name", `must have 1 to ${limits.agent} visible characters`)
  if (!Schema.is(TrustLevel)(trust)) return invalid("trust", `must be one of ${TrustLevel.literals.join(", ")}`)
  const id = randomId()
  const secret = randomBytes(32).toString("base64url")
  return Either.right({
    token: {
      id,
      ...(name === undefined ? {} : { name }),
      agents,
      trust,
      digest: digestOf(secret).toString("hex"),
      createdAt
    },
    text: `${prefix}${id}_${secret}`
  })
}

const invalid = (field: string, problem: string) => Either.left(new InvalidInput({ field, problem }))

/** Finds the token of a text. The duration does not depend on how many characters of the secret are correct. */
export const findToken = (tokens: ReadonlyMap<string, Token>, text: string): Token | undefined => {
  const [, id = "", secret = ""] = shape.exec(text) ?? []
  const token = tokens.get(id)
  const expected = token === undefined ? noDigest : Buffer.from(token.digest, "hex")
  return timingSafeEqual(digestOf(secret), expected) ? token : undefined
}

/** The prefix lets scanners for leaked secrets recognise a token. */
const prefix = "daybook_"
const shape = new RegExp(`^${prefix}([0-9a-z]{10})_([A-Za-z0-9_-]{43})$`)

/** No secret has this digest. */
const noDigest = Buffer.alloc(32)

const digestOf = (secret: string): Buffer => createHash("sha256").update(secret).digest()
