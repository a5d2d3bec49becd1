/** Those that come first by an order, no more of them than this, and how many there were in all. */
export interface Fewest<A> {
  readonly add: (one: A) => void
  readonly count: () => number
  /** In order. */
  readonly first: (most: number) => ReadonlyArray<A>
}

export const fewest = <A>(most: number, order: (a: A, b: A) => number): Fewest<A> => {
  let count = 0
  let kept: Array<A> = []
  return {
    add: (one) => {
      count++
      kept.push(one)
      // Sorted now and then: whoever adds many pays little for each.
      if (kept.length > 2 * most) kept = kept.sort(order).slice(0, most)
    },
    count: () => count,
    first: (some) => kept.sort(order).slice(0, Math.min(some, most))
  }
}
