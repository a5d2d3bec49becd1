import * as Either from "effect/Either"
import { InvalidInput } from "./errors.js"
import { limits } from "./limits.js"

/** Agent names are 1 to 64 visible characters: they name a stream and, escaped, a folder. */
export const checkName = (name: string): Either.Either<string, InvalidInput> =>
  /^[^\p{C}\p{Z}]{1,64}$/u.test(name)
    ? Either.right(name)
    : Either.left(
        new InvalidInput({ field: "agent", problem: `must have 1 to ${limits.agent} visible characters and no spaces` })
      )
