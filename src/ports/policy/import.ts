import * as Schema from "effect/Schema"
import { withDefault } from "./fields.js"

const path = Schema.String.pipe(
  Schema.filter((text) => text.trim() !== "" && text.length <= 4_096 && !text.includes("\0"), {
    message: () => "must be the path of a file or a folder"
  })
)

/** Files that are imported into an empty memory. */
export const Import = Schema.Struct({
  /**
   * Markdown files and folders. They are imported once, before the first use of the agent's memory, and only if the
   * agent never had a memory. A relative path is resolved against the folder of the policy file.
   */
  from: withDefault(
    Schema.Array(path).pipe(Schema.maxItems(100, { message: () => "must have at most 100 paths" })),
    []
  ),
  /** The agent into whose memory the files are imported. */
  agent: withDefault(
    Schema.String.pipe(
      Schema.pattern(/^[^\p{C}\p{Z}]{1,64}$/u, {
        message: () => "must be an agent's name: 1 to 64 visible characters, no spaces"
      })
    ),
    "default"
  )
})
