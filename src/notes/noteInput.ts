import type * as Either from "effect/Either"
import * as Schema from "effect/Schema"
import type { Store } from "../../events/Trust.js"
import type { InvalidInput } from "../model/errors.js"
import { decodeWith, keyField, optionalFields, storeField, tagsField, textField } from "../model/input.js"
import { limits } from "../model/limits.js"

/** A note to save. */
export interface NoteInput {
  /** At most 65,536 characters. */
  readonly content: string
  /** Normalised: trimmed, lower-cased, without repeats. At most 16 tags of at most 64 characters. */
  readonly tags?: ReadonlyArray<string> | undefined
  /** The name of the tool that saves the note. */
  readonly source?: string | undefined
  /**
   * The user whose note this is; the note's namespace is `memory:{user}`. Default: a note of the agent, without a
   * namespace.
   */
  readonly user?: string | undefined
  /** Default: the strictest store that the trust level reads. */
  readonly store?: Store | undefined
}

/** The new text or tags of a note. */
export interface NoteChanges extends Pick<NoteInput, "tags" | "store"> {
  readonly content?: string | undefined
}

const userField = textField(limits.key - "memory:".length)
const changeable = { tags: tagsField, store: storeField }

export const decodeNote = decodeWith(
  Schema.Struct({
    content: textField(limits.narrative),
    ...optionalFields({ ...changeable, source: keyField, user: userField })
  })
) as (input: unknown) => Either.Either<NoteInput, InvalidInput>

export const decodeNoteChanges = decodeWith(
  Schema.Struct(optionalFields({ ...changeable, content: textField(limits.narrative) }))
) as (input: unknown) => Either.Either<NoteChanges, InvalidInput>

export const decodeUser = decodeWith(Schema.Struct(optionalFields({ user: userField }))) as (
  input: unknown
) => Either.Either<Pick<NoteInput, "user">, InvalidInput>

/** The namespace of a user's notes, which is stored in the memory's field `session`. */
export const namespaceOf = (user: string): string => `memory:${user}`

/**
 * Returns the title and the narrative of the memory that stores a note. The title is the first line of the note, cut to
 * the maximum length of a title.
 */
export const fieldsOf = (content: string): { readonly title: string; readonly narrative: string | null } => {
  const [line = ""] = content.trim().split(/\r?\n/u, 1)
  const title = line
    .slice(0, limits.title)
    .replace(/[\ud800-\udbff]$/u, "")
    .trim()
  return { title, narrative: title === content ? null : content }
}
