import * as Schema from "effect/Schema"
import { exactOptional } from "./fields.js"

/** Files of the log outside the data folder. */
export const Log = Schema.Struct({
  /**
   * A copy of the ledger of erasures, for example on another disk. A relative path is resolved against the data folder.
   * The copy's folder must exist. An erasure writes to both ledgers, and fails if it cannot. At startup, the
   * program copies to each ledger the entries that only the other one has.
   */
  ledger: exactOptional(
    Schema.String.pipe(
      Schema.filter((path) => path.trim() !== "" && path.length <= 4_096 && !path.includes("\0"), {
        message: () => "must be the path of a file"
      })
    )
  )
})
