/** NDCG of the first hits, 0…1: each answer worth what it counts, less the further behind it stands. */
export const ndcg = (counts: ReadonlyMap<string, number>, hits: ReadonlyArray<string>, shown: number): number => {
  const gained = (worth: ReadonlyArray<number>) => worth.reduce((sum, one, at) => sum + one / Math.log2(at + 2), 0)
  const best = [...counts.values()].sort((a, b) => b - a).slice(0, shown)
  return gained(hits.slice(0, shown).map((id) => counts.get(id) ?? 0)) / gained(best)
}
