/** Random choices that a seed repeats. */
export interface Random {
  readonly below: (limit: number) => number
  readonly pick: <A>(values: ReadonlyArray<A>) => A | undefined
}

/** mulberry32: the same choices for the same seed. */
export const randomOf = (start: number): Random => {
  let state = start
  const below = (limit: number) => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) % limit
  }
  return { below, pick: (values) => values[values.length === 0 ? 0 : below(values.length)] }
}
