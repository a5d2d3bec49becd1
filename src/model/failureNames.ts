import * as Cause from "effect/Cause"
import * as Chunk from "effect/Chunk"

/**
 * Returns the tags of a cause's errors and the names of its defects, for a log line. Error messages are left out,
 * because a message may quote a memory.
 *
 * @example failureNames(Cause.fail(new StorageError({ … }))) // "StorageError"
 */
export const failureNames = (cause: Cause.Cause<unknown>): string => {
  const errors = [...Chunk.toReadonlyArray(Cause.failures(cause)), ...Chunk.toReadonlyArray(Cause.defects(cause))]
  const names = new Set(errors.map(failureName))
  if (Cause.isInterrupted(cause)) names.add("interrupted")
  return [...names].join(", ")
}

/** The tag of an error or the name of a defect: see `failureNames`. */
export const failureName = (error: unknown): string => {
  const { _tag, kind, name } = Object(error) as { readonly _tag?: unknown; readonly kind?: unknown; name?: unknown }
  const tag = typeof _tag === "string" ? _tag : typeof name === "string" ? name : typeof error
  // The kind of a storage error tells the reader how to react: busy, full, damaged.
  return typeof _tag === "string" && typeof kind === "string" ? `${tag} (${kind})` : tag
}
