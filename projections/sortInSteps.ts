/** Items that one step sorts or merges. A step takes about 2 ms. */
export const itemsPerStep = 2_000

type Compare<A> = (a: A, b: A) => number

/**
 * Yields the items in order. Before the first item, yields undefined after each step of the sort, so that the event
 * loop can run.
 */
export const sortInSteps = function* <A>(items: ReadonlyArray<A>, compare: Compare<A>): Iterable<A | undefined> {
  let parts: Array<ReadonlyArray<A>> = []
  for (let from = 0; from < items.length; from += itemsPerStep) {
    parts.push(items.slice(from, from + itemsPerStep).sort(compare))
    if (items.length > itemsPerStep) yield undefined
  }
  while (parts.length > 1) {
    const merged: Array<ReadonlyArray<A>> = []
    for (let at = 0; at < parts.length; at += 2) {
      const [left, right] = [parts[at]!, parts[at + 1]]
      merged.push(right === undefined ? left : yield* merge(left, right, compare))
    }
    parts = merged
  }
  yield* parts[0] ?? []
}

const merge = function* <A>(
  left: ReadonlyArray<A>,
  right: ReadonlyArray<A>,
  compare: Compare<A>
): Generator<undefined, ReadonlyArray<A>> {
  const merged: Array<A> = []
  let [l, r] = [0, 0]
  while (l < left.length || r < right.length) {
    const takesLeft = r === right.length || (l < left.length && compare(left[l]!, right[r]!) <= 0)
    merged.push(takesLeft ? left[l++]! : right[r++]!)
    if (merged.length % itemsPerStep === 0) yield undefined
  }
  return merged
}

/** Compares rows by id. Ids are ASCII, so JavaScript orders them like SQLite. */
export const compareIds = (
  [a]: readonly [id: string, born: number],
  [b]: readonly [id: string, born: number]
): number => (a < b ? -1 : a > b ? 1 : 0)
