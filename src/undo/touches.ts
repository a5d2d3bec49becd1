import { isDeepStrictEqual } from "node:util"

/**
 * The effect of one event on one aspect of a memory, such as a field or a list entry.
 * An event that restates the present value touches the aspect without changing it.
 */
export interface AspectChange {
  readonly version: number
  readonly before: unknown
  readonly after: unknown
  /** True if this undo undoes the event. */
  readonly chosen: boolean
  /** If the event is an undo: the versions that it undid. */
  readonly undoes: ReadonlyArray<number>
  /** Applies the event to a value other than `before`. Default: the result is `after`. */
  readonly applyTo?: ((value: unknown) => unknown) | undefined
}

/** The result of an undo for one aspect of a memory. */
export interface ResolvedChanges {
  /** The aspect's value without the chosen events, with later deliberate changes applied. */
  readonly result: unknown
  /** The aspect's value before the first chosen event, without later changes. */
  readonly forced: unknown
  /** The chosen versions that changed the aspect, oldest first. */
  readonly changed: ReadonlyArray<number>
  /** Later versions that were not chosen and that keep the aspect as it is. Empty if `result` equals `forced`. */
  readonly by: ReadonlyArray<number>
}

/**
 * Undoes the chosen touches of an aspect. `touches` are oldest first. Returns undefined if no chosen touch still has an
 * effect.
 */
export const resolveAspectChanges = (touches: ReadonlyArray<AspectChange>): ResolvedChanges | undefined => {
  const effective = withoutCancelled(touches)
  const first = effective.findIndex((touch) => touch.chosen && changes(touch))
  if (first < 0) return undefined
  const forced = effective[first]!.before
  let result = forced
  const changed: Array<number> = []
  const by: Array<number> = []
  for (const touch of effective.slice(first)) {
    if (touch.chosen) {
      if (changes(touch)) changed.push(touch.version)
      continue
    }
    result = touch.applyTo === undefined ? touch.after : touch.applyTo(result)
    by.push(touch.version)
  }
  return { result, forced, changed, by: isDeepStrictEqual(result, forced) ? [] : by }
}

/**
 * Removes each range from an event to the undo that undid it, because they cancel out. Starts with the newest undo: if
 * an undo was undone itself, the events that it undid count again.
 */
const withoutCancelled = (touches: ReadonlyArray<AspectChange>): ReadonlyArray<AspectChange> => {
  const effective = [...touches]
  for (let index = effective.length - 1; index > 0; index--) {
    const undoing = effective[index]!
    if (undoing.chosen || undoing.undoes.length === 0 || !changes(undoing)) continue
    const from = effective.findIndex(
      (touch) =>
        undoing.undoes.includes(touch.version) && changes(touch) && isDeepStrictEqual(touch.before, undoing.after)
    )
    if (from < 0) continue
    effective.splice(from, index - from + 1)
    index = from
  }
  return effective
}

const changes = ({ after, before }: AspectChange): boolean => !isDeepStrictEqual(before, after)

/**
 * Returns the versions undone by undos that are still in effect. An undo is in effect if it was not undone itself and
 * is not chosen now.
 */
export const undoneVersionsOf = (
  events: ReadonlyArray<Pick<AspectChange, "version" | "chosen" | "undoes">>
): ReadonlySet<number> => {
  const cancelled = new Set<number>()
  for (const { chosen, undoes, version } of [...events].reverse()) {
    if (!chosen && !cancelled.has(version)) for (const undone of undoes) cancelled.add(undone)
  }
  return cancelled
}
