// @ts-nocheck: a maintainers' tool.
// Gradient boosting of multinomial deviance (Friedman 2001). Each round grows one tree of depth 4 per class, with
// splits by second-order gain (Chen, Guestrin 2016), on a random share of the features. The random generator has a
// fixed seed.

export const classes = 4
export const depth = 4
const inner = 2 ** depth - 1

export const randomOf = (seed) => () => {
  seed = (seed + 0x6d2b79f5) | 0
  let t = Math.imul(seed ^ (seed >>> 15), 1 | seed)
  t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t
  return ((t ^ (t >>> 14)) >>> 0) / 4294967296
}

/** The split points of each feature, at most `bins`. */
const thresholdsOf = (rows, figures, bins) =>
  Array.from({ length: figures }, (_, at) => {
    const values = [...new Set(rows.map(({ values }) => values[at]))].sort((a, b) => a - b)
    const between = values.slice(1).map((value, place) => Number(((value + values[place]) / 2).toPrecision(3)))
    const step = Math.max(1, between.length / bins)
    const length = Math.min(bins, between.length)
    return [...new Set(Array.from({ length }, (_, place) => between[Math.floor(place * step)]))].sort((a, b) => a - b)
  })

/** Rows have values, label and weight. Returns the log prior of each class, and the trees of all seeds in order. */
export const train = (rows, figures, settings) => {
  const { bagged, bins, rate, ridge, rounds, seeds, share, smallest } = settings
  const thresholds = thresholdsOf(rows, figures, bins)
  const count = rows.length
  const binned = Array.from({ length: figures }, (_, at) => {
    const limits = thresholds[at]
    return Uint8Array.from(rows, ({ values }) => {
      let bin = 0
      while (bin < limits.length && values[at] >= limits[bin]) bin++
      return bin
    })
  })
  const all = rows.reduce((sum, { weight }) => sum + weight, 0)
  const prior = Array.from({ length: classes }, (_, at) =>
    Math.log(rows.reduce((sum, { label, weight }) => sum + (label === at ? weight : 0), 0) / all)
  )
  const trees = []
  for (let seed = 0; seed < seeds; seed++) {
    const random = randomOf(7 + seed)
    const scores = Array.from({ length: classes }, (_, at) => new Float64Array(count).fill(prior[at]))
    for (let round = 0; round < rounds; round++) {
      const shares = scores.map(() => new Float64Array(count))
      for (let row = 0; row < count; row++) {
        let sum = 0
        for (let at = 0; at < classes; at++) sum += shares[at][row] = Math.exp(scores[at][row])
        for (let at = 0; at < classes; at++) shares[at][row] /= sum
      }
      const members = Int32Array.from(Array.from({ length: count }, (_, row) => row).filter(() => random() < bagged))
      for (let at = 0; at < classes; at++) {
        const slopes = new Float64Array(count)
        const curves = new Float64Array(count)
        for (let row = 0; row < count; row++) {
          const { label, weight } = rows[row]
          const part = shares[at][row]
          slopes[row] = weight * ((label === at ? 1 : 0) - part)
          curves[row] = weight * Math.max(1e-6, part * (1 - part))
        }
        const chosen = Array.from({ length: figures }, (_, figure) => figure).filter(() => random() < share)
        const tree = treeOf(members, { binned, chosen, curves, rate, ridge, slopes, smallest, thresholds })
        trees.push(tree)
        for (let row = 0; row < count; row++) {
          let node = 0
          while (node < inner) node = 2 * node + (binned[tree.figures[node]][row] <= tree.bins[node] ? 1 : 2)
          scores[at][row] += tree.leaves[node - inner] / 1000
        }
      }
    }
  }
  return { prior, seeds, thresholds, trees }
}

const treeOf = (all, data) => {
  const { binned, curves, rate, ridge, slopes } = data
  const tree = { figures: [], bins: [], leaves: [] }
  let nodes = [all]
  for (let level = 0; level < depth; level++)
    nodes = nodes.flatMap((members) => {
      const split = bestSplit(members, data)
      tree.figures.push(split?.figure ?? 0)
      tree.bins.push(split?.bin ?? 255)
      if (split === undefined) return [members, new Int32Array(0)]
      const bins = binned[split.figure]
      return [members.filter((row) => bins[row] <= split.bin), members.filter((row) => bins[row] > split.bin)]
    })
  for (const members of nodes) {
    let [slope, curve] = [0, 0]
    for (const row of members) {
      slope += slopes[row]
      curve += curves[row]
    }
    tree.leaves.push(Math.max(-127, Math.min(127, Math.round((1000 * rate * 0.75 * slope) / (curve + ridge)))))
  }
  return tree
}

const bestSplit = (members, { binned, chosen, curves, ridge, slopes, smallest, thresholds }) => {
  if (members.length < 2 * smallest) return undefined
  let best
  const value = (slope, curve) => (slope * slope) / (curve + ridge)
  let [s, c] = [0, 0]
  for (const row of members) {
    s += slopes[row]
    c += curves[row]
  }
  for (const figure of chosen) {
    const bins = thresholds[figure].length + 1
    if (bins === 1) continue
    const [slope, curve, count] = [new Float64Array(bins), new Float64Array(bins), new Int32Array(bins)]
    const of = binned[figure]
    for (const row of members) {
      const bin = of[row]
      slope[bin] += slopes[row]
      curve[bin] += curves[row]
      count[bin]++
    }
    let [ls, lc, ln] = [0, 0, 0]
    for (let bin = 0; bin < bins - 1; bin++) {
      ls += slope[bin]
      lc += curve[bin]
      ln += count[bin]
      if (ln < smallest || members.length - ln < smallest) continue
      const gain = value(ls, lc) + value(s - ls, c - lc) - value(s, c)
      if (gain > (best?.gain ?? 1e-6)) best = { figure, bin, gain }
    }
  }
  return best
}

/** The probability of each class. */
export const likely = ({ prior, seeds, thresholds, trees }, values) => {
  const sums = new Array(classes).fill(0)
  for (const [place, { bins, figures, leaves }] of trees.entries()) {
    let at = 0
    while (at < inner) at = 2 * at + (values[figures[at]] < (thresholds[figures[at]][bins[at]] ?? Infinity) ? 1 : 2)
    sums[place % classes] += leaves[at - inner] / 1000
  }
  const powers = sums.map((sum, at) => Math.exp(sum / seeds + prior[at]))
  const all = powers.reduce((a, b) => a + b, 0)
  return powers.map((power) => power / all)
}
