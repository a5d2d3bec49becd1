/** One of each for a key, made when it is first asked for; only those that were asked for last are kept. */
export const lately = <A>(most: number, make: () => A): ((key: string) => A) => {
  const kept = new Map<string, A>()
  return (key) => {
    const one = kept.get(key) ?? make()
    kept.delete(key)
    kept.set(key, one)
    if (kept.size > most) kept.delete(kept.keys().next().value!)
    return one
  }
}
