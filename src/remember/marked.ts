import type { Memory } from "../../events/Memory.js"
import type { CredentialKind } from "../../text/personal/kinds.js"
import { marksOf } from "../../text/personal/marks.js"
import { limits } from "../model/limits.js"
import type { PolicyValues } from "../ports/Policy.js"

/** A memory, or one that is to be, with its marks. */
export interface Marked<M> {
  readonly memory: M
  /** What was found; none where the type alone makes it a credential. */
  readonly credentials: ReadonlyArray<CredentialKind>
  /** Whether it may be in store private alone. */
  readonly confined: boolean
  /** What the marks changed, and for what kinds, to be told beside the reason of a decision; empty where nothing. */
  readonly reason: string
}

type Markable = Pick<Memory, "title" | "narrative" | "facts" | "tags" | "type" | "store">

/**
 * Marks a memory for what its title, narrative and facts hold: tag `pii` for
 * personal data; type `credential` and store `private` for what lets somebody
 * in. A type `credential` that somebody gave counts as a credential as well.
 * People, files and tags are not looked at.
 */
export const marked = <M extends Markable>(memory: M, policy: PolicyValues["marks"]): Marked<M> => {
  const { facts, narrative, title } = memory
  const found =
    policy.pii || policy.credentials
      ? marksOf([title, ...(narrative === undefined ? [] : [narrative]), ...facts])
      : { pii: [], credential: [] }
  const credentials = policy.credentials ? found.credential : []
  const confined = policy.credentials && (credentials.length > 0 || memory.type === "credential")
  const [type, store] = [confined ? "credential" : memory.type, confined ? "private" : memory.store]
  const tags = policy.pii && found.pii.length > 0 ? withTag(memory.tags, "pii") : memory.tags
  const told = [
    ...(tags === memory.tags ? [] : [`holds ${found.pii.join(", ")}: tagged pii`]),
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
    reason: told.map((one) => `; ${one}`).join("")
  }
}

/** The tag has its place even among 16 others: the last of those is left out, as any over 16 is. */
const withTag = (tags: ReadonlyArray<string>, tag: string): ReadonlyArray<string> =>
  tags.includes(tag) ? tags : [...tags.slice(0, limits.tags - 1), tag]
