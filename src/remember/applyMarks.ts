import type { Memory } from "../../events/Memory.js"
import { findSensitiveData } from "../../text/personal/findSensitiveData.js"
import type { CredentialKind } from "../../text/personal/kinds.js"
import { limits } from "../model/limits.js"
import type { PolicyValues } from "../ports/Policy.js"

/** A memory or draft with its marks. */
export interface MarkedMemory<M> {
  readonly memory: M
  /** The kinds of detected credentials; empty if only the type makes it a credential. */
  readonly credentials: ReadonlyArray<CredentialKind>
  /** Whether the memory must be in store private. */
  readonly confined: boolean
  /** Describes the changes that the marks made, as a suffix of the decision's reason; empty if nothing changed. */
  readonly reason: string
}

type MarkedFields = Pick<Memory, "title" | "narrative" | "facts" | "tags" | "type" | "store">

/**
 * Marks a memory by its title, narrative and facts: tag `pii` for personal data; type `credential` and store `private`
 * for passwords, keys and the like. A memory whose given type is `credential` counts as a credential too. People, files
 * and tags are not scanned.
 */
export const applyMarks = <M extends MarkedFields>(memory: M, policy: PolicyValues["marks"]): MarkedMemory<M> => {
  const { facts, narrative, title } = memory
  const detected =
    policy.pii || policy.credentials
      ? findSensitiveData([title, ...(narrative === undefined ? [] : [narrative]), ...facts])
      : { pii: [], credential: [] }
  const credentials = policy.credentials ? detected.credential : []
  const confined = policy.credentials && (credentials.length > 0 || memory.type === "credential")
  const [type, store] = [confined ? "credential" : memory.type, confined ? "private" : memory.store]
  const tags = policy.pii && detected.pii.length > 0 ? withTag(memory.tags, "pii") : memory.tags
  const reasons = [
    ...(tags === memory.tags ? [] : [`holds ${detected.pii.join(", ")}: tagged pii`]),
    ...(credentials.length > 0
      ? [`holds a credential (${credentials.join(", ")}): kept as type credential in store private`]
      : []),
    ...(credentials.length === 0 && store !== memory.store ? ["type credential: kept in store private"] : [])
  ]
  const changed = tags !== memory.tags || type !== memory.type || store !== memory.store
  return {
    memory: changed ? { ...memory, tags, type, store } : memory,
    credentials,
    confined,
    reason: reasons.map((text) => `; ${text}`).join("")
  }
}

/** Adds a tag. If there are 16 tags already, the new tag replaces the last one. */
const withTag = (tags: ReadonlyArray<string>, tag: string): ReadonlyArray<string> =>
  tags.includes(tag) ? tags : [...tags.slice(0, limits.tags - 1), tag]
