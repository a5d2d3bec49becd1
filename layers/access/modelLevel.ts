import type { TrustLevel } from "../../events/Trust.js"

/** The trust level of text that a model writes, unless its caller names another one: the user has not said it. */
export const modelLevel: TrustLevel = "inner"
