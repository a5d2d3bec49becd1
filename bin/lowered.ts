import type { Lowered } from "../events/catalogue.js"
import type { TrustLevel } from "../events/Trust.js"

/** Lists the fields whose values the engine lowered because of the caller's level; empty if there are none. */
export const loweredFieldsNote = (
  { lowered = [] }: { readonly lowered?: ReadonlyArray<Lowered> },
  level: TrustLevel
): string => (lowered.length === 0 ? "" : `. Lowered for level ${level}: ${lowered.join(", ")}`)
