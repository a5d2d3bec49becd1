import * as Either from "effect/Either"
import type { TrustLevel } from "../../events/Trust.js"
import { TrustRequired } from "../model/errors.js"

/** A schedule belongs to the agent as a whole and to no store: what it is to do, and what came of it, is for full trust. */
export const fullTrust = (level: TrustLevel): Either.Either<void, TrustRequired> =>
  level === "full" ? Either.void : Either.left(new TrustRequired({ what: "schedules" }))
