// @ts-nocheck: a maintainers' tool.
// Logistic regression with an L2 penalty on the weights of features, by cyclic Newton steps of bounded size, one weight
// after the other (Genkin, Lewis, Madigan 2007). `points` is a numeric feature. Its weight (`scale`) and the intercept
// (`base`) have no penalty.

const passes = 60

const likelihood = (odds) => 1 / (1 + Math.exp(-odds))

/** Rows have points, features, a weight, and a label of 0 or 1. */
export const fitLogistic = (rows, features, ridge) => {
  const place = new Map(features.map((feature, at) => [feature, at]))
  const columns = features.map(() => [])
  for (const [index, row] of rows.entries())
    for (const feature of row.features) if (place.has(feature)) columns[place.get(feature)].push(index)
  const odds = new Float64Array(rows.length)
  const weights = new Float64Array(features.length)
  let [base, scale] = [0, 0]
  /** One Newton step for the weight of the given rows; returns its change. */
  const step = (indexes, figureValue, weight, penalty) => {
    let [slope, curve] = [penalty * weight, penalty + 1e-9]
    for (const index of indexes) {
      const p = likelihood(odds[index])
      const value = figureValue(index)
      const counts = rows[index].weight * value
      slope += (p - rows[index].label) * counts
      curve += p * (1 - p) * counts * value
    }
    const change = Math.max(-1, Math.min(1, -slope / curve))
    for (const index of indexes) odds[index] += change * figureValue(index)
    return change
  }
  const all = rows.map((_, index) => index)
  const one = () => 1
  for (let pass = 0; pass < passes; pass++) {
    base += step(all, one, base, 0)
    scale += step(all, (index) => rows[index].points, scale, 0)
    for (let at = 0; at < features.length; at++) weights[at] += step(columns[at], one, weights[at], ridge)
  }
  return { base, scale, weights: new Map(features.map((feature, at) => [feature, weights[at]])) }
}

export const logOddsOf = ({ base, scale, weights }, { features, points }) =>
  features.reduce((sum, feature) => sum + (weights.get(feature) ?? 0), base + scale * points)
