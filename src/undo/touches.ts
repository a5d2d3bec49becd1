import { isDeepStrictEqual } from "node:util"

/**
 * What one event did to one aspect of a memory: a field, an entry of a list.
 * An event that says what was there already touches it without changing it.
 */
export interface Touch {
  readonly version: number
  readonly before: unknown
  readonly after: unknown
  /** Whether it is to be taken back. */
  readonly chosen: boolean
  /** The versions that it took back itself. */
  readonly undoes: ReadonlyArray<number>
  /** What it makes of another value than it found; `after` where absent. */
  readonly onto?: ((value: unknown) => unknown) | undefined
}

/** What becomes of an aspect. */
export interface Settled {
  /** Its value without the chosen events, where those that came later on purpose stay. */
  readonly kept: unknown
  /** Its value before the first of them, whatever came later. */
  readonly forced: unknown
  /** The chosen versions that changed it, oldest first. */
  readonly changed: ReadonlyArray<number>
  /** Later versions that were not chosen and for which it may not go back: none where both values are the same. */
  readonly by: ReadonlyArray<number>
}

/** What becomes of an aspect that these touched, oldest first; undefined where none of the chosen ones has an effect that is still in force. */
export const settle = (touches: ReadonlyArray<Touch>): Settled | undefined => {
  const live = standing(touches)
  const first = live.findIndex((touch) => touch.chosen && changes(touch))
  if (first < 0) return undefined
  const forced = live[first]!.before
  let kept = forced
  const changed: Array<number> = []
  const by: Array<number> = []
  for (const touch of live.slice(first)) {
    if (touch.chosen) {
      if (changes(touch)) changed.push(touch.version)
      continue
    }
    kept = touch.onto === undefined ? touch.after : touch.onto(kept)
    by.push(touch.version)
  }
  return { kept, forced, changed, by: isDeepStrictEqual(kept, forced) ? [] : by }
}

/**
 * Without the stretches that came to nothing: from an event on, up to the one
 * that took it back. The newest is looked at first: where an undoing was undone
 * itself, what it had taken back is in force again.
 */
const standing = (touches: ReadonlyArray<Touch>): ReadonlyArray<Touch> => {
  const live = [...touches]
  for (let at = live.length - 1; at > 0; at--) {
    const undoing = live[at]!
    if (undoing.chosen || undoing.undoes.length === 0 || !changes(undoing)) continue
    const from = live.findIndex(
      (touch) =>
        undoing.undoes.includes(touch.version) && changes(touch) && isDeepStrictEqual(touch.before, undoing.after)
    )
    if (from < 0) continue
    live.splice(from, at - from + 1)
    at = from
  }
  return live
}

const changes = ({ after, before }: Touch): boolean => !isDeepStrictEqual(before, after)

/** The versions that were taken back by an event that is in force: one that was not taken back itself and is not chosen to be. */
export const takenBack = (events: ReadonlyArray<Pick<Touch, "version" | "chosen" | "undoes">>): ReadonlySet<number> => {
  const gone = new Set<number>()
  for (const { chosen, undoes, version } of [...events].reverse()) {
    if (!chosen && !gone.has(version)) for (const one of undoes) gone.add(one)
  }
  return gone
}
