/**
 * Cuts an array into arrays of `size` items; the last may be shorter. Effect's own `Array.chunksOf` copies the rest for
 * each chunk, which takes a second for 100,000 items.
 */
export const chunksOf = <A>(values: ReadonlyArray<A>, size: number): ReadonlyArray<ReadonlyArray<A>> =>
  Array.from({ length: Math.ceil(values.length / size) }, (_, index) => values.slice(index * size, (index + 1) * size))
