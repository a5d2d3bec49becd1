import type { ContextQuery } from "../../../src/context/ContextReader.js"
import type { ConversationQuery } from "../../../src/conversation/Sessions.js"
import type { SwitchOptions } from "../../../src/embedding/admin/EmbedderOperations.js"
import type { EraseOptions } from "../../../src/erasure/Erasure.js"
import type { Query } from "../../../src/search/search.js"
import type { PolicyChange } from "../../../src/whatIf/WhatIf.js"

/** The request for a context. `session_id` is an alias of `session`. */
export interface ContextRequest extends ContextQuery {
  readonly session_id?: string | undefined
}

/** A vector as a list of numbers, because JSON has no typed arrays. */
interface WithEmbedding {
  readonly embedding?: ReadonlyArray<number> | undefined
}

export interface SearchQuery extends Omit<Query, "embedding">, WithEmbedding {}

export interface ConversationSearch extends Omit<ConversationQuery, "embedding">, WithEmbedding {}

/** A switch to another embedder. */
export interface EmbedderSwitch extends Omit<SwitchOptions, "onProgress" | "onFailure" | "actor"> {
  readonly name: string
}

/** The past decisions to replay. */
export interface WhatIfRequest {
  readonly from?: number | undefined
  readonly to?: number | undefined
  readonly policy?: PolicyChange | undefined
  readonly ask?: boolean | undefined
}

/** The content of an agent to erase: exactly one of the first six fields. An erasure cannot be undone. */
export interface ErasureRequest extends Omit<EraseOptions, "actor"> {
  /** Memories, turns, files or schedules. */
  readonly ids?: ReadonlyArray<string> | undefined
  /** Everything that names a person. */
  readonly person?: string | undefined
  /** Everything that names any of these people. */
  readonly persons?: ReadonlyArray<string> | undefined
  /** A session, and everything derived from it. */
  readonly session?: string | undefined
  /** KIND or KIND:KEY, such as `import:notes.md`. */
  readonly source?: string | undefined
  /** All events of the agent. */
  readonly everything?: true | undefined
}
