import * as Schema from "effect/Schema"
import { exactOptional } from "./fields.js"

/** Files of the log outside the data folder. */
export const Log = Schema.Struct({
  /**
   * A copy of the ledger of erasures, for example on another disk. A relative path starts at the data folder. Its folder
   * must exist. An erasure writes both, and fails if it cannot. Each start takes what one of them lacks from the other.
   */
  ledger: exactOptional(
    Schema.String.pipe(
      Schema.filter((path) => path.trim() !== "" && path.length <= 4_096 && !path.includes("\0"), {
        message: () => "must be the path of a file"
      })
    )
  )
})
