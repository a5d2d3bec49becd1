import type { TrustLevel } from "../../events/Trust.js"

/** The default trust level of text that a model writes. It is not full trust, because the user did not say the text. */
export const modelLevel: TrustLevel = "inner"
